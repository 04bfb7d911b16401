// Command one-ply plays every game one ply ahead, from nothing but `state` and `legal`.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// State is what the bot looks at in a position; each game has more, and its own. Fish and Points
// are rows of digits, the top row first.
type State struct {
	Fish   []string
	Points []string
}

var cell = regexp.MustCompile(`[a-z]\d+`)

// points gives the fish or points of a cell, in games that have them.
func (state State) points(cell string) int {
	rows := state.Fish
	if rows == nil {
		rows = state.Points
	}
	number, err := strconv.Atoi(cell[1:])
	row, column := len(rows)-number, int(cell[0]-'a')
	if err != nil || row < 0 || row >= len(rows) || column >= len(rows[row]) {
		return 0
	}
	if digit := rows[row][column]; '0' <= digit && digit <= '9' {
		return int(digit - '0')
	}
	return 0
}

// choose takes first what captures (`x`) or pushes (`>`) most, then the cell with the most points,
// then the shot (`/`) at the cell that matters to the fewest moves.
func choose(state State, legal []string, rng *rand.Rand) string {
	cells := make([][]string, len(legal))
	named := map[string]int{}
	for i, move := range legal {
		cells[i] = cell.FindAllString(move, -1)
		for _, cell := range cells[i] {
			named[cell]++
		}
	}
	best, highest, equal := 0, 0, 0
	for i, move := range legal {
		value := worth(state, move, cells[i], named)
		switch {
		case i == 0 || value > highest:
			best, highest, equal = i, value, 1
		case value == highest:
			// The n-th of equal moves takes the place of those before with a chance of one in n.
			equal++
			if rng.Intn(equal) == 0 {
				best = i
			}
		}
	}
	return legal[best]
}

// worth is one number for all three: what weighs more cannot be outweighed.
func worth(state State, move string, cells []string, named map[string]int) int {
	value := 10 * (strings.Count(move, "x") + strings.Count(move, ">"))
	// A move names the cell that it begins on, if there is one, then that where it goes.
	switch {
	case len(cells) > 1:
		value += state.points(cells[1])
	case len(cells) == 1:
		value += state.points(cells[0])
	}
	value *= 100000
	if strings.Contains(move, "/") {
		value -= named[cells[len(cells)-1]]
	}
	return value
}

// play answers the referee's messages until `quit` or the end of the input.
func play(input io.Reader, output io.Writer, rng *rand.Rand) {
	lines := bufio.NewReader(input)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var message struct {
			Type          string
			Ply           int
			State         State
			Legal         []string
			Code, Message string
		}
		if err := json.Unmarshal(line, &message); err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		switch message.Type {
		case "hello":
			fmt.Fprintln(output, `{"type":"hello","protocol":1,"name":"one-ply-go"}`)
		case "start":
			fmt.Fprintln(output, `{"type":"ready"}`)
		case "turn":
			move := choose(message.State, message.Legal, rng)
			fmt.Fprintf(output, "{\"type\":\"move\",\"move\":%q,\"ply\":%d}\n", move, message.Ply)
		case "error":
			fmt.Fprintf(os.Stderr, "lost by %s: %s\n", message.Code, message.Message)
		case "quit":
			return
		}
	}
}

func main() {
	play(os.Stdin, os.Stdout, rand.New(rand.NewSource(time.Now().UnixNano())))
}
