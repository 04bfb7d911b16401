// Command game is a rules program: it reads the referee's requests and answers them for the game of
// game.go. Each line is a JSON object, and so is each answer. After an error everything is as it was
// before.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
)

// Request is a request, with the fields of all operations.
type Request struct {
	ID      json.RawMessage `json:"id"`
	Op      string          `json:"op"`
	Game    string          `json:"game"`
	Options json.RawMessage `json:"options"`
	State   json.RawMessage `json:"state"`
	Seed    uint64          `json:"seed"`
	Moves   []any           `json:"moves"`
	Want    []string        `json:"want"`
}

// Refusal is why a request is refused: a word of the protocol, and what is wrong.
type Refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Answer is the line that answers a request: one of both.
type Answer struct {
	ID    json.RawMessage `json:"id"`
	OK    any             `json:"ok,omitempty"`
	Error *Refusal        `json:"error,omitempty"`
}

// Position is a position of a match.
type Position struct {
	options Options
	state   State
	ply     int
}

func refuse(code, format string, values ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, values...)}
}

// given says whether a field is there, and is not null.
func given(field json.RawMessage) bool {
	return len(field) > 0 && string(field) != "null"
}

// open sets a position up.
func open(request Request) (*Position, *Refusal) {
	if request.Game != id {
		return nil, refuse("unknown_game", "there is only the game `%s`", id)
	}
	fields := map[string]any{}
	if given(request.Options) && json.Unmarshal(request.Options, &fields) != nil {
		return nil, refuse("bad_option", "`options` is not an object")
	}
	options, err := readOptions(fields)
	if err != nil {
		return nil, refuse("bad_option", "%s", err)
	}
	if !given(request.State) {
		return &Position{options: options, state: start(options, request.Seed)}, nil
	}
	fields = map[string]any{}
	if json.Unmarshal(request.State, &fields) != nil {
		return nil, refuse("bad_state", "a state is an object")
	}
	ply, ok := wholeNumber(fields["ply"], 0, math.MaxInt32)
	if !ok {
		return nil, refuse("bad_state", "`ply` is not the number of plies made so far")
	}
	state, err := readState(options, fields)
	if err != nil {
		return nil, refuse("bad_state", "%s", err)
	}
	position := &Position{options: options, state: state, ply: ply}
	if toMove, there := fields["to_move"]; there && !position.isTurn(toMove) {
		return nil, refuse("bad_state", "`to_move` does not fit the rest")
	}
	return position, nil
}

// isTurn says whether a value of JSON is the seat to move.
func (position *Position) isTurn(value any) bool {
	if position.state.toMove() < 0 {
		return value == nil
	}
	return value == float64(position.state.toMove())
}

// play plays all moves, or none.
func (position *Position) play(moves []any) *Refusal {
	if moves == nil {
		return refuse("bad_request", "`moves` is not a list")
	}
	state := position.state
	for _, move := range moves {
		if state.toMove() < 0 {
			return refuse("game_over", "the game is over")
		}
		text, _ := move.(string)
		next, legal := state.play(position.options, text)
		if !legal {
			return refuse("illegal_move", "`%s` is not legal", text)
		}
		state = next
	}
	position.state = state
	position.ply += len(moves)
	return nil
}

// describe is the position, with what is wanted.
func (position *Position) describe(want []string) map[string]any {
	var toMove any
	if seat := position.state.toMove(); seat >= 0 {
		toMove = seat
	}
	answer := map[string]any{"ply": position.ply, "to_move": toMove, "result": position.state.result()}
	for _, name := range want {
		if name == "legal" {
			answer["legal"] = position.state.legal(position.options)
			continue
		}
		state := position.state.fields()
		state["ply"], state["to_move"] = position.ply, toMove
		answer["state"] = state
	}
	return answer
}

// Program holds one position, nil before there is one.
type Program struct {
	position *Position
}

// answer answers one request.
func (program *Program) answer(request Request) (any, *Refusal) {
	for _, name := range request.Want {
		if name != "legal" && name != "state" {
			return nil, refuse("bad_request", "`want` is not a list of `legal` and `state`")
		}
	}
	switch request.Op {
	case "hello":
		games := []json.RawMessage{json.RawMessage(entry)}
		return map[string]any{"protocol": 1, "name": id, "version": "1", "can": []string{}, "games": games}, nil
	case "new":
		position, refusal := open(request)
		if refusal != nil {
			return nil, refusal
		}
		program.position = position
	case "play", "get":
		if program.position == nil {
			return nil, refuse("no_game", "there is no position yet: `new` sets one up")
		}
		if request.Op == "play" {
			if refusal := program.position.play(request.Moves); refusal != nil {
				return nil, refusal
			}
		}
	default:
		return nil, refuse("bad_request", "`op` is not one of `hello`, `new`, `play`, `get`")
	}
	return program.position.describe(request.Want), nil
}

// answerLine answers one line with one line.
func (program *Program) answerLine(line []byte) []byte {
	var request Request
	var answer Answer
	if err := json.Unmarshal(line, &request); err != nil {
		answer.Error = refuse("bad_request", "a request is a JSON object: %s", err)
	} else {
		answer.OK, answer.Error = program.answer(request)
	}
	answer.ID = request.ID
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err) // plain data is JSON
	}
	return append(text, '\n')
}

// answerAll answers each line until the end of the input.
func answerAll(input io.Reader, output io.Writer) error {
	program := Program{}
	lines := bufio.NewReader(input)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		if _, err := output.Write(program.answerLine(line)); err != nil {
			return err
		}
	}
}

func main() {
	if err := answerAll(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
