package main

import (
	"math/rand"
	"strings"
	"testing"
)

func check(t *testing.T, state State, want string, legal ...string) {
	t.Helper()
	if got := choose(state, legal, rand.New(rand.NewSource(1))); got != want {
		t.Errorf("%v: %s instead of %s", legal, got, want)
	}
}

func TestCapturesAndPushesComeFirst(t *testing.T) {
	check(t, State{}, "c3xe3xg5", "c1-c2", "c3xe3", "c3xe3xg5")
	check(t, State{}, "c2>c3", "+c1n", "c1-out", "c2>c3")
}

func TestThenTheMostFish(t *testing.T) {
	state := State{Fish: []string{"132", "11", "12."}}
	check(t, state, "a1-b3", "a1-b1", "a1-c3", "a1-b3", "a1-c1")
	check(t, state, "b1", "a1", "b1", "c1")
}

func TestThenTheLoneliestShot(t *testing.T) {
	check(t, State{}, "a1-b1/c7", "a1-b1/b2", "a1-b2/b1", "a1-b1/c7")
}

func TestAMatchIsAnswered(t *testing.T) {
	input := `{"type":"hello","protocol":1,"referee":"referee 0.1.0"}
{"type":"start","match":"m-000001","game":"run","seat":0}
{"type":"turn","ply":4,"moves":[],"state":{},"legal":["e4-e5"],"clock":{}}
{"type":"end","moves":[],"result":{}}
{"type":"quit"}
`
	var output strings.Builder
	play(strings.NewReader(input), &output, rand.New(rand.NewSource(1)))
	want := `{"type":"ready"}
{"type":"move","move":"e4-e5","ply":4}
`
	if hello, rest, _ := strings.Cut(output.String(), "\n"); !strings.Contains(hello, `"hello"`) || rest != want {
		t.Errorf("answered %s", output.String())
	}
}
