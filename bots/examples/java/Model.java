import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.util.List;
import java.util.stream.Collectors;

/** The forward model: `referee model` as a child process, which holds one position. */
final class Model implements AutoCloseable {
    private final Process process;
    private final Writer requests;
    private final BufferedReader answers;

    /** An answer, and the seat to move where it was asked for. */
    record Answer(int seat, Json ok) {}

    /** The referee gives its bots its own path in REFEREE; otherwise it must be on the PATH. */
    Model() throws IOException {
        String program = System.getenv().getOrDefault("REFEREE", "referee");
        process =
            new ProcessBuilder(program, "model").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        requests = new BufferedWriter(new OutputStreamWriter(process.getOutputStream()));
        answers = new BufferedReader(new InputStreamReader(process.getInputStream()));
    }

    /** Sets a position up; options and state are JSON. Random games stop at maxPlies. */
    void create(String game, String options, String state, int maxPlies) throws IOException {
        send(
            "{\"op\":\"new\",\"game\":%s,\"options\":%s,\"state\":%s,\"max_plies\":%d}"
                .formatted(Json.quote(game), options, state, maxPlies));
        receive();
    }

    /**
     * Asks something after these moves, and takes them back. All is sent before anything is read,
     * which saves waiting.
     */
    Answer after(List<String> moves, String request) throws IOException {
        String list = moves.stream().map(Json::quote).collect(Collectors.joining(","));
        send("{\"op\":\"play\",\"moves\":[" + list + "]}");
        send(request);
        send("{\"op\":\"undo\",\"count\":" + moves.size() + "}");
        int seat = (int) receive().get("to_move").number(0);
        Json ok = receive();
        receive();
        return new Answer(seat, ok);
    }

    private void send(String request) throws IOException {
        requests.write(request);
        requests.write('\n');
    }

    private Json receive() throws IOException {
        requests.flush();
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the forward model has ended");
        }
        Json answer = Json.parse(line);
        if (!answer.get("error").isNull()) {
            throw new IOException("the forward model: " + answer.get("error").get("message").text());
        }
        return answer.get("ok");
    }

    @Override
    public void close() {
        process.destroy();
    }
}
