import { expect, test } from 'vitest'
import { byClock, systemClock } from '../../src/lib/clock.ts'

test('When hubs agree on another clock than this machine’s, then an instant that was counted here is moved to it', () => {
  const tenMinutesBehind = { ...systemClock, now: () => 1_000_000, own: () => 400_000 }
  expect(byClock(tenMinutesBehind, 405_000)).toBe(1_005_000)
})

test('When there is no other clock, then an instant stays as it is', () => {
  expect(byClock({ ...systemClock, now: () => 1_000_000 }, 5)).toBe(5)
})
