import { now } from './clock.ts'

/** How often a process looks whether it runs; a pause is what goes beyond it by more than the second (milliseconds). */
const TICK_MS = 1
const WORTH_KEEPING_MS = 5

/** When nothing ran in this process: what it measures of others meanwhile is its own, or the machine's. */
export interface Pauses {
  /** The longest part of a pause that lies between the two (milliseconds). */
  longestBetween(from: number, to: number): number
  end(): void
}

export function watchPauses(): Pauses {
  const pauses: { from: number; to: number }[] = []
  let last = now()
  const tick = setInterval(() => {
    const time = now()
    if (time - last > TICK_MS + WORTH_KEEPING_MS) pauses.push({ from: last, to: time })
    last = time
  }, TICK_MS)
  return {
    longestBetween: (from, to) =>
      pauses.reduce((most, pause) => Math.max(most, Math.min(to, pause.to) - Math.max(from, pause.from)), 0),
    end: () => clearInterval(tick),
  }
}
