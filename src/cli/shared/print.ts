import { styleText } from 'node:util'

/** A cell: text, a number, nothing. */
type Cell = string | number | null | undefined

/** Rows as a table for a terminal; a line that says so where there are none. */
export function table(head: string[], rows: Cell[][], none: string): string {
  if (rows.length === 0) return none
  const cells = rows.map((row) => row.map((cell) => (cell === null || cell === undefined ? '' : oneLine(String(cell)))))
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => (row[column] ?? '').length)))
  const numeric = head.map((_, column) => rows.every((row) => typeof row[column] === 'number'))
  const line = (row: string[]) =>
    row
      .map((cell, column) => (numeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return [styleText('bold', line(head)), ...cells.map(line)].join('\n')
}

/** Characters that turn the direction of a text, so that a line reads as it does not stand. */
export const TURNING = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'

const NOT_IN_LINE = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}${TURNING}]+`, 'gu')
export const NOT_IN_LINES = new RegExp(`(?![\\t\\n])[\\p{Cc}\\p{Zl}\\p{Zp}${TURNING}]`, 'gu')
/** Our own style, bold and three colours, is left alone. */
const NOT_OURS = new RegExp(`(?!\\u001b\\[(?:1|22|31|32|33|39)m)${NOT_IN_LINES.source}`, 'gu')
const NOT_IN_JSON = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${TURNING}]`, 'gu')

/** Text of other systems, on one line: it moves no cursor of a terminal, and turns no text around. */
export function oneLine(text: string): string {
  return text.replace(NOT_IN_LINE, ' ')
}

/** The same with its own lines and tabs. */
export function ownLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(NOT_IN_LINES, '\ufffd')
}

/**
 * An instant as people at the terminal read it: by their own clock (TZ), to the second, with how far that is from UTC, since
 * the till, a mailbox and the hub's log may each go by another one. `--since` takes it as it is printed.
 */
export function when(instant: number | null): string {
  if (instant === null) return ''
  const date = new Date(instant)
  return `${date.toLocaleString('sv-SE')}${offsetOf(date)}`
}

/** The day of an instant, by the same clock. */
export function dayOf(instant: number): string {
  return when(instant).slice(0, 'yyyy-mm-dd'.length)
}

/** `+01:00`: that of the date itself, in summer another one than in winter. */
function offsetOf(date: Date): string {
  const minutes = -date.getTimezoneOffset()
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${[hours, rest].map((part) => String(part).padStart(2, '0')).join(':')}`
}

/** How long ago: `42 s`, `12 min`, `3 h`, `5 d`. */
export function ago(instant: number | null, now = Date.now()): string {
  if (instant === null) return ''
  const seconds = Math.max(0, Math.round((now - instant) / 1_000))
  if (seconds < 90) return `${seconds} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

/** How long until then: `in 42 s`, `now`. */
export function inSoLong(instant: number, now = Date.now()): string {
  return instant <= now ? 'now' : `in ${ago(now, instant)}`
}

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

/** JSON that a terminal shows as it is: what would steer it is escaped, and means the same. */
function terminalJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    NOT_IN_JSON,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
