# A small reader of JSON: prints each value of each line as its path, a tab and its text, say
# `legal.1	a1-b2`; objects and arrays come as JSON, after what is in them. Counts from 1.

{
    tokenize($0)
    at = 0
    value("")
    if (at != count) fail()
}

# Between quotes is text, unless the quote belongs to a backslash; the rest is signs and words.
function tokenize(line,    parts, total, i, text) {
    count = 0
    total = split(line, parts, "\"")
    for (i = 1; i <= total; i++) {
        while (match(parts[i], /[][{}:,]|[^][{}:, \t\r]+/)) {
            token[++count] = substr(parts[i], RSTART, RLENGTH)
            parts[i] = substr(parts[i], RSTART + RLENGTH)
        }
        if (++i > total) return
        text = parts[i]
        while (match(text, /\\+$/) && RLENGTH % 2 == 1 && i < total) text = text "\"" parts[++i]
        if (i == total) fail()
        token[++count] = "\"" text
    }
}

# Prints the value that comes next, and gives it as JSON.
function value(path,    json, key, number, comma) {
    if (++at > count) fail()
    json = token[at]
    if (json == "{" || json == "[") {
        while (token[at + 1] != (token_of(json) == "{" ? "}" : "]")) {
            if (comma && token[++at] != ",") fail()
            key = ++number
            if (token_of(json) == "{") {
                key = substr(token[++at], 2)
                if (token[++at] != ":") fail()
                json = json (comma ? "," : "") "\"" key "\":" value(path == "" ? key : path "." key)
            } else {
                json = json (comma ? "," : "") value(path == "" ? key : path "." key)
            }
            comma = 1
        }
        json = json token[++at]
    } else if (token_of(json) == "\"") {
        print path "\t" plain(substr(json, 2))
        return json "\""
    } else if (json !~ /^(null|true|false|-?[0-9][-+.eE0-9]*)$/) {
        fail()
    }
    print path "\t" json
    return json
}

function token_of(json) {
    return substr(json, 1, 1)
}

# A text without its backslashes. Line ends and tabs stay as they are: a value is one line.
function plain(text) {
    gsub(/\\\//, "/", text)
    gsub(/\\"/, "\"", text)
    gsub(/\\\\/, "\\", text)
    return text
}

function fail() {
    print "this is not JSON: " substr($0, 1, 80) | "cat 1>&2"
    exit 1
}
