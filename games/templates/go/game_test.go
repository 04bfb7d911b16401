package main

import (
	"reflect"
	"strings"
	"testing"
)

func perft(options Options, state State, depth int) int {
	if depth == 0 {
		return 1
	}
	nodes := 0
	for _, move := range state.legal(options) {
		next, _ := state.play(options, move)
		nodes += perft(options, next, depth-1)
	}
	return nodes
}

func TestWhoTakesTheLastOneWins(t *testing.T) {
	options := Options{Heap: 5, Most: 3}
	state := start(options, 0)
	for _, move := range []string{"take3", "take1", "take1"} {
		if state.result() != nil {
			t.Fatalf("over before %s", move)
		}
		next, legal := state.play(options, move)
		if !legal {
			t.Fatalf("%s is not legal", move)
		}
		state = next
	}
	if state.toMove() != -1 || !reflect.DeepEqual(state.result().Scores, []int{1, 0}) {
		t.Errorf("%v: %v", state, state.result())
	}
}

func TestNoMoreThanAreLeft(t *testing.T) {
	options := Options{Heap: 2, Most: 3}
	if got := start(options, 0).legal(options); !reflect.DeepEqual(got, []string{"take1", "take2"}) {
		t.Error(got)
	}
}

func TestPositionsAreCounted(t *testing.T) {
	options := Options{Heap: 5, Most: 3}
	for depth, want := range []int{1, 3, 8, 10, 5, 1, 0} {
		if got := perft(options, start(options, 0), depth); got != want {
			t.Errorf("depth %d: %d instead of %d", depth, got, want)
		}
	}
}

func TestRequestsAreAnswered(t *testing.T) {
	lines := [][2]string{
		{`{"id":1,"op":"get"}`, `{"id":1,"error":{"code":"no_game"`},
		{`{"op":"hello","protocol":1}`, `{"id":null,"ok":{`},
		{`{"id":"a","op":"new","game":"nim","options":{"heap":4},"want":["legal","state"]}`,
			`"legal":["take1","take2","take3"]`},
		{`{"op":"play","moves":["take1","take4"]}`, "illegal_move"},
		{`{"op":"get","want":["state"]}`, `"left":4,`},
		{`{"op":"play","moves":["take1","take3"],"want":["legal"]}`, `"legal":[]`},
		{`{"op":"play","moves":["take1"]}`, "game_over"},
		{`{"op":"new","game":"nim","state":{"ply":3,"to_move":1,"left":2,"turn":1}}`, `"to_move":1`},
		{`{"op":"new","game":"nim","state":{"ply":3,"to_move":0,"left":2,"turn":1}}`, "bad_state"},
		{`{"op":"new","game":"nim","state":{"ply":3}}`, "bad_state"},
		{`{"op":"new","game":"nim","options":{"heap":0}}`, "bad_option"},
		{`{"op":"new","game":"nim","options":{"haep":5}}`, "bad_option"},
		{`{"op":"new","game":"chess"}`, "unknown_game"},
		{`{"op":"get","want":["more"]}`, "bad_request"},
		{`{"op":"fly"}`, "bad_request"},
		{`[]`, "bad_request"},
		{``, "bad_request"},
	}
	var input, output strings.Builder
	for _, line := range lines {
		input.WriteString(line[0] + "\n")
	}
	if err := answerAll(strings.NewReader(input.String()), &output); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSuffix(output.String(), "\n"), "\n")
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d lines", len(answers), len(lines))
	}
	for index, line := range lines {
		if !strings.Contains(answers[index], line[1]) {
			t.Errorf("%s is answered with %s", line[0], answers[index])
		}
	}
}
