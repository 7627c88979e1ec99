import { open, rm } from 'node:fs/promises'
import { styleText } from 'node:util'
import type { HealthItem } from '../../domain/health/health.ts'
import { UserError } from '../../domain/values/errors.ts'

/** Bidirectional controls. */
export const TURNING = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const NOT_IN_LINE = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}${TURNING}]+`, 'gu')
export const NOT_IN_LINES = new RegExp(`(?![\\t\\n])[\\p{Cc}\\p{Zl}\\p{Zp}${TURNING}]`, 'gu')
const NOT_OURS = new RegExp(`(?!\\u001b\\[(?:1|22|31|32|33|39)m)${NOT_IN_LINES.source}`, 'gu')
const NOT_IN_JSON = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${TURNING}]`, 'gu')

/** On one line, without control characters. */
export function oneLine(text: string): string {
  return text.replace(NOT_IN_LINE, ' ')
}

/** Keeps lines and tabs. */
export function ownLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(NOT_IN_LINES, '\ufffd')
}

export function show(json: boolean | undefined, value: unknown, text: () => string): void {
  console.log(json ? terminalJson(value) : text().replace(NOT_OURS, '\ufffd'))
}

export function say(text: string): void {
  console.log(ownLines(text))
}

export function printError(text: string): void {
  console.error(ownLines(text))
}

export function showLine(value: unknown): void {
  console.log(terminalJson(value, 0))
}

/** Control characters are escaped. */
function terminalJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(
    NOT_IN_JSON,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

type Cell = string | number | null | undefined

/** By column head: a field of the row, or a function of it. */
export type Columns<Row> = Readonly<
  Record<string, { [Name in keyof Row]: Row[Name] extends Cell ? Name : never }[keyof Row] | ((row: Row) => Cell)>
>

export function tableOf<Row>(columns: Columns<Row>, rows: readonly Row[], none: string): string {
  return table(Object.keys(columns), cellsOf(columns, rows), none)
}

export function cellsOf<Row>(columns: Columns<Row>, rows: readonly Row[]): Cell[][] {
  const cells = Object.values(columns)
  return rows.map((row) => cells.map((cell) => (typeof cell === 'function' ? cell(row) : (row[cell] as Cell))))
}

export function table(head: string[], rows: Cell[][], none: string): string {
  if (rows.length === 0) return none
  const cells = rows.map((row) => row.map((cell) => oneLine(String(cell ?? ''))))
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const numeric = head.map((_, column) => rows.every((row) => typeof row[column] === 'number'))
  const padded = (cell: string, column: number) =>
    numeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  const line = (row: string[]) => row.map(padded).join('  ').trimEnd()
  return [styleText('bold', line(head)), ...cells.map(line)].join('\n')
}

/** In this machine's zone, with offset; `--since` takes it as printed. */
export function when(instant: number | null): string {
  if (instant === null) return ''
  const date = new Date(instant)
  const minutes = -date.getTimezoneOffset()
  const parts = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const offset = parts.map((part) => String(part).padStart(2, '0')).join(':')
  return `${date.toLocaleString('sv-SE')}${minutes < 0 ? '-' : '+'}${offset}`
}

export function dayOf(instant: number): string {
  return when(instant).slice(0, 'yyyy-mm-dd'.length)
}

/** `42 s`, `12 min`, `3 h`, `5 d`. */
export function ago(instant: number | null, now = Date.now()): string {
  if (instant === null) return ''
  const seconds = Math.max(0, Math.round((now - instant) / 1_000))
  if (seconds < 90) return `${seconds} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

export function inSoLong(instant: number, now = Date.now()): string {
  return instant <= now ? 'now' : `in ${ago(now, instant)}`
}

const STATE_STYLES = { problem: 'red', unknown: 'red', note: 'yellow', ok: 'green' } as const

export function stateWord(state: HealthItem['state']): string {
  return styleText(STATE_STYLES[state], state.padEnd('problem'.length))
}

export interface Step {
  /** `taking`: all is sent, the answer is pending. */
  doing: 'sending' | 'taking' | 'delivering' | 'copying' | 'changing' | 'planning' | 'reading' | 'running'
  done: number
  /** Null: not known. */
  of: number | null
}

/** (ms) */
const REDRAW = 100
const LINE = 5_000

/** Redraws one line on a terminal; prints a line every few seconds elsewhere. */
export function createProgress(screen: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>) {
  let doing: Step['doing'] | null = null
  let since = 0
  let shownAt = 0
  let isDrawn = false

  function clear(): void {
    if (isDrawn) screen.write('\r\u001b[K')
    isDrawn = false
  }

  return {
    show(step: Step): void {
      const now = Date.now()
      if (step.doing !== doing) {
        since = now
        shownAt = screen.isTTY ? 0 : now
      }
      doing = step.doing
      if (now - shownAt < (screen.isTTY ? REDRAW : LINE)) return
      shownAt = now
      const text = stepText(step, now - since)
      isDrawn = screen.isTTY
      screen.write(isDrawn ? `\r${text.slice(0, (screen.columns || 80) - 1)}\u001b[K` : `${text}\n`)
    },
    say(line: string): void {
      clear()
      screen.write(`${ownLines(line)}\n`)
    },
    clear,
  }
}

export function stepText({ doing, done, of }: Step, elapsed: number): string {
  const time = `${Math.round(elapsed / 1_000)} s`
  if (doing === 'running') return `${doing}  ${time}`
  if (doing === 'taking') return `all ${grouped(done)} are sent, the hub is taking them  ${time}`
  const share = of ? ` of ${grouped(of)} (${Math.floor((done / of) * 100)} %)` : ' so far'
  return `${doing}  ${grouped(done)}${share}  ${time}`
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

/** Deleted when disposed, unless written. */
export interface NewFile extends AsyncDisposable {
  /** Writes and syncs. Throws a UserError. */
  write(text: string): Promise<void>
}

/** Never overwrites. Throws a UserError. */
export async function createNewFile(path: string, mode = 0o600): Promise<NewFile> {
  const file = await inWords(path, open(path, 'wx', mode))
  let isWritten = false
  return {
    async write(text) {
      await inWords(path, file.writeFile(text))
      await inWords(path, file.sync())
      isWritten = true
    },
    async [Symbol.asyncDispose]() {
      await file.close()
      if (!isWritten) await rm(path, { force: true })
    },
  }
}

async function inWords<T>(path: string, operation: Promise<T>): Promise<T> {
  try {
    return await operation
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause
    const isThere = 'code' in cause && cause.code === 'EEXIST'
    throw new UserError(
      isThere
        ? `${path} is there already: name a file that is not.`
        : `${path} cannot be written (${cause.message}): name another file.`,
      { cause },
    )
  }
}
