import { test } from 'vitest'
import { untilDone } from '../late-door.ts'
import { doEverything, openLateStore, WRITES } from './late-effects.ts'

const REAL = {
  now: Date.now,
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

const cases = Object.entries(WRITES).flatMap(([what, line]) =>
  [1, 8, 45, 100, 120].map((seconds) => ({ what, line, seconds })),
)

test.concurrent.each(cases)(
  'a shop that is late with $what ($seconds s) does nothing twice, in real seconds',
  async ({ line, seconds }) => {
    await using late = await openLateStore(REAL, { timeout: '2s', inDoubtFor: '3m' })
    late.door.late(line, seconds * 1_000)
    const { expectOnce } = await doEverything(late)
    await untilDone(late.storage.hub, [late.door], REAL, {
      within: 30 * 60_000,
      settled: late.storage.platform.settled,
    })
    expectOnce()
  },
  40 * 60_000,
)
