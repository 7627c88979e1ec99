import { describe, expect, test } from 'vitest'
import { createPace, inOutage, type OpenCircuit, OUTAGE_ALARM, type Pace } from '../../../src/domain/queue/queue-key.ts'

const NOW = Date.parse('2026-11-20T14:00:00Z')
const SECOND = 1_000

describe('when a destination meets outage', () => {
  const first = inOutage(null, NOW, 0.5, { code: 'unreachable', why: 'cannot connect', notBefore: null })

  test('then nothing goes out until it is probed', () => {
    expect(first).toEqual({
      since: NOW,
      failures: 1,
      until: NOW + 5 * SECOND,
      code: 'unreachable',
      why: 'cannot connect',
      notBefore: null,
    })
  })

  test('and meets it again, then it waits longer, since the same instant, with the newer reason', () => {
    const again = inOutage(first, NOW + 5 * SECOND, 0.5, { code: 'http-503', why: 'it said 503', notBefore: null })
    expect(again).toMatchObject({
      since: NOW,
      failures: 2,
      until: NOW + 15 * SECOND,
      code: 'http-503',
      why: 'it said 503',
    })
  })

  test('and names an instant, then it is probed no sooner, but later if its own schedule says so', () => {
    const naming = (notBefore: number) => inOutage(null, NOW, 0.5, { code: 'http-429', why: '429', notBefore })
    expect(naming(NOW + 60 * SECOND).until).toBe(NOW + 60 * SECOND)
    expect(naming(NOW + SECOND).until).toBe(NOW + 5 * SECOND)
  })

  test('that only one delivery tells of so far, then others may be tried at once, and the outage began with the first call', () => {
    const met = { since: NOW - 35 * SECOND, code: 'http-500', why: 'it said 500', notBefore: null, pauses: false }
    expect(inOutage(null, NOW, 0.5, met)).toMatchObject({ since: NOW - 35 * SECOND, until: NOW })
  })

  test('for a quarter of an hour, then it has been probed a few times, and somebody is to be woken', () => {
    const met = { code: 'unreachable', why: 'down', notBefore: null }
    let outage: OpenCircuit = first
    while (outage.until - outage.since < OUTAGE_ALARM) outage = inOutage(outage, outage.until, 0.5, met)
    expect(OUTAGE_ALARM).toBe(15 * 60 * SECOND)
    expect(outage.failures).toBeLessThan(12)
  })
})

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

describe('the pace of a destination that refuses calls', () => {
  /** So many answers, the last of them so much later (ms): what that one says. */
  function answered(pace: Pace, { at = 0, taken = 0, refused = 0, ms = 200 }) {
    const all = [...Array<boolean>(refused).fill(true), ...Array<boolean>(taken).fill(false)]
    return all.map((isRefused, nth) => pace.follow(nth < all.length - 1 ? at : at + ms, isRefused)).at(-1)
  }

  test('is judged by twenty answers, or by five of five seconds, and limited by more than a tenth refused', () => {
    const limitAfter = (given: Parameters<typeof answered>[1]) => {
      const pace = createPace()
      return [answered(pace, given), pace.limit()]
    }
    expect(limitAfter({ taken: 18, refused: 2 })).toEqual([null, null])
    expect(limitAfter({ taken: 17, refused: 3 })).toEqual(['limited', 85])
    expect(limitAfter({ taken: 17, refused: 3, ms: 199 })).toEqual([null, null])
    expect(limitAfter({ taken: 16, refused: 3 })).toEqual([null, null])
    expect(limitAfter({ refused: 5, ms: 5_000 })).toEqual(['limited', 0.25])
    expect(limitAfter({ refused: 4, ms: 5_000 })).toEqual([null, null])
  })

  test('opens when the next call is due, and lets no more than a tenth of a second go at once', () => {
    const pace = createPace()
    expect([pace.opensAt(0), pace.callsAt(0)]).toEqual([null, Number.POSITIVE_INFINITY])
    answered(pace, { taken: 17, refused: 3 })
    expect([pace.opensAt(200), pace.callsAt(211), pace.callsAt(212)]).toEqual([212, 0, 1])
    expect([pace.opensAt(212), pace.callsAt(10_000)]).toEqual([null, 8])
    pace.passed(8, 10_000)
    expect([pace.callsAt(10_000), pace.opensAt(10_000)]).toEqual([0, 10_006])
  })

  test('grows by a quarter while all is taken, falls to a quarter at least when refused, and ends when it limits no more', () => {
    const pace = createPace()
    answered(pace, { taken: 17, refused: 3 })
    const next = (at: number, given: Parameters<typeof answered>[1]) => [answered(pace, { at, ...given }), pace.limit()]
    expect(next(1_000, { taken: 20 })).toEqual([null, 106.25])
    expect(next(2_000, { refused: 20 })).toEqual([null, 26.5625])
    expect(next(3_000, { taken: 17, ms: 1_280 * 5 })).toEqual(['unlimited', null])
    expect(answered(pace, { at: 10_000, taken: 10, refused: 30 })).toBe('limited')
    expect(next(20_000, { taken: 25, ms: 1_000 })).toEqual([null, 62.5])
  })
})
