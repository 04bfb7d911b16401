#!/bin/sh
# Plays every game without knowing a rule: random games after each legal move, by the referee's
# forward model, and then the move that did best. POSIX sh and awk.

# The referee gives its bots its own path in REFEREE; otherwise it must be on the PATH.
referee=${REFEREE:-referee}
here=$(dirname "$0")
tab=$(printf '\t')
# Random games stop after this many plies: longer ones say less.
horizon=80

# A field of the message in hand.
field() {
    printf '%s\n' "$values" | sed -n "s/^$1$tab//p"
}

# Milliseconds for this move: half of what is allowed, since there is no clock to look at.
budget() {
    limit=$(field clock.move_ms) left=$(field "clock.remaining_ms.$seat")
    limit=${limit%.*} left=${left%.*}
    case $left in
    '' | null) ;;
    *) [ "${limit:-$left}" -le $((left / 30)) ] || limit=$((left / 30)) ;;
    esac
    echo $((${limit:-1000} / 2))
}

# Asks the forward model, a process for each turn, what the moves are worth; prints the best one.
choose() {
    printf '%s\n%s\n' \
        "{\"op\":\"new\",\"game\":\"$game\",\"options\":$options,\"state\":$(field state),\"max_plies\":$max_plies}" \
        "{\"op\":\"playouts\",\"ms\":$ms,\"seed\":$ply}" |
        "$referee" model | awk -f "$here/json.awk" |
        awk -v path="^ok\\\\.moves\\\\..*\\\\.$seat\$" '
            BEGIN { FS = "\t" }
            $1 ~ path && (best == "" || $2 > most) { best = $1; most = $2 + 0 }
            END { sub(/^ok\.moves\./, "", best); sub(/\.[0-9]+$/, "", best); print best }'
}

while read -r line; do
    values=$(printf '%s\n' "$line" | awk -f "$here/json.awk")
    case $(field type) in
    hello) echo '{"type":"hello","protocol":1,"name":"search-sh"}' ;;
    start)
        game=$(field game) options=$(field options) limit_plies=$(field limits.max_plies)
        seat=$(($(field seat) + 1)) # json.awk counts from 1
        echo '{"type":"ready"}'
        ;;
    turn)
        ply=$(field ply) ms=$(budget)
        max_plies=$((ply + horizon))
        case $limit_plies in
        '' | null) ;;
        *) [ "$limit_plies" -gt "$max_plies" ] || max_plies=$limit_plies ;;
        esac
        echo "{\"type\":\"move\",\"move\":\"$(choose)\",\"ply\":$ply}"
        ;;
    error) echo "lost by $(field code): $(field message)" >&2 ;;
    quit) exit ;;
    esac
done
