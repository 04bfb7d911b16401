/** What the other files know about values: JSON in one order, texts for messages. */

/** Longer moves and values are cut in messages. */
const LONGEST_VALUE = 40;

/** JSON with the keys of all objects in order. */
export function canonical(value) {
  const sorted = (_key, inner) => {
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.keys(inner).sort().map((key) => [key, inner[key]]));
  };
  return JSON.stringify(value, sorted);
}

/** Whether a value is an object, and no list. */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names in a message, one after another. */
export function quoted(names) {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** A text for a message, of limited length. */
export function cut(value, longest = LONGEST_VALUE) {
  return value.length <= longest ? value : `${value.slice(0, longest)}…`;
}
