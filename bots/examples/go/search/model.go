package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Model is the forward model: `referee model` as a child process, which holds one position.
type Model struct {
	requests *bufio.Writer
	encoder  *json.Encoder
	answers  *bufio.Reader
}

// StartModel finds the referee in the environment variable REFEREE, which it sets for its bots,
// or on the PATH. The process ends with this one.
func StartModel() (*Model, error) {
	program := os.Getenv("REFEREE")
	if program == "" {
		program = "referee"
	}
	command := exec.Command(program, "model")
	command.Stderr = os.Stderr
	var input io.WriteCloser
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	requests := bufio.NewWriter(input)
	model := &Model{requests, json.NewEncoder(requests), bufio.NewReader(output)}
	return model, command.Start()
}

// Position is what the model says about a position.
type Position struct {
	// The seat to move; nil when the game is over.
	ToMove *int `json:"to_move"`
	// What each seat can expect, from 0 to 1; in the end, what it got.
	Value []float64
}

// Child is a legal move and the position after it.
type Child struct {
	Move string
	Position
}

var wantValue = []string{"value"}

// New sets a position up.
func (m *Model) New(game string, options, state json.RawMessage) (Position, error) {
	m.send(map[string]any{"op": "new", "game": game, "options": options, "state": state, "want": wantValue})
	var position Position
	return position, m.receive(&position)
}

// Children gives all legal moves after these moves, which are taken back. All is sent before
// anything is read, which saves waiting.
func (m *Model) Children(moves []string) ([]Child, error) {
	if moves == nil {
		moves = []string{}
	}
	m.send(map[string]any{"op": "play", "moves": moves})
	m.send(map[string]any{"op": "children", "want": wantValue})
	m.send(map[string]any{"op": "undo", "count": len(moves)})
	if err := m.receive(nil); err != nil {
		return nil, err
	}
	var answer struct{ Children []Child }
	if err := m.receive(&answer); err != nil {
		return nil, err
	}
	return answer.Children, m.receive(nil)
}

// send writes into a buffer, whose errors are reported by the flush in receive.
func (m *Model) send(request map[string]any) {
	_ = m.encoder.Encode(request)
}

func (m *Model) receive(ok any) error {
	if err := m.requests.Flush(); err != nil {
		return err
	}
	line, err := m.answers.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the forward model: %w", err)
	}
	var answer struct {
		OK    json.RawMessage
		Error *struct{ Code, Message string }
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return fmt.Errorf("the forward model: %s", answer.Error.Message)
	}
	if ok == nil {
		return nil
	}
	return json.Unmarshal(answer.OK, ok)
}
