#!/bin/sh
# Tests of the bot and of the reader of JSON: sh test.sh

here=$(dirname "$0")
failures=0

# What it is about, what was expected, what was found.
check() {
    [ "$2" = "$3" ] && return
    echo "$1: \`$3\` instead of \`$2\`"
    failures=$((failures + 1))
}

# The move that the bot plays with this state and these legal moves.
turn() {
    echo "{\"type\":\"turn\",\"ply\":4,\"moves\":[],\"state\":$1,\"legal\":$2,\"clock\":{}}" |
        sh "$here/one_ply_bot.sh"
}

moved() {
    echo "{\"type\":\"move\",\"move\":\"$1\",\"ply\":4}"
}

check "captures come first" "$(moved c3xe3xg5)" "$(turn '{}' '["c1-c2","c3xe3","c3xe3xg5"]')"
check "pushes come first" "$(moved 'c2>c3')" "$(turn '{}' '["+c1n","c1-out","c2>c3"]')"
fish='{"fish":["132","11","12."]}'
check "then the most fish" "$(moved a1-b3)" "$(turn "$fish" '["a1-b1","a1-c3","a1-b3","a1-c1"]')"
check "also when placing" "$(moved b1)" "$(turn "$fish" '["a1","b1","c1"]')"
check "then the loneliest shot" "$(moved a1-b1/c7)" "$(turn '{}' '["a1-b1/b2","a1-b2/b1","a1-b1/c7"]')"

answers=$(printf '%s\n' '{"type":"hello","protocol":1}' '{"type":"start","match":"m-1","seat":0}' \
    '{"type":"end","moves":[]}' '{"type":"quit"}' '{"type":"start"}' | sh "$here/one_ply_bot.sh")
check "a match is answered" '{"type":"hello","protocol":1,"name":"one-ply-sh"}
{"type":"ready"}' "$answers"

values=$(printf '%s\n' ' {"a": [1, -2.5e1, "x\"\\y\/"], "b": {"c": null}, "d": []} ' | awk -f "$here/json.awk")
check "JSON is read" 'a.1	1
a.2	-2.5e1
a.3	x"\y/
a	[1,-2.5e1,"x\"\\y\/"]
b.c	null
b	{"c":null}
d	[]
	{"a":[1,-2.5e1,"x\"\\y\/"],"b":{"c":null},"d":[]}' "$values"
for wrong in '{' '[1,]' '{"a"}' '"a' 'nul' '1 2'; do
    echo "$wrong" | awk -f "$here/json.awk" >/dev/null 2>&1 && check "JSON is refused" error "$wrong"
done

[ "$failures" = 0 ] && echo "all tests passed"
exit "$failures"
