import { ownLines } from './output.ts'

export interface Step {
  /** `taking`: all is sent, and the hub has not answered yet. */
  doing: 'reading' | 'sending' | 'taking' | 'delivering' | 'copying' | 'verifying' | 'changing' | 'planning' | 'running'
  done: number
  of: number | null
  unit: 'bytes' | 'items'
}

export interface Progress {
  show(step: Step): void
  tick(): void
  say(line: string): void
  clear(): void
}

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

export function stepText({ doing, done, of, unit }: Step, elapsed: number, bar: boolean): string {
  const [head, time] = [doing.padEnd(10), duration(elapsed / 1_000)]
  if (doing === 'running') return `${head} ${time}`
  if (of === null) return `${head} ${grouped(done)} so far  ${time}`
  if (doing === 'taking') return `${head} all ${grouped(of)} are sent, the hub is taking them  ${time}`
  const part = of > 0 ? Math.min(1, done / of) : 0
  const filled = Math.round(part * BAR)
  const drawn = bar ? `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ` : ''
  const counted = unit === 'bytes' ? `${mb(done)} of ${mb(of)} MB` : `${grouped(done)} of ${grouped(of)}`
  return `${head} ${drawn}${`${Math.floor(part * 100)} %`.padStart(5)}  ${counted}  ${time}`
}

const BAR = 24

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
