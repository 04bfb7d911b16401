// Command search plays every game without knowing a rule: Monte Carlo tree search on the
// referee's forward model.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"
)

const (
	// Random games stop after this many plies: longer ones say less.
	horizon = 80
	// Random games at a time.
	batch = 4
	// After this many games with a move, the replies to it are searched, too.
	ready = 8
	// How much moves that were tried less are preferred.
	curiosity = 0.4
)

// node is a move, what games after it came to for the seat that made it, and the answers to it.
type node struct {
	move       string
	seat       int
	sum, games float64
	children   []*node
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
	games := 1.0
	for _, child := range n.children {
		games += child.games
	}
	total := math.Log(games)
	return n.best(func(child *node) float64 {
		// As if half a game more had been won and half a game lost.
		mean := (child.sum + 0.5) / (child.games + 1)
		return mean + curiosity*math.Sqrt(total/child.games)
	})
}

// expand gives a node its children, each of which begins with one random game.
func (n *node) expand(model *Model, line []string) error {
	seat, means, err := model.Playouts(line, 1, int(n.games))
	for move, outcome := range means {
		n.children = append(n.children, &node{move: move, seat: seat, sum: outcome[seat], games: 1})
	}
	return err
}

// tryLine follows the most promising moves, plays on at random, and remembers what that gave.
func tryLine(model *Model, root *node, seed int) error {
	var line []*node
	var moves []string
	leaf := root
	for len(leaf.children) > 0 {
		leaf = leaf.pick()
		line = append(line, leaf)
		moves = append(moves, leaf.move)
	}
	if leaf.games >= ready {
		if err := leaf.expand(model, moves); err != nil {
			return err
		}
	}
	outcome, err := model.Playout(moves, batch, seed)
	if err != nil {
		return err
	}
	for _, n := range line {
		n.sum += batch * outcome[n.seat]
		n.games += batch
	}
	return nil
}

type start struct {
	Game    string
	Options json.RawMessage
	Seat    int
	Limits  struct {
		MaxPlies *int `json:"max_plies"`
	}
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
	maxPlies := turn.Ply + horizon
	if limit := start.Limits.MaxPlies; limit != nil && *limit < maxPlies {
		maxPlies = *limit
	}
	if err := model.New(start.Game, start.Options, turn.State, maxPlies); err != nil {
		return "", nil, err
	}
	root := &node{seat: start.Seat}
	if err := root.expand(model, nil); err != nil {
		return "", nil, err
	}
	playouts := len(root.children)
	for len(root.children) > 1 && time.Now().Before(deadline) {
		if err := tryLine(model, root, playouts); err != nil {
			return "", nil, err
		}
		playouts += batch
	}
	best := root.best(func(child *node) float64 { return child.games })
	return best.move, map[string]any{"value": best.sum / best.games, "nodes": playouts}, nil
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
