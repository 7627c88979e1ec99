import { readXml, type XmlElement } from './xml.ts'

/** One line of a receipt as the till's printer has it. */
export interface PrintLine {
  /** `space`: nothing; `rule`: a line across; `strong`: larger or bold. */
  look: 'plain' | 'strong' | 'rule' | 'space'
  align: 'left' | 'center' | 'right'
  value: string
}

const MOST_LINES = 4_000

/**
 * The print lines of `receiptFormatted`: "an XML document of print lines, each with a type and a value" (spec, "Sale
 * payload"). The names of its elements are not shown, so what has a type and a value is a line, be they attributes, elements
 * or its text. Null where there is none to be read.
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
  // A line of several parts, such as a left and a right one.
  if (type !== null && inside.length === 0) return [{ type, value: leavesOf(element).join('  ') }]
  return inside
}

/** An attribute or a child by its name. */
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

/** How a line looks, by what its type is called. Null: what paper does not show, or a picture. */
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
