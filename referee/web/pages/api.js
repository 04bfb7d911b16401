// The server: questions, answers and events. In an exported file, the answers are in the page itself; in
// a folder of pages, they are scripts beside it, as pages from disk may read nothing else.

const TOKEN = new URLSearchParams(location.search).get('token') ?? '';

/** @type {Record<string, any> | null} */
const STORED = storedAnswers();

function storedAnswers() {
  const data = document.getElementById('data');
  return data?.textContent ? JSON.parse(data.textContent) : null;
}

/** The file of each answer in a folder of pages.
 * @type {Record<string, string> | null} */
const FILES = /** @type {any} */ (globalThis).refereeFiles ?? null;

/** Answers that came from files.
 * @type {Map<string, any>} */
const TAKEN = new Map();
/** @type {any} */ (globalThis).refereeTakes = (/** @type {string} */ path, /** @type {any} */ data) => TAKEN.set(path, data);

/** True if this page is from a file, without a server. */
export function isFile() {
  return STORED !== null || FILES !== null;
}

/** @param {string} path */
export function isStored(path) {
  const from = STORED ?? FILES;
  return from !== null && Object.hasOwn(from, path);
}

/** @param {string} path @returns {Promise<any>} */
async function storedAnswer(path) {
  if (!isStored(path)) throw new Error('This file does not contain that.');
  if (STORED) return STORED[path];
  if (!TAKEN.has(path)) {
    await new Promise((done, failed) => {
      const script = document.createElement('script');
      script.src = `${document.documentElement.dataset.root ?? ''}${FILES?.[path]}`;
      script.onload = () => done(null);
      script.onerror = () => failed(new Error('A file of these pages is missing.'));
      document.head.append(script);
    });
  }
  return TAKEN.get(path);
}

/** @param {string} path @param {Record<string, string | number>} [parameters] @returns {Promise<any>} */
export async function ask(path, parameters = {}) {
  if (isFile()) return storedAnswer(path);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') query.set(name, String(value));
  }
  const search = query.toString();
  return answer(await fetch(search ? `${path}?${search}` : path, { headers: { 'X-Token': TOKEN } }));
}

/** Returns a function like `ask` of which only the newest request counts: an answer that arrives after a
 * newer request is `null`, as it is no longer wanted. */
export function askNewest() {
  let newest = 0;
  return async (/** @type {string} */ path, /** @type {Record<string, string | number>} */ parameters = {}) => {
    const number = (newest += 1);
    try {
      const answer = await ask(path, parameters);
      return number === newest ? answer : null;
    } catch (error) {
      if (number === newest) throw error;
      return null;
    }
  };
}

/** @param {string} path @param {unknown} [body] @returns {Promise<any>} */
export async function send(path, body = {}) {
  const headers = { 'Content-Type': 'application/json', 'X-Token': TOKEN };
  return answer(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

/** @param {Response} response */
async function answer(response) {
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  throw new Error(body?.error ?? `The server answered ${response.status}.`);
}

/** Listens to events until the returned function is called. `onReconnect` runs when the server is
 * back after an interruption, which may have lost events.
 * @param {string} path @param {Record<string, (data: any) => void>} handlers @param {() => void} [onReconnect] */
export function listen(path, handlers, onReconnect) {
  if (isFile()) return () => {};
  let isOver = false;
  let wasLost = false;
  let wait = 500;
  /** @type {EventSource} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const address = TOKEN ? `${path}?token=${encodeURIComponent(TOKEN)}` : path;
  const connect = () => {
    source = new EventSource(address);
    source.onopen = () => {
      wait = 500;
      showConnection('');
      if (wasLost) onReconnect?.();
      wasLost = false;
    };
    source.onerror = () => {
      source.close();
      if (isOver) return;
      wasLost = true;
      showConnection('Connection lost. Trying again…');
      timer = setTimeout(connect, wait);
      wait = Math.min(wait * 1.6, 5000);
    };
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
    }
  };
  connect();
  return () => {
    isOver = true;
    clearTimeout(timer);
    source.close();
    showConnection('');
  };
}

/** @param {string} text */
function showConnection(text) {
  const line = document.getElementById('connection');
  if (line && line.textContent !== text) line.textContent = text;
}
