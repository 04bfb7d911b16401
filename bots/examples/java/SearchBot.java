import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Plays every game without knowing a rule: a best-first search on the referee's forward model, which
 * says in one answer what all moves lead to and what that is worth.
 */
final class SearchBot {
    /** How much moves that were tried less are preferred. */
    private static final double CURIOSITY = 0.1;

    /** A move of a seat, the position after it, and the answers to it. */
    private static final class Node {
        final String move;
        final int seat;
        final boolean over;
        final int toMove;
        final double[] values;

        /** What its seat expects, summed up over all looks at it and beyond. */
        double sum;

        int looks = 1;
        final List<Node> children = new ArrayList<>();

        Node(String move, int seat, Json position) {
            this.move = move;
            this.seat = seat;
            over = position.get("to_move").isNull();
            toMove = (int) position.get("to_move").number(0);
            List<Json> value = position.get("value").items();
            values = value.stream().mapToDouble(part -> part.number(0)).toArray();
            sum = values[seat];
        }

        /** The child to try next: a good one, or one that is not known well (UCB1). */
        Node pick() {
            double total = Math.log(1 + children.stream().mapToInt(child -> child.looks).sum());
            return best(child -> child.sum / child.looks + CURIOSITY * Math.sqrt(total / child.looks));
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

        /** Gives the node its children, with one request, and returns the best of them. */
        Node expand(Model model, List<String> moves) throws IOException {
            for (Json child : model.childrenAfter(moves)) {
                children.add(new Node(child.get("move").text(), toMove, child));
            }
            return best(child -> child.sum);
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
        Json options = match.get("options");
        Json position = model.create(match.get("game").text(), options.raw, turn.get("state").raw);
        Node root = new Node("", seat, position);
        root.expand(model, List.of());
        int tried = 0;
        for (; root.children.size() > 1 && System.nanoTime() < end; tried++) {
            tryLine(root);
        }
        // Of those that were looked at as often, the better one.
        Node best = root.best(child -> child.looks + child.sum / child.looks / 2);
        return "{\"type\":\"move\",\"move\":%s,\"ply\":%s,\"info\":{\"value\":%s,\"nodes\":%d}}"
            .formatted(Json.quote(best.move), turn.get("ply").raw, best.sum / best.looks, tried);
    }

    /**
     * Follows the most promising moves, looks at all answers to the last one, and remembers what the
     * best of them leads to.
     */
    private void tryLine(Node root) throws IOException {
        List<Node> line = new ArrayList<>();
        Node last = root;
        while (!last.children.isEmpty()) {
            last = last.pick();
            line.add(last);
        }
        if (!last.over) {
            last = last.expand(model, line.stream().map(node -> node.move).toList());
        }
        for (Node passed : line) {
            passed.sum += last.values[passed.seat];
            passed.looks += 1;
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
