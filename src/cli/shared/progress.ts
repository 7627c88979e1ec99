import { ownLines } from './output.ts'

/** How far a push, a copy or an act has come. */
export interface Step {
  /** `taking`: all is sent, and the hub has not answered yet. */
  doing: 'reading' | 'sending' | 'taking' | 'delivering' | 'copying' | 'verifying' | 'changing' | 'planning' | 'running'
  done: number
  /** Null: nobody has counted. */
  of: number | null
  /** The unit that is counted. */
  unit: 'bytes' | 'items'
}

/** Tells a person how far it has come. */
export interface Progress {
  show(step: Step): void
  /** Shows the last step once more: time passes. */
  tick(): void
  /** Prints a line that stays. */
  say(line: string): void
  /** Takes the moving line away. */
  clear(): void
}

/** The screen that progress is written to: stderr. */
interface Screen {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/** A bar that moves on a terminal; a line every few seconds elsewhere (a log). */
export function createProgress(screen: Screen, now: () => number = Date.now): Progress {
  const moving = screen.isTTY === true
  let last: Step | null = null
  let since = 0
  let shown = 0
  let drawn = false

  function clear(): void {
    if (drawn) screen.write('\r\u001b[K')
    drawn = false
  }

  function show(step: Step): void {
    const at = now()
    if (step.doing !== last?.doing) {
      since = at
      shown = moving ? 0 : at
    }
    last = step
    if (at - shown < (moving ? REDRAW : LINE)) return
    shown = at
    const text = stepText(step, at - since, moving)
    if (moving) screen.write(`\r${text.slice(0, (screen.columns || 80) - 1)}\u001b[K`)
    else screen.write(`${text}\n`)
    drawn = moving
  }

  return {
    show,
    tick() {
      if (last) show(last)
    },
    say(line) {
      clear()
      screen.write(`${ownLines(line)}\n`)
    },
    clear() {
      clear()
      last = null
    },
  }
}

const REDRAW = 100
const LINE = 5_000

/** A step in words; `elapsed`: milliseconds since it began. Pure. */
export function stepText({ doing, done, of, unit }: Step, elapsed: number, bar: boolean): string {
  if (doing === 'running') return `${doing.padEnd(10)} ${duration(elapsed / 1_000)}`
  if (of === null) return `${doing.padEnd(10)} ${grouped(done)} so far  ${duration(elapsed / 1_000)}`
  if (doing === 'taking')
    return `${doing.padEnd(10)} all ${grouped(of)} are sent, the hub is taking them  ${duration(elapsed / 1_000)}`
  const part = of > 0 ? Math.min(1, done / of) : 0
  const rate = elapsed > 0 ? (done * 1_000) / elapsed : 0
  const left = rate > 0 && elapsed > 2_000 ? [`${duration((of - done) / rate)} left`] : []
  const filled = Math.round(part * BAR)
  const counted =
    unit === 'bytes'
      ? `${mb(done)} of ${mb(of)} MB`
      : `${grouped(done)} of ${grouped(of)}, ${grouped(Math.round(rate))}/s`
  const head = `${doing.padEnd(10)} ${bar ? `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ` : ''}${`${Math.floor(part * 100)} %`.padStart(5)}`
  return [head, counted, ...left].join('  ')
}

const BAR = 24

/** 1234567 as `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`
}
