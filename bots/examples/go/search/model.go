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

// New sets a position up. Random games stop at maxPlies.
func (m *Model) New(game string, options, state json.RawMessage, maxPlies int) error {
	m.send(map[string]any{"op": "new", "game": game, "options": options, "state": state, "max_plies": maxPlies})
	return m.receive(nil)
}

// Playout gives the mean outcome a seat of random games after these moves.
func (m *Model) Playout(moves []string, count, seed int) ([]float64, error) {
	var playout struct{ Outcome []float64 }
	_, err := m.after(moves, map[string]any{"op": "playout", "count": count, "seed": seed}, &playout)
	return playout.Outcome, err
}

// Playouts gives the seat to move after these moves, and for each of its moves the mean outcome a
// seat of random games.
func (m *Model) Playouts(moves []string, count, seed int) (int, map[string][]float64, error) {
	var playouts struct{ Moves map[string][]float64 }
	seat, err := m.after(moves, map[string]any{"op": "playouts", "count": count, "seed": seed}, &playouts)
	return seat, playouts.Moves, err
}

// after asks something after these moves, and takes them back. All is sent before anything is
// read, which saves waiting.
func (m *Model) after(moves []string, request map[string]any, answer any) (int, error) {
	if moves == nil {
		moves = []string{}
	}
	m.send(map[string]any{"op": "play", "moves": moves})
	m.send(request)
	m.send(map[string]any{"op": "undo", "count": len(moves)})
	var position struct {
		ToMove int `json:"to_move"`
	}
	if err := m.receive(&position); err != nil {
		return 0, err
	}
	if err := m.receive(answer); err != nil {
		return 0, err
	}
	return position.ToMove, m.receive(nil)
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
