/** One piece of an XML document; `end` is where the next one begins. */
export type Piece = { end: number } & (
  | { type: 'text'; text: string }
  | { type: 'characters'; text: string }
  | { type: 'opening'; name: string; rest: string }
  | { type: 'closing'; name: string }
  | { type: 'aside' }
)

const NAME_END = /[\s<>/!?"']/g
const NOT_SPACE = /\S/g
const IN_A_TAG = /["'<>]/g

/**
 * The piece that begins at `at`; null where none is whole. It only ever looks forward, and what it has looked at is part
 * of the piece, or there is no next one: a document is read in one walk, whatever is written in it.
 */
export function pieceAt(document: string, at: number): Piece | null {
  if (document[at] !== '<') {
    const end = indexOr(document.indexOf('<', at), document.length)
    return { type: 'text', text: document.slice(at, end), end }
  }
  if (document.startsWith('<!--', at)) return aside(document.indexOf('-->', at + 4), 3)
  if (document.startsWith('<?', at)) return aside(document.indexOf('?>', at + 2), 2)
  if (document.startsWith('<![CDATA[', at)) {
    const end = document.indexOf(']]>', at + 9)
    return end < 0 ? null : { type: 'characters', text: document.slice(at + 9, end), end: end + 3 }
  }
  return document.startsWith('</', at) ? closing(document, at + 2) : opening(document, at + 1)
}

function aside(found: number, length: number): Piece | null {
  return found < 0 ? null : { type: 'aside', end: found + length }
}

function closing(document: string, at: number): Piece | null {
  const nameEnd = next(NAME_END, document, at)
  const end = next(NOT_SPACE, document, nameEnd)
  if (nameEnd === at || document[end] !== '>') return null
  return { type: 'closing', name: document.slice(at, nameEnd), end: end + 1 }
}

function opening(document: string, at: number): Piece | null {
  const nameEnd = next(NAME_END, document, at)
  const end = tagEnd(document, nameEnd)
  if (nameEnd === at || end === null) return null
  return { type: 'opening', name: document.slice(at, nameEnd), rest: document.slice(nameEnd, end), end: end + 1 }
}

/** Where the bracket stands that ends the tag: not the one within the value of an attribute, and no value has another `<`. */
function tagEnd(document: string, from: number): number | null {
  let at = next(IN_A_TAG, document, from)
  while (document[at] === '"' || document[at] === "'") {
    const quote = document.indexOf(document[at] ?? '', at + 1)
    if (quote < 0 || document.slice(at, quote).includes('<')) return null
    at = next(IN_A_TAG, document, quote + 1)
  }
  return document[at] === '>' ? at : null
}

/** Where the next of such characters stands; the end where there is none. */
function next(wanted: RegExp, document: string, from: number): number {
  wanted.lastIndex = from
  return indexOr(wanted.exec(document)?.index ?? -1, document.length)
}

function indexOr(index: number, end: number): number {
  return index < 0 ? end : index
}
