// The rules of a game in words.

/** Elements that a guide may have; all others are left out, and so are all attributes. */
const GUIDE_ELEMENTS = new Set(['P', 'H1', 'H2', 'H3', 'H4', 'UL', 'OL', 'LI', 'CODE', 'PRE', 'EM', 'STRONG', 'TABLE', 'THEAD', 'TBODY', 'TR', 'TH', 'TD', 'BLOCKQUOTE', 'SPAN', 'DIV', 'SECTION']);

/** The rules reduced to text and its structure.
 * @param {string} html @returns {Node[]} */
export function safeGuide(html) {
  const copy = (/** @type {Node} */ node) => {
    if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.textContent ?? '');
    const isKept = node instanceof Element && GUIDE_ELEMENTS.has(node.tagName);
    if (!(node instanceof Element) || node.tagName === 'SCRIPT' || node.tagName === 'STYLE') return document.createTextNode('');
    const result = isKept ? document.createElement(node.tagName) : document.createDocumentFragment();
    for (const child of node.childNodes) result.append(copy(child));
    return result;
  };
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  return [...parsed.body.childNodes].map(copy);
}
