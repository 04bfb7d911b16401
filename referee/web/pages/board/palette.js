// Styles of seats: a colour and an outline for each. A role that is named after a colour or a shape
// gets that one. Seats never differ by colour alone.

const COLOURS = ['amber', 'blue', 'green', 'rose'];
const OUTLINES = ['circle', 'square', 'diamond', 'triangle'];

/** @type {Record<string, string>} */
const NAMED_COLOURS = {
  white: 'white', light: 'white', black: 'black', dark: 'black', red: 'rose', blue: 'blue', green: 'green',
  yellow: 'amber', amber: 'amber', gold: 'amber', orange: 'amber', pink: 'rose',
};

/** @param {string[]} roles @param {number} seat @param {string[]} palette @param {(role: string) => string | undefined} named */
function lookOf(roles, seat, palette, named) {
  const names = roles.map((role) => named(role.toLowerCase()));
  const areDistinct = names.every((name, at) => name !== undefined && names.indexOf(name) === at);
  return (areDistinct ? names[seat] : undefined) ?? palette[seat % palette.length];
}

/** @param {string[]} roles @param {number} seat */
export function colourOf(roles, seat) {
  return lookOf(roles, seat, COLOURS, (role) => NAMED_COLOURS[role]);
}

/** @param {string[]} roles @param {number} seat */
export function outlineOf(roles, seat) {
  return lookOf(roles, seat, OUTLINES, (role) => (OUTLINES.includes(role) ? role : undefined));
}
