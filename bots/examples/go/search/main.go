// Command search plays every game without knowing a rule: a best-first search on the referee's
// forward model, which says in one answer what all moves lead to and what that is worth.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"
)

// How much moves that were tried less are preferred.
const curiosity = 0.1

// node is a move of a seat, the position after it, and the answers to it.
type node struct {
	move     string
	seat     int
	position Position
	// What its seat expects, summed up over all looks at it and beyond.
	sum, looks float64
	children   []*node
}

func newNode(move string, seat int, position Position) *node {
	return &node{move: move, seat: seat, position: position, sum: position.Value[seat], looks: 1}
}

// best gives the child that is worth most.
func (n *node) best(worth func(*node) float64) *node {
	var best *node
	most := math.Inf(-1)
	for _, child := range n.children {
		if value := worth(child); value > most {
			best, most = child, value
		}
	}
	return best
}

// pick gives the child to try next: a good one, or one that is not known well (UCB1).
func (n *node) pick() *node {
	looks := 1.0
	for _, child := range n.children {
		looks += child.looks
	}
	total := math.Log(looks)
	return n.best(func(child *node) float64 {
		return child.sum/child.looks + curiosity*math.Sqrt(total/child.looks)
	})
}

// expand gives a node its children, with one request, and returns the best of them.
func (n *node) expand(model *Model, moves []string) (*node, error) {
	children, err := model.Children(moves)
	if err != nil {
		return nil, err
	}
	for _, child := range children {
		n.children = append(n.children, newNode(child.Move, *n.position.ToMove, child.Position))
	}
	return n.best(func(child *node) float64 { return child.sum }), nil
}

// tryLine follows the most promising moves, looks at all answers to the last one, and remembers what
// the best of them leads to.
func tryLine(model *Model, root *node) error {
	var line []*node
	var moves []string
	last := root
	for len(last.children) > 0 {
		last = last.pick()
		line = append(line, last)
		moves = append(moves, last.move)
	}
	if last.position.ToMove != nil {
		best, err := last.expand(model, moves)
		if err != nil {
			return err
		}
		last = best
	}
	for _, passed := range line {
		passed.sum += last.position.Value[passed.seat]
		passed.looks++
	}
	return nil
}

type start struct {
	Game    string
	Options json.RawMessage
	Seat    int
}

type turn struct {
	Ply   int
	State json.RawMessage
	Clock clock
}

type clock struct {
	Move      *float64   `json:"move_ms"`
	Remaining []*float64 `json:"remaining_ms"`
	Increment float64    `json:"increment_ms"`
}

// budget is what to spend on a move: a safe part of what is allowed.
func (c clock) budget(seat int) time.Duration {
	usable := func(limit float64) float64 { return math.Max(0, 0.8*limit-10) }
	budget := math.Inf(1)
	if c.Move != nil {
		budget = usable(*c.Move)
	}
	if seat < len(c.Remaining) && c.Remaining[seat] != nil {
		left := usable(*c.Remaining[seat])
		// As if 25 moves were still to come.
		budget = math.Min(budget, math.Min(left/25+0.8*c.Increment, left))
	}
	if math.IsInf(budget, 1) {
		budget = 1000
	}
	return time.Duration(budget * float64(time.Millisecond))
}

// choose gives the move to play, and what to log about it.
func choose(model *Model, start start, turn turn, began time.Time) (string, map[string]any, error) {
	deadline := began.Add(turn.Clock.budget(start.Seat))
	position, err := model.New(start.Game, start.Options, turn.State)
	if err != nil {
		return "", nil, err
	}
	root := newNode("", start.Seat, position)
	if _, err := root.expand(model, nil); err != nil {
		return "", nil, err
	}
	tried := 0
	for ; len(root.children) > 1 && time.Now().Before(deadline); tried++ {
		if err := tryLine(model, root); err != nil {
			return "", nil, err
		}
	}
	// Of those that were looked at as often, the better one.
	best := root.best(func(child *node) float64 { return child.looks + child.sum/child.looks/2 })
	return best.move, map[string]any{"value": best.sum / best.looks, "nodes": tried}, nil
}

func run() error {
	model, err := StartModel()
	if err != nil {
		return err
	}
	input := bufio.NewReader(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	var start start
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return nil
		}
		began := time.Now()
		var message struct{ Type, Code, Message string }
		if err := json.Unmarshal(line, &message); err != nil {
			return err
		}
		var answer map[string]any
		switch message.Type {
		case "hello":
			wants := map[string]bool{"state": true, "legal": false}
			answer = map[string]any{"type": "hello", "protocol": 1, "name": "search-go", "wants": wants}
		case "start":
			if err := json.Unmarshal(line, &start); err != nil {
				return err
			}
			answer = map[string]any{"type": "ready"}
		case "turn":
			var turn turn
			if err := json.Unmarshal(line, &turn); err != nil {
				return err
			}
			move, info, err := choose(model, start, turn, began)
			if err != nil {
				return err
			}
			answer = map[string]any{"type": "move", "move": move, "ply": turn.Ply, "info": info}
		case "error":
			fmt.Fprintf(os.Stderr, "lost by %s: %s\n", message.Code, message.Message)
		case "quit":
			return nil
		}
		if answer != nil {
			if err := output.Encode(answer); err != nil {
				return err
			}
		}
	}
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
