import { grouped } from '../shared/progress.ts'

/** Tells a person how many items have come; how many there will be, nobody knows. */
export interface RowCounter extends Disposable {
  show(count: number): void
}

/** A line that moves on a terminal; a line every few seconds elsewhere (a log). `isQuiet`: the terminal is needed for rows. */
export function createRowCounter(
  screen: { isTTY?: boolean; write(text: string): unknown },
  isQuiet: boolean,
  now: () => number = Date.now,
): RowCounter {
  const moving = screen.isTTY === true
  const begun = now()
  let shown = begun
  let drawn = false
  return {
    show(count) {
      const at = now()
      if (isQuiet || at - shown < (moving ? REDRAW : LINE)) return
      shown = at
      const text = rowText(count, at - begun)
      screen.write(moving ? `\r${text}\u001b[K` : `${text}\n`)
      drawn = moving
    },
    [Symbol.dispose]() {
      if (drawn) screen.write('\r\u001b[K')
    },
  }
}

const REDRAW = 100
const LINE = 5_000

/** `elapsed`: milliseconds. Pure. */
function rowText(count: number, elapsed: number): string {
  return `exporting  ${grouped(count)} items, ${grouped(rateOf(count, elapsed))}/s  ${Math.round(elapsed / 1_000)} s`
}

export function rateOf(count: number, elapsed: number): number {
  return elapsed > 0 ? Math.round((count * 1_000) / elapsed) : 0
}
