import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { watchEventLoop } from '../../src/lib/event-loop.ts'
import { eventually } from '../eventually.ts'
import { createTestLog } from '../queue/kit/parts.ts'

const STALL_MS = 200

/** Gives nobody else a turn for so long (milliseconds). */
function block(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('a stall is seen by the call during which it was, at its end and later, and the log says how long it was', async () => {
  const { logger, said } = createTestLog()
  using loop = watchEventLoop({ stallMs: STALL_MS, logger })
  // The histogram has begun to count.
  await pause(STALL_MS)
  const at = performance.now()
  block(2 * STALL_MS)
  expect(loop.hasStalledSince(at)).toBe(true)
  await eventually(() => expect(said.map(({ msg }) => msg)).toContain('event-loop.stalled'))
  expect(loop.hasStalledSince(at)).toBe(true)
  expect(said[0]?.ms).toBeGreaterThanOrEqual(2 * STALL_MS)
  expect(loop.hasStalledSince(performance.now())).toBe(false)
  expect(loop.delay().maxMs).toBeGreaterThanOrEqual(STALL_MS)
})
