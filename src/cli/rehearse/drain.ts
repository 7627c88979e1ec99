import { setTimeout as wait } from 'node:timers/promises'
import { isLater } from '../../hub/rehearsal/witness.ts'
import type { StoreReading } from '../../store/reading/open-reading.ts'

/**
 * How often it is looked, and after how long without any change nothing more is expected (milliseconds): a destination is asked for
 * an effect that nobody knows of when it must have landed, and again a minute later.
 */
const LOOK = 200
const STILL = 180_000

/**
 * Waits until nothing is waiting in a store any more. Gives up after `patience`, or where nothing has changed for long: what
 * waits then waits for something that a rehearsal does not bring. How long it took (milliseconds); null: it was not reached.
 */
export async function drained(
  reading: Pick<StoreReading, 'status' | 'deliveries'>,
  { patience, signal, progress }: { patience: number; signal: AbortSignal; progress(left: number): void },
): Promise<number | null> {
  const begun = performance.now()
  let [before, changed, asked] = [Number.NaN, begun, begun]
  while (true) {
    signal.throwIfAborted()
    const { destinations } = await reading.status()
    const left = destinations.reduce((sum, { waiting }) => sum + waiting, 0)
    const now = performance.now()
    if (left === 0) return now - begun
    progress(left)
    if (left !== before) [before, changed, asked] = [left, now, now]
    if (now - asked > ASK) {
      asked = now
      if (await allLater(reading)) return changed - begun
    }
    if (now - changed > STILL || now - begun > patience) return null
    await wait(LOOK)
  }
}

/** Where nothing has changed for so long, it is asked for what all that waits is waiting (milliseconds). */
const ASK = 2_000

const PAGE = 500

/** Whether all that waits does so for the close of a day. */
async function allLater(reading: Pick<StoreReading, 'deliveries'>): Promise<boolean> {
  const now = Date.now()
  for (let before: number | undefined; ; ) {
    const page = await reading.deliveries({ state: 'waiting', limit: PAGE, ...(before !== undefined && { before }) })
    if (!page.every((row) => isLater(row, now))) return false
    if (page.length < PAGE) return true
    before = page.at(-1)?.id
  }
}
