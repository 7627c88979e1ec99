import { html, raw } from 'hono/html'
import type { Wording } from '../../wording/en.ts'
import type { ReceiptView } from './view.ts'

type Piece = { end: number } & (
  | { type: 'text'; text: string }
  | { type: 'characters'; text: string }
  | { type: 'opening'; name: string; rest: string }
  | { type: 'closing'; name: string }
  | { type: 'aside' }
)

const NAME_END = /[\s<>/!?"']/g
const NOT_SPACE = /\S/g
const IN_A_TAG = /["'<>]/g

/** The piece that begins at `at`. Only looks forward: a document is read in one pass. */
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

/** The bracket that ends the tag, outside of attribute values. */
function tagEnd(document: string, from: number): number | null {
  let at = next(IN_A_TAG, document, from)
  while (document[at] === '"' || document[at] === "'") {
    const quote = document.indexOf(document[at] ?? '', at + 1)
    if (quote < 0 || document.slice(at, quote).includes('<')) return null
    at = next(IN_A_TAG, document, quote + 1)
  }
  return document[at] === '>' ? at : null
}

function next(wanted: RegExp, document: string, from: number): number {
  wanted.lastIndex = from
  return indexOr(wanted.exec(document)?.index ?? -1, document.length)
}

function indexOr(index: number, end: number): number {
  return index < 0 ? end : index
}

export interface XmlElement {
  name: string
  attributes: ReadonlyMap<string, string>
  children: XmlElement[]
  text: string
}

const LONGEST = 512 * 1024
const DEEPEST = 40
const MOST_ELEMENTS = 20_000

// Linear, however hostile the text.
const ATTRIBUTE = /([^\s=/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Null where it is no XML, incomplete or too large. A DOCTYPE is refused; unknown entities stay as written. */
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

interface PrintLine {
  look: 'plain' | 'strong' | 'rule' | 'space'
  align: 'left' | 'center' | 'right'
  value: string
}

const MOST_LINES = 4_000

/**
 * "An XML document of print lines, each with a type and a value" (spec, "Sale payload"): its element names are not shown, so whatever has
 * a type and a value is a line.
 */
export function readPrintLines(formatted: string): PrintLine[] | null {
  const root = readXml(formatted.trim())
  const lines = root ? linesIn(root) : []
  const shown = lines.slice(0, MOST_LINES).flatMap(({ type, value }) => lineOf(type, value) ?? [])
  return shown.some(({ value }) => value.trim() !== '') ? shown : null
}

interface Typed {
  type: string
  value: string
}

function linesIn(element: XmlElement): Typed[] {
  const type = partOf(element, /^(line)?type$/i)
  const value = partOf(element, /^(line)?(value|text|content|data)$/i)
  const isLeaf = element.children.length === 0
  if (type !== null && (value !== null || isLeaf)) return [{ type, value: value ?? element.text }]
  const inside = element.children.flatMap(linesIn)
  // A line of several parts.
  if (type !== null && inside.length === 0) return [{ type, value: leavesOf(element).join('  ') }]
  return inside
}

function partOf({ attributes, children }: XmlElement, name: RegExp): string | null {
  for (const [key, value] of attributes) if (name.test(key)) return value
  return children.find((child) => child.children.length === 0 && name.test(child.name))?.text ?? null
}

function leavesOf({ children }: XmlElement): string[] {
  return children
    .filter(({ name }) => !/^(line)?type$/i.test(name))
    .flatMap((child) => (child.children.length > 0 ? leavesOf(child) : child.text.trim()))
    .filter((text) => text !== '')
}

/** Null: what paper does not show, or a picture. */
function lineOf(type: string, written: string): PrintLine | null {
  if (/image|logo|bitmap|picture|graphic/i.test(type)) return null
  const value = written
    .replace(/^[\r\n]+/, '')
    .trimEnd()
    .replace(/[^\P{C}\n\t]/gu, '')
  if (value === '') {
    if (/cut|drawer|pulse/i.test(type)) return null
    return { look: /rule|line|separat|divid|dash/i.test(type) ? 'rule' : 'space', align: 'left', value }
  }
  const look = /bold|head|title|strong|large|big|double|emph/i.test(type) ? 'strong' : 'plain'
  const align = /cent(er|re)|barcode|qr/i.test(type) ? 'center' : /right/i.test(type) ? 'right' : 'left'
  return { look, align, value }
}

const STYLE = `
body { margin: 0; padding: 24px 12px; background: #eef0f3; color: #1c2027; }
.paper { box-sizing: border-box; width: fit-content; min-width: min(100%, 320px); max-width: 100%; margin: 0 auto; padding: 24px;
  background: #fff; font: 1em/1.4 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
p { margin: 0; min-height: 1.4em; white-space: pre-wrap; overflow-wrap: anywhere; }
.strong { font-weight: 700; }
.center { text-align: center; }
.right { text-align: right; }
hr { margin: 0.7em 0; border: 0; border-top: 1px dashed #596170; }
.signature { max-width: 48ch; margin-top: 24px; font-size: max(9px, 0.8em); color: #596170; }
@media (max-width: 480px) { body { padding: 0; background: #fff; } .paper { padding: 16px; } }
@media (prefers-color-scheme: dark) {
  body { background: #101216; color: #e8eaee; }
  .paper { background: #1b1f26; }
  .signature { color: #a6aebb; }
  hr { border-color: #a6aebb; }
}
@media print { body, .paper { padding: 0; background: none; color: #000; } }
`

const MOST_COLUMNS = 56
const LETTER = 0.62

/** The receipt as the POS prints it: a page that loads and runs nothing. */
export async function printPage(lines: readonly PrintLine[], view: ReceiptView, words: Wording): Promise<string> {
  const { title, receiptNo, signature, keyVersion } = view
  const version = keyVersion && ` (${words.keyVersion} ${keyVersion})`
  const page = await html`<!doctype html>
<html lang="${words.locale}">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} ${receiptNo}</title>
<style>${raw(STYLE + fitting(lines))}</style>
</head>
<body>
<main class="paper">
<h1>${title} ${receiptNo}</h1>
${lines.map(printed)}
${signature && html`<p class="signature">${words.signature}${version}: ${signature}</p>`}
</main>
</body>
</html>
`
  return page.toString()
}

function fitting(lines: readonly PrintLine[]): string {
  const columns = Math.min(Math.max(...lines.map(({ value }) => value.length), 24), MOST_COLUMNS)
  return `body { font-size: clamp(9px, calc((100vw - 40px) / ${Math.ceil(columns * LETTER)}), 14px); }\n`
}

function printed({ look, align, value }: PrintLine) {
  if (look === 'rule') return html`<hr>\n`
  return html`<p class="${look} ${align}">${value}</p>\n`
}
