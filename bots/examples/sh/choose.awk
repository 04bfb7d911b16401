# Chooses a move, from a turn as json.awk prints it: first what captures (`x`) or pushes (`>`)
# most, then the cell with the most points, then the shot (`/`) at the cell that matters to the
# fewest moves.

BEGIN {
    FS = "\t"
    srand(seed)
}

# The fish or points of all cells, in games that have them: rows of digits, the top row first.
$1 ~ /^state\.(fish|points)\.[0-9]+$/ { row[++height] = $2 }

$1 ~ /^legal\.[0-9]+$/ {
    move[++moves] = $2
    for (i = split_cells($2); i > 0; i--) named[cell[i]]++
}

END {
    for (i = 1; i <= moves; i++) {
        value = worth(move[i])
        equal = i > 1 && value == highest ? equal + 1 : 1
        # The n-th of equal moves takes the place of those before with a chance of one in n.
        if (i == 1 || value > highest || value == highest && rand() * equal < 1) {
            best = move[i]
            highest = value
        }
    }
    print best
}

# The cells that a move names, a letter and a number each, into `cell`; gives how many.
function split_cells(text,    cells) {
    while (match(text, /[a-z][0-9]+/)) {
        cell[++cells] = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
    }
    return cells + 0
}

function points(name,    digit) {
    digit = index("abcdefghijklmnopqrstuvwxyz", substr(name, 1, 1))
    digit = substr(row[height + 1 - substr(name, 2)], digit, 1)
    return digit ~ /[0-9]/ ? digit + 0 : 0
}

# One number for all three: what weighs more cannot be outweighed.
function worth(text,    cells, strikes, gain, rest) {
    cells = split_cells(text)
    rest = text
    strikes = gsub(/[x>]/, "", rest)
    # A move names the cell that it begins on, if there is one, then that where it goes.
    gain = cells ? points(cell[cells > 1 ? 2 : 1]) : 0
    return (strikes * 10 + gain) * 100000 - (text ~ /\// ? named[cell[cells]] : 0)
}
