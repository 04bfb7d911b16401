// Types of the server's answers. The pages are plain JavaScript; `tsc` checks them against this.

export interface Cell {
  name: string;
  /** The centre's column, in half widths of a cell. */
  x: number;
  /** The row, counted from the bottom. */
  y: number;
  ground: 'open' | 'marked' | 'gone';
  label?: string | null;
}

export interface Piece {
  cell: string;
  kind: string;
  seat?: number | null;
  glyph: string;
  facing?: string | null;
}

/** A board with its pieces, as the rules describe it. */
export interface View {
  shape: 'square' | 'hex';
  cells: Cell[];
  pieces: Piece[];
  notes: string[];
}

/** The change from the previous view; a whole `View` may take its place. */
export interface ViewChange {
  /** Cells from which the piece is gone. */
  gone?: string[];
  /** Pieces that are new on their cells. */
  put?: Piece[];
  /** All pieces, where several stand on a cell. */
  pieces?: Piece[];
  notes?: string[];
  /** Cells that changed, by their index in `View.cells`. */
  cells?: Record<string, Cell>;
}

export interface Standing {
  place: number;
  bot: string;
  /** The rating in words: a figure, an end, or `?`. */
  figure: string;
  elo: number | null;
  low: number | null;
  high: number | null;
  points: number;
  played: number;
  wins: number;
  draws: number;
  losses: number;
  faults: number;
}

export interface Sprt {
  llr: number;
  lower: number;
  upper: number;
  verdict: string | null;
  bots: string[];
  elo0: number;
  elo1: number;
}

export interface Pair {
  bots: (string | null)[];
  points: number[] | null;
  /** In a knockout, who went on. */
  winner?: string | null;
  third_place?: boolean;
}

export interface Round {
  round: number;
  pairs: Pair[];
}

export interface FaultLine {
  match: string;
  bot: string;
  code: string;
  text: string;
}

export interface Overview {
  name: string;
  folder: string;
  state: 'reading' | 'running' | 'stopped' | 'over' | 'empty';
  problem: string | null;
  played: number;
  scheduled: number | null;
  seconds_left: number | null;
  games: { label: string; title: string }[];
  standings: Standing[];
  /** Of the first bots in the standings, where there are very many. */
  crosstable: ({ points: number; played: number } | null)[][];
  sprt: Sprt | null;
  rounds: Round[] | null;
  format: string | null;
  /** The newest first. */
  faults: FaultLine[];
  /** Bots that did not play, and why. */
  left_out?: { bot: string; why: string }[];
  live: boolean;
}

export interface MatchRow {
  id: string;
  game: string;
  players: string[];
  scores: number[];
  outcome?: number[] | null;
  reason: string;
  plies: number;
  fault: string | null;
  started: string;
}

export interface MatchList {
  total: number;
  matches: MatchRow[];
}

export interface Info {
  value?: number | null;
  depth?: number | null;
  nodes?: number | null;
  pv?: string[] | null;
  text?: string | null;
  model?: string | null;
}

export interface Move {
  seat: number | null;
  text: string;
  ms?: number | null;
  clock_ms?: number | null;
  info?: Info | null;
  stderr?: string | null;
  ply: number;
  /** Later analyses by bots. */
  analysis?: Analysis[];
  /** Set for moves that no player made: `opening`, `forced` or `chance`. */
  by?: string | null;
}

export interface Analysis {
  bot: string;
  /** For the seat that is to move, from 0 to 1. */
  value?: number | null;
  line: string[];
  loss?: number | null;
}

/** The move that decided a match: the last one before the position after `ply` moves. */
export interface Decisive {
  ply: number;
  seat: number;
  why: 'fault' | 'analysis' | 'values';
  loss?: number | null;
}

export interface Player {
  name: string;
  seat: number;
}

/** A fault with its explanation. */
export interface Fault {
  seat: number;
  code: string;
  text: string;
  ply?: number;
  meaning?: string | null;
  advice?: string | null;
  /** The end of what the bot printed on stderr. */
  stderr?: string | null;
}

export interface Result {
  scores: number[];
  outcome?: number[];
  reason: string;
  text: string;
  faults?: Fault[];
}

export interface MatchData {
  id: string;
  game: { id: string; title: string; options?: unknown };
  roles: string[];
  players: Player[];
  started: string;
  conditions?: unknown;
  hidden: boolean;
  start: { text: string };
  /** True while the match runs. */
  live: boolean;
  /** `null` while the match runs. */
  result: Result | null;
  /** The points after each number of moves, if the rules know them before the end. */
  scores?: number[][];
  decisive?: Decisive;
  /** What best play leads to, after those numbers of moves for which it is proven. */
  proven?: Record<number, string>;
  /** One more than moves: the first one whole, then what changed. `null` if the rules draw no board. */
  views: [View, ...(View | ViewChange)[]] | null;
  to_move: number[][];
  moves: Move[];
  /** Why boards end before the match does. */
  problem?: string | null;
}

export interface PositionData {
  state: unknown;
  command: string;
  request: unknown;
  /** The principal variation reported with the move that led here, from the position before it. */
  pv: [View, ...(View | ViewChange)[]] | [] | null;
}

export interface ReportGrid {
  header: string[];
  /** The column with names, and how many columns say what a row is about. */
  names: number;
  keys: number;
  rows: string[][];
  links: string[];
}

/** One of these. In notes, names stand in backquotes. */
export interface ReportPart {
  heading?: string;
  note?: string;
  code?: string;
  fold?: { title: string; text: string };
  table?: ReportGrid;
}

export interface ReportPage {
  title: string;
  parts: ReportPart[];
  html?: string;
}

/** A running match. */
export interface Snapshot {
  match: string;
  game: string;
  title?: string;
  label: string;
  players: (string | Player)[];
  roles: string[];
  ply: number;
  to_move: number[] | number | null;
  view: View | null;
  last: string | null;
  clocks_ms: (number | null)[] | null;
  over: boolean;
}

/** A game that people play in the page, as one of them sees it. */
export interface PlayData {
  /** Later updates have a higher one. */
  version: number;
  /** The number of the match in this session. */
  number: number;
  game: { id: string; title: string; guide_html?: string | null };
  roles: string[];
  seat: number;
  players: (string | Player)[];
  ply: number;
  to_move: number[];
  view: View | null;
  last: { seat: number | null; text: string; ms?: number | null; info?: Info | null }[];
  legal: string[];
  clocks_ms: (number | null)[] | null;
  result: Result | null;
  can_undo: boolean;
  hidden: boolean;
  message: string | null;
}
