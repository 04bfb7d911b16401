import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.Random;

/** Plays every game, at random. */
final class RandomBot {
    public static void main(String[] args) throws IOException {
        Random random = new Random();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = input.readLine()) != null; ) {
            Json message = Json.parse(line);
            switch (message.get("type").text()) {
                case "hello" ->
                    System.out.println("{\"type\":\"hello\",\"protocol\":1,\"name\":\"random-java\"}");
                case "start" -> System.out.println("{\"type\":\"ready\"}");
                case "turn" -> {
                    List<Json> legal = message.get("legal").items();
                    String move = legal.get(random.nextInt(legal.size())).raw;
                    System.out.println("{\"type\":\"move\",\"move\":" + move + "}");
                }
                case "quit" -> System.exit(0);
                default -> {}
            }
        }
    }
}
