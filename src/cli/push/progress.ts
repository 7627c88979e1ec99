import { ownLines } from '../shared/harmless-text.ts'
import { type Step, stepText } from './step-text.ts'

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
