import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Plays every game one ply ahead, from nothing but `state` and `legal`. */
final class OnePlyBot {
    private static final Pattern CELL = Pattern.compile("[a-z]\\d+");

    private static List<String> cells(String move) {
        return CELL.matcher(move).results().map(MatchResult::group).toList();
    }

    /** The fish or points of a cell, in games that have them: rows of digits, the top row first. */
    private static int points(Json state, String cell) {
        List<Json> rows = state.get("fish").items();
        if (rows.isEmpty()) {
            rows = state.get("points").items();
        }
        int row = rows.size() - Integer.parseInt(cell.substring(1));
        int column = cell.charAt(0) - 'a';
        if (row < 0 || row >= rows.size() || column >= rows.get(row).text().length()) {
            return 0;
        }
        return Math.max(0, Character.digit(rows.get(row).text().charAt(column), 10));
    }

    private static long count(String text, char letter) {
        return text.chars().filter(c -> c == letter).count();
    }

    /**
     * First what captures (`x`) or pushes (`>`) most, then the cell with the most points, then the
     * shot (`/`) at the cell that matters to the fewest moves: one number for all three.
     */
    private static long worth(Json state, String move, Map<String, Integer> named) {
        List<String> cells = cells(move);
        long worth = 10 * (count(move, 'x') + count(move, '>'));
        if (!cells.isEmpty()) {
            // A move names the cell that it begins on, if there is one, then that where it goes.
            worth += points(state, cells.get(Math.min(1, cells.size() - 1)));
        }
        int shot = move.contains("/") ? named.get(cells.get(cells.size() - 1)) : 0;
        return worth * 100_000 - shot;
    }

    /** The move to play in a position. */
    static String choose(Json state, List<String> legal, Random random) {
        Map<String, Integer> named = new HashMap<>();
        for (String move : legal) {
            cells(move).forEach(cell -> named.merge(cell, 1, Integer::sum));
        }
        List<String> best = new ArrayList<>();
        long highest = Long.MIN_VALUE;
        for (String move : legal) {
            long worth = worth(state, move, named);
            if (worth > highest) {
                best.clear();
                highest = worth;
            }
            if (worth == highest) {
                best.add(move);
            }
        }
        return best.get(random.nextInt(best.size()));
    }

    /** Answers the referee's messages until `quit` or the end of the input. */
    static void play(BufferedReader input, PrintStream output, Random random) throws IOException {
        for (String line; (line = input.readLine()) != null; ) {
            Json message = Json.parse(line);
            switch (message.get("type").text()) {
                case "hello" ->
                    output.println("{\"type\":\"hello\",\"protocol\":1,\"name\":\"one-ply-java\"}");
                case "start" -> output.println("{\"type\":\"ready\"}");
                case "turn" -> {
                    List<String> legal = message.get("legal").items().stream().map(Json::text).toList();
                    String move = Json.quote(choose(message.get("state"), legal, random));
                    String ply = message.get("ply").raw;
                    output.println("{\"type\":\"move\",\"move\":" + move + ",\"ply\":" + ply + "}");
                }
                case "error" ->
                    System.err.println("lost by " + message.get("code").text() + ": " + message.get("message").text());
                case "quit" -> {
                    return;
                }
                default -> {}
            }
            // Not a detail: a message that waits in a buffer is a timeout.
            output.flush();
        }
    }

    public static void main(String[] args) throws IOException {
        play(new BufferedReader(new InputStreamReader(System.in)), System.out, new Random());
    }
}
