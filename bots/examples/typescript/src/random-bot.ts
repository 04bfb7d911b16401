// Plays every game, at random. Node, nothing else.

import { createInterface } from "node:readline";

const send = (message: object) => console.log(JSON.stringify(message));

for await (const line of createInterface({ input: process.stdin })) {
  const { type, legal, ply } = JSON.parse(line) as { type: string; legal: string[]; ply: number };
  if (type === "hello") send({ type: "hello", protocol: 1, name: "random-typescript" });
  if (type === "start") send({ type: "ready" });
  if (type === "turn") {
    send({ type: "move", move: legal[Math.floor(Math.random() * legal.length)], ply });
  }
  if (type === "quit") break;
}
