import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.util.List;
import java.util.Random;

/** Tests of the bot and of the reader of JSON: java OnePlyBotTest */
final class OnePlyBotTest {
    private static void equal(Object expected, Object found) {
        if (!expected.equals(found)) {
            throw new AssertionError(found + " instead of " + expected);
        }
    }

    private static void choose(String state, String expected, String... legal) {
        equal(expected, OnePlyBot.choose(Json.parse(state), List.of(legal), new Random(1)));
    }

    private static void capturesAndPushesComeFirst() {
        choose("{}", "c3xe3xg5", "c1-c2", "c3xe3", "c3xe3xg5");
        choose("{}", "c2>c3", "+c1n", "c1-out", "c2>c3");
    }

    private static void thenTheMostFish() {
        String fish = "{\"fish\": [\"132\", \"11\", \"12.\"]}";
        choose(fish, "a1-b3", "a1-b1", "a1-c3", "a1-b3", "a1-c1");
        choose(fish, "b1", "a1", "b1", "c1");
    }

    private static void thenTheLoneliestShot() {
        choose("{}", "a1-b1/c7", "a1-b1/b2", "a1-b2/b1", "a1-b1/c7");
    }

    private static void aMatchIsAnswered() throws IOException {
        String input = """
            {"type":"hello","protocol":1,"referee":"referee 0.1.0"}
            {"type":"start","match":"m-000001","game":"run","seat":0}
            {"type":"turn","ply":4,"moves":[],"state":{},"legal":["e4-e5"],"clock":{}}
            {"type":"end","moves":[],"result":{}}
            {"type":"quit"}
            """;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        OnePlyBot.play(new BufferedReader(new StringReader(input)), new PrintStream(output), new Random(1));
        List<String> answers = output.toString().lines().toList();
        equal(3, answers.size());
        equal("hello", Json.parse(answers.get(0)).get("type").text());
        equal("{\"type\":\"ready\"}", answers.get(1));
        equal("{\"type\":\"move\",\"move\":\"e4-e5\",\"ply\":4}", answers.get(2));
    }

    private static void jsonIsRead() {
        Json value = Json.parse(" {\"a\": [1, -2.5e1, \"\\u00e9\\n\"], \"b\": {\"c\": null}} ");
        equal(-25.0, value.get("a").items().get(1).number(0));
        equal("é\n", value.get("a").items().get(2).text());
        equal("{\"c\": null}", value.get("b").raw);
        equal("\"a\\\"\\\\\"", Json.quote("a\"\\"));
        for (String wrong : List.of("", "{", "[1,]", "{\"a\"}", "\"a", "\"\\x\"", "nul", "1 2", "{1:2}")) {
            try {
                Json.parse(wrong);
            } catch (IllegalArgumentException refused) {
                continue;
            }
            throw new AssertionError(wrong + " was taken for JSON");
        }
    }

    public static void main(String[] args) throws IOException {
        capturesAndPushesComeFirst();
        thenTheMostFish();
        thenTheLoneliestShot();
        aMatchIsAnswered();
        jsonIsRead();
        System.out.println("5 tests passed");
    }
}
