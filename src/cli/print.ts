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

/** What other systems wrote is shown, and moves no cursor of a terminal. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** An instant as people at the terminal read it: their own clock, to the second. */
export function when(instant: number | null): string {
  return instant === null ? '' : new Date(instant).toLocaleString('sv-SE')
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

/** Prints the JSON that programs read, or the text that people read. */
export function show(json: boolean | undefined, value: unknown, text: () => string): void {
  console.log(json ? JSON.stringify(value, null, 2) : text())
}
