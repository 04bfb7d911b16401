// Command random plays every game, at random.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"time"
)

func main() {
	rng := rand.New(rand.NewSource(time.Now().UnixNano()))
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var message struct {
			Type  string
			Legal []string
		}
		if json.Unmarshal(line, &message) != nil {
			continue
		}
		switch message.Type {
		case "hello":
			fmt.Println(`{"type":"hello","protocol":1,"name":"random-go"}`)
		case "start":
			fmt.Println(`{"type":"ready"}`)
		case "turn":
			fmt.Printf("{\"type\":\"move\",\"move\":%q}\n", message.Legal[rng.Intn(len(message.Legal))])
		case "quit":
			return
		}
	}
}
