package main

import "fmt"

// id is the game's id.
const id = "nim"

// entry is the game's entry in the answer to `hello`.
const entry = `{"id":"nim","title":"Nim",
"summary":"Take from the heap; taking the last one wins.",
"roles":["first","second"],"symmetric":true,"hidden":false,
"options":{
"heap":{"type":"int","min":1,"max":100,"default":21,"help":"How many there are at the start."},
"most":{"type":"int","min":1,"max":10,"default":3,"help":"How many a player may take at a time."}},
"notation":[["take2","take two of the heap"]],
"limits":{"max_plies":null,"repetition":null},
"guide":"# Nim\n\nThere is one heap. Two players take from it in turn, at least one and at most three at a time.\nWhoever takes the last one wins.\n"}`

// Options are what the game can be played with.
type Options struct {
	Heap, Most int
}

// State is a state of the game: what is left, and whose turn it is, or would be if the game went on.
type State struct {
	Left, Turn int
}

// wholeNumber reads a number of JSON, if it is whole and within limits.
func wholeNumber(value any, least, most int) (int, bool) {
	number, ok := value.(float64)
	if !ok || number < float64(least) || number > float64(most) || number != float64(int(number)) {
		return 0, false
	}
	return int(number), true
}

// readOptions reads options and fills in the defaults. An error names the option.
func readOptions(given map[string]any) (Options, error) {
	options := Options{Heap: 21, Most: 3}
	for name, value := range given {
		var option *int
		most := 0
		switch name {
		case "heap":
			option, most = &options.Heap, 100
		case "most":
			option, most = &options.Most, 10
		default:
			return options, fmt.Errorf("option `%s`: there is no such option; allowed are `heap`, `most`", name)
		}
		number, ok := wholeNumber(value, 1, most)
		if !ok {
			return options, fmt.Errorf("option `%s`: it must be a whole number from 1 to %d", name, most)
		}
		*option = number
	}
	return options, nil
}

// start is the state at the start. Only seed may make one start differ from another.
func start(options Options, seed uint64) State {
	return State{Left: options.Heap}
}

// fields are those of the state, without `ply` and `to_move`.
func (state State) fields() map[string]any {
	return map[string]any{"left": state.Left, "turn": state.Turn}
}

// readState reads them back. An error says why they make no sense.
func readState(options Options, fields map[string]any) (State, error) {
	left, ok := wholeNumber(fields["left"], 0, options.Heap)
	if !ok {
		return State{}, fmt.Errorf("`left` does not fit the heap")
	}
	turn, ok := wholeNumber(fields["turn"], 0, 1)
	if !ok {
		return State{}, fmt.Errorf("`turn` is neither 0 nor 1")
	}
	return State{Left: left, Turn: turn}, nil
}

// toMove is the seat to move, -1 when the game is over.
func (state State) toMove() int {
	if state.Left == 0 {
		return -1
	}
	return state.Turn
}

// legal lists all legal moves; it is never nil, so that JSON has a list.
func (state State) legal(options Options) []string {
	moves := []string{}
	for count := 1; count <= options.Most && count <= state.Left; count++ {
		moves = append(moves, fmt.Sprintf("take%d", count))
	}
	return moves
}

// play is the state after a move, if that is legal.
func (state State) play(options Options, move string) (State, bool) {
	for index, legal := range state.legal(options) {
		if legal == move {
			return State{Left: state.Left - index - 1, Turn: 1 - state.Turn}, true
		}
	}
	return state, false
}

// Result is how a game ended.
type Result struct {
	Scores []int  `json:"scores"`
	Reason string `json:"reason"`
}

// result is nil while the game goes on.
func (state State) result() *Result {
	if state.Left > 0 {
		return nil
	}
	scores := []int{0, 0}
	scores[1-state.Turn] = 1
	return &Result{Scores: scores, Reason: "heap_empty"}
}
