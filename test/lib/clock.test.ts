import { expect, test } from 'vitest'
import { byClock, pastByOwnClock, systemClock } from '../../src/lib/clock.ts'

test('When hubs agree on another clock than this machine’s, then an instant that was counted here is moved to it', () => {
  const tenMinutesBehind = { ...systemClock, now: () => 1_000_000, own: () => 400_000 }
  expect(byClock(tenMinutesBehind, 405_000)).toBe(1_005_000)
})

test('When there is no other clock, then an instant stays as it is', () => {
  expect(byClock({ ...systemClock, now: () => 1_000_000 }, 5)).toBe(5)
})

test('when the machine is ten minutes behind, then what was by its clock ten minutes earlier was', () => {
  const tenMinutesBehind = { ...systemClock, now: () => 1_000_000, own: () => 400_000 }
  expect(pastByOwnClock(tenMinutesBehind, 990_000)).toBe(390_000)
})

test('when a clock was put back, then what was before is not later than now', () => {
  expect(pastByOwnClock({ ...systemClock, now: () => 1_000 }, 5_000)).toBe(1_000)
  expect(pastByOwnClock({ ...systemClock, now: () => 1_000, own: () => 400 }, 5_000)).toBe(400)
})
