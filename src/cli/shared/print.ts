import { NOT_IN_LINES, ownLines, TURNING } from './harmless-text.ts'

/** Our own style, bold and three colours, is left alone. */
const NOT_OURS = new RegExp(`(?!\\u001b\\[(?:1|22|31|32|33|39)m)${NOT_IN_LINES.source}`, 'gu')
const NOT_IN_JSON = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${TURNING}]`, 'gu')

/** Prints the JSON that programs read, or the text that people read. */
export function show(json: boolean | undefined, value: unknown, text: () => string): void {
  // The last net: whoever puts a text together takes strangers' words by oneLine or ownLines.
  console.log(json ? terminalJson(value) : text().replace(NOT_OURS, '\ufffd'))
}

/** Prints a line or several. */
export function say(text: string): void {
  console.log(ownLines(text))
}

/** Prints what is wrong, where errors go. */
export function complain(text: string): void {
  console.error(ownLines(text))
}

/** Prints JSON on a line of its own, as one of many. */
export function showLine(value: unknown): void {
  console.log(terminalJson(value, 0))
}

/** JSON that a terminal shows as it is: what would steer it is escaped, and means the same. */
function terminalJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(
    NOT_IN_JSON,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
