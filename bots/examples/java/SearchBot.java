import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Plays every game without knowing a rule: Monte Carlo tree search on the referee's forward model.
 */
final class SearchBot {
    /** Random games stop after this many plies: longer ones say less. */
    private static final int HORIZON = 80;

    /** Random games at a time. */
    private static final int BATCH = 4;

    /** After this many games with a move, the replies to it are searched, too. */
    private static final int READY = 8;

    /** How much moves that were tried less are preferred. */
    private static final double CURIOSITY = 0.4;

    /** A move, what games after it came to for the seat that made it, and the answers to it. */
    private static final class Node {
        final String move;
        final int seat;
        double sum;
        int games = 1;
        final List<Node> children = new ArrayList<>();

        Node(String move, int seat, double outcome) {
            this.move = move;
            this.seat = seat;
            this.sum = outcome;
        }

        /** The child to try next: a good one, or one that is not known well (UCB1). */
        Node pick() {
            double total = Math.log(1 + children.stream().mapToInt(child -> child.games).sum());
            return best(child -> {
                // As if half a game more had been won and half a game lost.
                double mean = (child.sum + 0.5) / (child.games + 1);
                return mean + CURIOSITY * Math.sqrt(total / child.games);
            });
        }

        /** The child that is worth most. */
        Node best(ToDoubleFunction<Node> worth) {
            Node best = null;
            double most = Double.NEGATIVE_INFINITY;
            for (Node child : children) {
                double value = worth.applyAsDouble(child);
                if (value > most) {
                    best = child;
                    most = value;
                }
            }
            return best;
        }

        /** Gives the node its children, each of which begins with one random game. */
        void expand(Model model, List<String> moves) throws IOException {
            String request = "{\"op\":\"playouts\",\"count\":1,\"seed\":" + games + "}";
            Model.Answer answer = model.after(moves, request);
            for (Map.Entry<String, Json> entry : answer.ok().get("moves").fields().entrySet()) {
                double outcome = entry.getValue().items().get(answer.seat()).number(0);
                children.add(new Node(entry.getKey(), answer.seat(), outcome));
            }
        }
    }

    private final Model model;
    private Json match;
    private int seat;

    private SearchBot(Model model) {
        this.model = model;
    }

    private void start(Json message) {
        match = message;
        seat = (int) message.get("seat").number(0);
    }

    /** The answer to a turn that began at that time. */
    private String choose(Json turn, long began) throws IOException {
        long end = began + budget(turn.get("clock"));
        double ply = turn.get("ply").number(0);
        double limit = match.get("limits").get("max_plies").number(Double.POSITIVE_INFINITY);
        int maxPlies = (int) Math.min(limit, ply + HORIZON);
        String game = match.get("game").text();
        model.create(game, match.get("options").raw, turn.get("state").raw, maxPlies);
        Node root = new Node("", seat, 0);
        root.expand(model, List.of());
        int playouts = root.children.size();
        while (root.children.size() > 1 && System.nanoTime() < end) {
            tryLine(root, playouts);
            playouts += BATCH;
        }
        Node best = root.best(child -> child.games);
        return "{\"type\":\"move\",\"move\":%s,\"ply\":%s,\"info\":{\"value\":%s,\"nodes\":%d}}"
            .formatted(Json.quote(best.move), turn.get("ply").raw, best.sum / best.games, playouts);
    }

    /** Follows the most promising moves, plays on at random, and remembers what that gave. */
    private void tryLine(Node root, int seed) throws IOException {
        List<Node> line = new ArrayList<>();
        Node leaf = root;
        while (!leaf.children.isEmpty()) {
            leaf = leaf.pick();
            line.add(leaf);
        }
        List<String> moves = line.stream().map(node -> node.move).toList();
        if (leaf.games >= READY) {
            leaf.expand(model, moves);
        }
        String request = "{\"op\":\"playout\",\"count\":" + BATCH + ",\"seed\":" + seed + "}";
        List<Json> outcome = model.after(moves, request).ok().get("outcome").items();
        for (Node node : line) {
            node.sum += BATCH * outcome.get(node.seat).number(0);
            node.games += BATCH;
        }
    }

    /** Nanoseconds to spend on a move: a safe part of what is allowed. */
    private long budget(Json clock) {
        double none = Double.POSITIVE_INFINITY;
        double budget = usable(clock.get("move_ms").number(none));
        List<Json> remaining = clock.get("remaining_ms").items();
        if (seat < remaining.size() && !remaining.get(seat).isNull()) {
            double left = usable(remaining.get(seat).number(none));
            // As if 25 moves were still to come.
            double part = left / 25 + 0.8 * clock.get("increment_ms").number(0);
            budget = Math.min(budget, Math.min(part, left));
        }
        return (long) (1e6 * (budget == none ? 1000 : budget));
    }

    private static double usable(double limit) {
        return Math.max(0, 0.8 * limit - 10);
    }

    public static void main(String[] args) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        try (Model model = new Model()) {
            SearchBot bot = new SearchBot(model);
            for (String line; (line = input.readLine()) != null; ) {
                long began = System.nanoTime();
                Json message = Json.parse(line);
                switch (message.get("type").text()) {
                    case "hello" ->
                        System.out.println(
                            "{\"type\":\"hello\",\"protocol\":1,\"name\":\"search-java\","
                                + "\"wants\":{\"state\":true,\"legal\":false}}");
                    case "start" -> {
                        bot.start(message);
                        System.out.println("{\"type\":\"ready\"}");
                    }
                    case "turn" -> System.out.println(bot.choose(message, began));
                    case "error" -> System.err.println("lost by " + message.get("code").text());
                    case "quit" -> {
                        return;
                    }
                    default -> {}
                }
            }
        }
    }
}
