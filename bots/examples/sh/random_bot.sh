#!/bin/sh
# Plays every game, at random. POSIX sh and awk.

here=$(dirname "$0")
tab=$(printf '\t')
while read -r line; do
    values=$(printf '%s\n' "$line" | awk -f "$here/json.awk")
    case $(printf '%s\n' "$values" | sed -n "s/^type$tab//p") in
    hello) echo '{"type":"hello","protocol":1,"name":"random-sh"}' ;;
    start) echo '{"type":"ready"}' ;;
    turn)
        draws=$((draws + 1))
        move=$(printf '%s\n' "$values" | sed -n "s/^legal\.[0-9]*$tab//p" |
            awk -v seed="$$$draws" 'BEGIN { srand(seed) } rand() * NR < 1 { move = $0 } END { print move }')
        echo "{\"type\":\"move\",\"move\":\"$move\"}"
        ;;
    quit) exit ;;
    esac
done
