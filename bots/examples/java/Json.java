import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small reader of JSON: a text becomes a tree of values. Nothing but the standard library.
 *
 * <p>What is not there or of another kind reads as empty, so {@code json.get("a").text()} always
 * gives a text.
 */
final class Json {
    private static final Json NOTHING = new Json("null", null);
    private static final int DEEPEST = 100;

    /** The value as it was written. */
    final String raw;

    /** null, Boolean, Double, String, List of Json or Map of String to Json. */
    private final Object value;

    private Json(String raw, Object value) {
        this.raw = raw;
        this.value = value;
    }

    /** The value that a text holds; IllegalArgumentException if it is not JSON. */
    static Json parse(String text) {
        Reader reader = new Reader(text);
        Json value = reader.value(0);
        reader.skipSpace();
        if (reader.at < text.length()) {
            throw reader.wrong("the end");
        }
        return value;
    }

    /** A text as JSON. */
    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    /** A field of an object. */
    Json get(String key) {
        return fields().getOrDefault(key, NOTHING);
    }

    /** The fields of an object, in order. */
    @SuppressWarnings("unchecked")
    Map<String, Json> fields() {
        return value instanceof Map<?, ?> ? (Map<String, Json>) value : Map.of();
    }

    /** The values of an array. */
    @SuppressWarnings("unchecked")
    List<Json> items() {
        return value instanceof List<?> ? (List<Json>) value : List.of();
    }

    boolean isNull() {
        return value == null;
    }

    String text() {
        return value instanceof String text ? text : "";
    }

    double number(double otherwise) {
        return value instanceof Double number ? number : otherwise;
    }

    /** Reads one value after the other. */
    private static final class Reader {
        final String text;
        int at = 0;

        Reader(String text) {
            this.text = text;
        }

        IllegalArgumentException wrong(String expected) {
            return new IllegalArgumentException("no JSON: " + expected + " is missing at " + at);
        }

        void skipSpace() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }

        /** Passes over what is there, after white space; whether it was there. */
        boolean take(String wanted) {
            skipSpace();
            boolean there = text.startsWith(wanted, at);
            at += there ? wanted.length() : 0;
            return there;
        }

        void need(String wanted) {
            if (!take(wanted)) {
                throw wrong(wanted);
            }
        }

        Json value(int depth) {
            skipSpace();
            int start = at;
            Object value = content(depth);
            return new Json(text.substring(start, at), value);
        }

        private Object content(int depth) {
            if (depth > DEEPEST) {
                throw wrong("less nesting");
            } else if (take("{")) {
                return object(depth);
            } else if (take("[")) {
                return array(depth);
            } else if (take("\"")) {
                return string();
            } else if (take("null")) {
                return null;
            } else if (take("true")) {
                return true;
            } else if (take("false")) {
                return false;
            }
            int start = at;
            while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return Double.valueOf(text.substring(start, at));
        }

        private Map<String, Json> object(int depth) {
            Map<String, Json> fields = new LinkedHashMap<>();
            if (take("}")) {
                return fields;
            }
            do {
                need("\"");
                String key = string();
                need(":");
                fields.put(key, value(depth + 1));
            } while (take(","));
            need("}");
            return fields;
        }

        private List<Json> array(int depth) {
            List<Json> items = new ArrayList<>();
            if (take("]")) {
                return items;
            }
            do {
                items.add(value(depth + 1));
            } while (take(","));
            need("]");
            return items;
        }

        /** A text after its first quote. */
        private String string() {
            StringBuilder out = new StringBuilder();
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c == '"') {
                    return out.toString();
                }
                out.append(c == '\\' ? escape() : c);
            }
            throw wrong("\"");
        }

        /** What follows a backslash. */
        private char escape() {
            char name = at < text.length() ? text.charAt(at++) : 0;
            if (name == 'u' && at + 4 <= text.length()) {
                at += 4;
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            int known = "\"\\/bfnrt".indexOf(name);
            if (known < 0) {
                throw wrong("an escape");
            }
            return "\"\\/\b\f\n\r\t".charAt(known);
        }
    }
}
