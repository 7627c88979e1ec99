import { setTimeout as wait } from 'node:timers/promises'
import type { StoreReading } from '../../store/reading/open-reading.ts'

/** How often it is looked, and after how long without any change nothing more is expected (milliseconds). */
const LOOK = 200
const STILL = 30_000

/**
 * Waits until nothing is waiting in a store any more. Gives up after `patience`, or where nothing has changed for long: what
 * waits then waits for something that a rehearsal does not bring. How long it took (milliseconds); null: it was not reached.
 */
export async function drained(
  reading: Pick<StoreReading, 'status'>,
  { patience, signal, progress }: { patience: number; signal: AbortSignal; progress(left: number): void },
): Promise<number | null> {
  const begun = performance.now()
  let [before, changed] = [Number.NaN, begun]
  while (true) {
    signal.throwIfAborted()
    const { destinations } = await reading.status()
    const left = destinations.reduce((sum, { waiting }) => sum + waiting, 0)
    const now = performance.now()
    if (left === 0) return now - begun
    progress(left)
    if (left !== before) [before, changed] = [left, now]
    if (now - changed > STILL || now - begun > patience) return null
    await wait(LOOK)
  }
}
