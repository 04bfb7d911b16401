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

    /** The referee gives its bots its own path in REFEREE; otherwise it must be on the PATH. */
    Model() throws IOException {
        String program = System.getenv().getOrDefault("REFEREE", "referee");
        process =
            new ProcessBuilder(program, "model").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        requests = new BufferedWriter(new OutputStreamWriter(process.getOutputStream()));
        answers = new BufferedReader(new InputStreamReader(process.getInputStream()));
    }

    /** Sets a position up, and gives what there is to know; options and state are JSON. */
    Json create(String game, String options, String state) throws IOException {
        send(
            "{\"op\":\"new\",\"game\":%s,\"options\":%s,\"state\":%s,\"want\":[\"value\"]}"
                .formatted(Json.quote(game), options, state));
        return receive();
    }

    /**
     * All legal moves after these moves, which are taken back, each with the position that it leads to
     * and what that is worth. All is sent before anything is read, which saves waiting.
     */
    List<Json> childrenAfter(List<String> moves) throws IOException {
        String list = moves.stream().map(Json::quote).collect(Collectors.joining(","));
        send("{\"op\":\"play\",\"moves\":[" + list + "]}");
        send("{\"op\":\"children\",\"want\":[\"value\"]}");
        send("{\"op\":\"undo\",\"count\":" + moves.size() + "}");
        receive();
        List<Json> children = receive().get("children").items();
        receive();
        return children;
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
