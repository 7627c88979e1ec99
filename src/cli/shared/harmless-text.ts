/** Characters that turn the direction of a text, so that a line reads as it does not stand. */
export const TURNING = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'

const NOT_IN_LINE = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}${TURNING}]+`, 'gu')
export const NOT_IN_LINES = new RegExp(`(?![\\t\\n])[\\p{Cc}\\p{Zl}\\p{Zp}${TURNING}]`, 'gu')

/** Text of other systems, on one line: it moves no cursor of a terminal, and turns no text around. */
export function oneLine(text: string): string {
  return text.replace(NOT_IN_LINE, ' ')
}

/** The same with its own lines and tabs. */
export function ownLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(NOT_IN_LINES, '\ufffd')
}
