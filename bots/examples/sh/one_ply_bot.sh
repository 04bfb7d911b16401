#!/bin/sh
# Plays every game one ply ahead, from nothing but `state` and `legal`. POSIX sh and awk: how a
# move is chosen is in choose.awk.

here=$(dirname "$0")
tab=$(printf '\t')

# A field of the message in hand.
field() {
    printf '%s\n' "$values" | sed -n "s/^$1$tab//p"
}

while read -r line; do
    values=$(printf '%s\n' "$line" | awk -f "$here/json.awk")
    case $(field type) in
    hello) echo '{"type":"hello","protocol":1,"name":"one-ply-sh"}' ;;
    start) echo '{"type":"ready"}' ;;
    turn)
        ply=$(field ply)
        move=$(printf '%s\n' "$values" | awk -v seed="$$$ply" -f "$here/choose.awk")
        echo "{\"type\":\"move\",\"move\":\"$move\",\"ply\":$ply}"
        ;;
    error) echo "lost by $(field code): $(field message)" >&2 ;;
    quit) exit ;;
    esac
done
