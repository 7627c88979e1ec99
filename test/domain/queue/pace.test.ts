import { describe, expect, test } from 'vitest'
import { createPace, type Pace } from '../../../src/domain/queue/queue-key.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

/**
 * What a destination got of a queue with ten slots in a minute: each call takes 50 ms, and `refuses` says which it does not
 * take. No clock but its own, no chance but what it is given.
 */
function minuteOf(refuses: (call: { nth: number; at: number }) => boolean, pace: Pace = createPace()) {
  let [nth, taken, lastTaken] = [0, 0, 0]
  let under: { ends: number; refused: boolean }[] = []
  for (let now = 0; now < MINUTE; now += 1) {
    for (const { refused } of under.filter(({ ends }) => ends === now)) {
      pace.follow(now, refused)
      if (!refused) taken += 1
      if (!refused && now >= MINUTE - 10 * SECOND) lastTaken += 1
    }
    under = under.filter(({ ends }) => ends > now)
    const room = Math.min(10 - under.length, pace.callsAt(now))
    pace.passed(room, now)
    for (let call = 0; call < room; call += 1) {
      under.push({ ends: now + 50, refused: refuses({ nth, at: now }) })
      nth += 1
    }
  }
  return { calls: nth, taken, pace, lastTaken }
}

/** A chance that is the same in every run. */
function chanceOf(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Takes so many calls a second, and refuses the others. */
function takes(perSecond: number) {
  let [room, last] = [perSecond, 0]
  return ({ at }: { at: number }) => {
    room = Math.min(perSecond, room + ((at - last) / SECOND) * perSecond)
    last = at
    if (room < 1) return true
    room -= 1
    return false
  }
}

describe('when a destination says that it gets too many calls, and not when it takes the next', () => {
  const without = minuteOf(() => false)

  test('of every twentieth only, then it gets as many calls as it gets without', () => {
    const some = minuteOf(({ nth }) => nth % 20 === 7)
    expect(without.calls).toBeGreaterThan(10_000)
    expect(some.calls / without.calls).toBeGreaterThan(0.99)
  })

  test('of five in a hundred by chance, then it still gets more than 85 % of the calls', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const chance = chanceOf(seed)
      expect(minuteOf(() => chance() < 0.05).calls / without.calls).toBeGreaterThan(0.85)
    }
  })

  test('beyond a rate, then it is called about as fast as it takes, and few calls are in vain', () => {
    for (const rate of [5, 20, 100]) {
      const { calls, taken } = minuteOf(takes(rate))
      expect(taken).toBeGreaterThan(0.9 * rate * 60)
      expect(calls - taken).toBeLessThan(0.5 * taken)
    }
  })

  test('of every call, then it is called every ten seconds, and not never', () => {
    const { calls, pace } = minuteOf(() => true)
    expect(pace.limit()).toBeCloseTo(0.1)
    expect(calls).toBeLessThan(without.calls / 100)
    expect(pace.opensAt(MINUTE) ?? MINUTE).toBeLessThanOrEqual(MINUTE + 10 * SECOND)
  })

  test('once in a quiet hour, then it is not slowed', () => {
    const pace = createPace()
    for (const [minute, refused] of [false, false, true, false, false].entries()) {
      pace.follow(minute * MINUTE, refused)
      pace.follow(minute * MINUTE + SECOND, false)
    }
    expect(pace.limit()).toBe(null)
  })

  test('and takes everything again, then it is called as fast as before within a minute', () => {
    const slowed = minuteOf(takes(5)).pace
    expect(slowed.limit()).toBeLessThan(10)
    slowed.clockWasSet(0)
    expect(minuteOf(() => false, slowed).lastTaken).toBeGreaterThan(0.9 * without.lastTaken)
  })
})
