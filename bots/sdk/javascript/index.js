/**
 * Bots for `referee`: subclass `Bot`, implement `choose(turn)`, call `run()`.
 * @module
 */

export { Bot, RESIGN, Turn, VERSION } from "./src/bot.js";
export { Model, ModelError } from "./src/model.js";
