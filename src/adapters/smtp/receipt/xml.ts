import { pieceAt } from './xml-pieces.ts'

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
