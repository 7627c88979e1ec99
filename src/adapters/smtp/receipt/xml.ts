const NAME_END = /[\s<>/!?"']/g

const NOT_SPACE = /\S/g

const IN_A_TAG = /["'<>]/g

/** An element of an XML document, without its namespace. */
export interface XmlElement {
  name: string
  /** By name in lower case. */
  attributes: ReadonlyMap<string, string>
  children: XmlElement[]
  /** The text that stands in it directly. */
  text: string
}

const LONGEST = 512 * 1024
const DEEPEST = 40
const MOST_ELEMENTS = 20_000

// A name that lacks its value is passed over as a whole: no step is ever made twice, however hostile the text.
const ATTRIBUTE = /([^\s=/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/**
 * Reads the XML of somebody else; null where it is none, not whole, or beyond measure. There is no way to define or load
 * anything with it: a document with a DOCTYPE is refused, and an entity that XML itself does not have stays as it is written.
 */
export function readXml(source: string): XmlElement | null {
  if (source.length > LONGEST) return null
  const root = element('', '')
  const open = [root]
  let elements = 0
  const document = source.replace(/^\uFEFF/, '')
  for (let at = 0; at < document.length; ) {
    const piece = pieceAt(document, at)
    const inner = open.at(-1)
    if (!inner || !piece) return null
    if (piece.type === 'opening') {
      const child = element(piece.name, piece.rest)
      inner.children.push(child)
      if (!piece.rest.endsWith('/')) open.push(child)
      elements += 1
      if (elements > MOST_ELEMENTS || open.length > DEEPEST) return null
    } else if (piece.type === 'closing') {
      if (open.length === 1 || inner.name !== localName(piece.name)) return null
      open.pop()
    } else if (piece.type === 'characters') inner.text += piece.text
    else if (piece.type === 'text') inner.text += decode(piece.text)
    at = piece.end
  }
  const [top, ...others] = root.children
  return open.length === 1 && top && others.length === 0 && root.text.trim() === '' ? top : null
}

function element(name: string, written: string): XmlElement {
  const found = [...written.matchAll(ATTRIBUTE)]
  const attributes = found.map(([, key = '', double, single]): [string, string] => {
    return [localName(key).toLowerCase(), decode(double ?? single ?? '')]
  })
  return { name: localName(name), attributes: new Map(attributes), children: [], text: '' }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));/gi, (whole, decimal, hex, named) => {
    if (named) return ENTITIES[named.toLowerCase()] ?? whole
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff) ? '\uFFFD' : String.fromCodePoint(code)
  })
}

/** One piece of an XML document; `end` is where the next one begins. */
type Piece = { end: number } & (
  | { type: 'text'; text: string }
  | { type: 'characters'; text: string }
  | { type: 'opening'; name: string; rest: string }
  | { type: 'closing'; name: string }
  | { type: 'aside' }
)

/**
 * The piece that begins at `at`; null where none is whole. It only ever looks forward, and what it has looked at is part
 * of the piece, or there is no next one: a document is read in one walk, whatever is written in it.
 */
function pieceAt(document: string, at: number): Piece | null {
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
