import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import { OUTAGE_ALARM } from '../../src/domain/queue/queue-key.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createCircuitBreaker } from '../../src/queue/worker.ts'
import { createTestLog } from './kit/parts.ts'

const SECOND = 1_000
const unknown = (code: string): Outcome => ({ type: 'unknown', code, why: `it said ${code}` })
const refused = (code: string): Outcome => ({ type: 'dead', code, why: `it said ${code}` })
const wide = (code: string): Outcome => ({
  type: 'retry',
  scope: 'destination',
  notBefore: null,
  code,
  why: `it said ${code}`,
})
const DELIVERED: Outcome = { type: 'delivered', links: [], note: null }

/** A watch that follows calls of deliveries, each begun when it ended. */
function watch(logger = createLogger('silent')) {
  const outage = createCircuitBreaker('platform', () => 0.5, logger)
  return {
    ...outage,
    met: (outcome: Outcome, now: number, delivery = 1, failingSince: number | null = null, operation = 'publish') =>
      outage.follow(outcome, now, { delivery, at: now, failingSince, operation }),
    hasTakenSince: (failingSince: number | null, operation = 'publish') =>
      outage.evidenceOn({ id: 99, failingSince }, operation).own,
  }
}

test('When a gateway gave up on what must not happen twice, then the others wait, and are not made uncertain too', () => {
  for (const code of ['http-502', 'http-504']) {
    const outage = watch()
    expect(outage.met(unknown(code), 1_000)).toBe(true)
    expect(outage.current()).toMatchObject({ failures: 1, until: 6_000, why: `it said ${code}` })
  }
})

describe('when calls fail in a way that may be everybody’s', () => {
  test('once or twice, then it is no outage yet', () => {
    const outage = watch()
    expect(outage.met(unknown('http-500'), 1_000)).toBe(false)
    expect(outage.met(unknown('timeout'), 2_000, 2)).toBe(false)
    expect(outage.current()).toBe(null)
  })

  test('three times for one alone, then it is outage with its cause, and others may go out at once', () => {
    const outage = watch()
    for (const at of [1, 2, 3]) outage.met(refused('http-401'), at * SECOND, 7, at === 1 ? null : SECOND)
    expect(outage.current()).toMatchObject({ code: 'http-401', since: SECOND, until: 3 * SECOND })
    outage.met(refused('http-401'), 4 * SECOND, 8)
    expect(outage.current()?.until).toBeGreaterThan(4 * SECOND)
  })

  test('among others that get through, then it is no outage, however often', () => {
    const outage = watch()
    for (let at = 1; at < 50; at += 1) outage.met(at % 3 === 0 ? DELIVERED : refused('http-401'), at * SECOND, at)
    expect(outage.current()).toBe(null)
  })

  test('and one operation refuses several while another is executed, then the others are not paused, and it ages them', () => {
    const outage = watch()
    outage.met(refused('http-401'), 1 * SECOND, 1, null, 'correct')
    outage.met(DELIVERED, 2 * SECOND, 2, null, 'publish')
    for (const at of [3, 4, 5, 6]) outage.met(refused('http-401'), at * SECOND, at, SECOND, 'correct')
    expect(outage.current()?.until ?? 0).toBeLessThanOrEqual(6 * SECOND)
    expect(outage.evidenceOn({ id: 4, failingSince: 4 * SECOND }, 'correct')).toEqual({ own: false, alone: 5 })
  })

  test('and several operations refuse one each, then neither stands in the way of the others, or keeps them from ageing', () => {
    const outage = watch()
    for (const at of [1, 3, 5, 7]) {
      outage.met(refused('http-401'), at * SECOND, 1, SECOND, 'correct')
      outage.met(refused('http-401'), (at + 1) * SECOND, 2, 2 * SECOND, 'transfer')
    }
    expect(outage.current()?.until).toBe(8 * SECOND)
    expect(outage.evidenceOn({ id: 1, failingSince: SECOND }, 'correct')).toEqual({ own: false, alone: 4 })
  })

  test('and it was away for a moment, then one that it refuses alone still counts as alone, and pauses nobody', () => {
    const outage = watch()
    const alone: Outcome = { type: 'dead', code: 'http-404', why: 'it said 404', mayBeWide: true }
    for (const at of [1, 2, 3]) outage.met(alone, at * SECOND, 7)
    outage.met(wide('unreachable'), 4 * SECOND, 7)
    const next = outage.current()?.until ?? 0
    expect(next).toBeGreaterThan(4 * SECOND)
    // Nobody ages while all is away.
    expect(outage.evidenceOn({ id: 7, failingSince: SECOND }, 'publish').alone).toBe(null)
    outage.met(alone, next, 7)
    expect(outage.current()?.until).toBe(next)
    expect(outage.evidenceOn({ id: 7, failingSince: SECOND }, 'publish')).toMatchObject({ alone: 4 })
  })

  test('and the destination has taken something since they began to, then they tell nothing of it', () => {
    const outage = watch()
    outage.met(DELIVERED, 5 * SECOND)
    for (let at = 6; at < 20; at += 1) expect(outage.met(unknown('no-answer'), at * SECOND, at, SECOND)).toBe(false)
    expect(outage.current()).toBe(null)
    expect(outage.hasTakenSince(SECOND)).toBe(true)
    expect(outage.hasTakenSince(6 * SECOND)).toBe(false)
    expect(outage.hasTakenSince(null)).toBe(false)
  })

  test('and a call that began before them is executed, then that is no proof against them', () => {
    const outage = watch()
    outage.met(refused('http-401'), 5 * SECOND)
    outage.follow(DELIVERED, 9 * SECOND, { delivery: 2, at: 4 * SECOND, failingSince: null, operation: 'publish' })
    expect(outage.hasTakenSince(5 * SECOND)).toBe(false)
  })

  test('and one is executed, or refused on its own account, then the destination has recovered', () => {
    for (const outcome of [DELIVERED, refused('http-400')]) {
      const outage = watch()
      for (const at of [1, 2, 3]) outage.met(unknown('http-500'), at * SECOND, at)
      outage.met(unknown('http-500'), 8 * SECOND)
      expect(outage.current()).toMatchObject({ failures: 2 })
      outage.met(outcome, 18 * SECOND, 4)
      expect(outage.current()).toBe(null)
    }
  })
})

describe('when calls are refused as too many', () => {
  test('and nothing else for a minute, then it is outage', () => {
    const outage = watch()
    for (let at = 1; at < 61; at += 1) outage.met(wide('http-429'), at * SECOND, at)
    expect(outage.current()).toBe(null)
    outage.met(wide('http-429'), 61 * SECOND)
    expect(outage.current()).toMatchObject({ code: 'http-429', until: 66 * SECOND })
  })
})

describe('when it is to be tried at once', () => {
  test('then the pause is over, and the next failure makes it longer', () => {
    const outage = watch()
    expect(outage.tryNow(1_000, false)).toBe(false)
    outage.met(wide('unreachable'), 1_000)
    outage.met(wide('unreachable'), 6_000)
    expect(outage.current()).toMatchObject({ failures: 2, until: 16_000 })

    expect(outage.tryNow(7_000, false)).toBe(true)
    expect(outage.current()?.until).toBe(7_000)
    outage.met(wide('unreachable'), 7_000)
    expect(outage.current()).toMatchObject({ failures: 3, until: 27_000, since: 1_000 })
  })

  test('then an instant that the other side named is waited for, unless a person wants it anyway', () => {
    const outage = watch()
    outage.met({ ...wide('http-503'), notBefore: 60_000 } as Outcome, 1_000)

    outage.tryNow(2_000, false)
    expect(outage.current()?.until).toBe(60_000)
    outage.tryNow(3_000, true)
    expect(outage.current()?.until).toBe(3_000)
  })
})

describe('when calls end that were out before the outage began', () => {
  test('then they say nothing new, and do not end a pause that the other side asked for', () => {
    const outage = watch()
    outage.met({ ...wide('http-503'), notBefore: 60 * SECOND } as Outcome, SECOND)
    expect(outage.met(wide('unreachable'), 2 * SECOND)).toBe(false)
    expect(outage.met(DELIVERED, 3 * SECOND)).toBe(false)
    expect(outage.current()).toMatchObject({ failures: 1, until: 60 * SECOND })
    expect(outage.met(DELIVERED, 60 * SECOND)).toBe(true)
  })

  test('then what was executed late is no later proof than what was executed before', () => {
    const outage = watch()
    const ended = (at: number) =>
      outage.follow(DELIVERED, 9 * SECOND, { delivery: 2, at, failingSince: null, operation: 'publish' })
    ended(8 * SECOND)
    ended(4 * SECOND)
    expect(outage.hasTakenSince(8 * SECOND)).toBe(true)
    expect(outage.hasTakenSince(8 * SECOND + 1)).toBe(false)
  })
})
test('When one alone failed three times, and the destination recovered, then three failures of one alone pause nobody again', () => {
  const outage = watch()
  for (const at of [1, 2, 3]) outage.met(refused('http-401'), at * SECOND, at)
  outage.met(DELIVERED, 60 * SECOND)
  for (const at of [101, 102, 103]) outage.met(refused('http-401'), at * SECOND, 7)
  expect(outage.current()).toMatchObject({ until: 103 * SECOND })
})

test('When it refused more as too many for a while, and took one, then the minute begins anew', () => {
  const outage = watch()
  outage.met(wide('http-429'), SECOND)
  outage.met(DELIVERED, 30 * SECOND)
  expect(outage.met(wide('http-429'), 62 * SECOND)).toBe(false)
  expect(outage.current()).toBe(null)
})
test('When it is down, then a refusal as one too many is outage, too, and a failure of an item on its own account ends it', () => {
  const outage = watch()
  outage.met(wide('unreachable'), SECOND)
  expect(outage.met(wide('http-429'), 6 * SECOND)).toBe(true)
  expect(outage.current()).toMatchObject({ failures: 2, code: 'http-429' })
  const item: Outcome = { type: 'retry', scope: 'item', notBefore: null, code: 'http-409', why: 'it is locked' }
  expect(outage.met(item, 60 * SECOND)).toBe(true)
  expect(outage.current()).toBe(null)
})

test('When something waits for what has not come, or only a person can find out, then that tells nothing of the destination', () => {
  const outage = watch()
  const wait: Outcome = { type: 'wait', until: 0, code: 'not-its-turn', why: 'it waits' }
  const byHand: Outcome = { type: 'unknown', code: 'cannot-find', byHand: true, why: 'nobody knows' }
  for (const at of [1, 2, 3, 4, 5]) {
    expect(outage.met(wait, at * SECOND, at)).toBe(false)
    expect(outage.met(byHand, at * SECOND, at)).toBe(false)
  }
  expect(outage.current()).toBe(null)
})

test('When operations fail, then the one that has failed longest is told, with its calls and its last reason; none while all is down', () => {
  const outage = watch()
  expect([outage.failing(), outage.tookAt()]).toEqual([null, null])
  outage.met(DELIVERED, SECOND, 1, null, 'transfer')
  outage.met(refused('http-401'), 2 * SECOND, 2, null, 'correct')
  outage.met(unknown('http-500'), 3 * SECOND, 3, null, 'transfer')
  outage.met(DELIVERED, 4 * SECOND, 4)
  outage.met(refused('http-403'), 5 * SECOND, 2, 2 * SECOND, 'correct')
  expect(outage.failing()).toEqual({ since: 2 * SECOND, calls: 2, code: 'http-403', why: 'it said http-403' })
  expect(outage.tookAt()).toBe(4 * SECOND)
  outage.met(DELIVERED, 6 * SECOND, 2, 2 * SECOND, 'correct')
  expect(outage.failing()).toMatchObject({ since: 3 * SECOND, calls: 1, code: 'http-500' })
  outage.met(wide('unreachable'), 7 * SECOND)
  expect(outage.failing()).toBe(null)
})

test('When one operation fails, then that is its own where it fails one delivery alone, or another operation got through since it began', () => {
  const outage = watch()
  const aloneOf = (id: number) => outage.evidenceOn({ id, failingSince: null }, 'correct').alone
  expect(aloneOf(1)).toBe(0)
  outage.met(DELIVERED, SECOND)
  outage.met(refused('http-401'), 2 * SECOND, 1, null, 'correct')
  expect([aloneOf(1), aloneOf(2)]).toEqual([1, null])
  outage.met(refused('http-401'), 3 * SECOND, 2, null, 'correct')
  expect([aloneOf(1), aloneOf(2)]).toEqual([null, null])
  outage.follow(DELIVERED, 4 * SECOND, { delivery: 3, at: 2 * SECOND, failingSince: null, operation: 'publish' })
  expect([aloneOf(1), aloneOf(2)]).toEqual([2, 2])
})

test('When it was away, or refused several of an operation, then what failed until it recovered was not refused on its own account', () => {
  const away = watch()
  away.met(wide('unreachable'), SECOND)
  away.met(DELIVERED, 60 * SECOND)
  expect([away.hasTakenSince(59 * SECOND), away.hasTakenSince(60 * SECOND)]).toEqual([false, true])
  const refusing = watch()
  refusing.met(DELIVERED, 9 * SECOND)
  for (const at of [1, 2, 3]) refusing.met(refused('http-401'), at * SECOND, at, at * SECOND, 'correct')
  refusing.met(DELIVERED, 9 * SECOND, 4, null, 'correct')
  expect([3, 9].map((since) => refusing.hasTakenSince(since * SECOND, 'correct'))).toEqual([false, true])
})

describe('when the clock is set back', () => {
  test('then nothing waits for an instant of the old one, and what was taken by it proves nothing', () => {
    const outage = watch()
    outage.met(DELIVERED, 100 * SECOND)
    outage.met({ ...wide('http-503'), notBefore: 900 * SECOND } as Outcome, 101 * SECOND)
    outage.clockWasSet(10 * SECOND)
    expect(outage.current()).toMatchObject({ since: 10 * SECOND, until: 10 * SECOND, notBefore: null, failures: 1 })
    expect(outage.tookAt()).toBe(null)
  })

  test('then what failed before counts on, since that instant', () => {
    const outage = watch()
    outage.clockWasSet(10 * SECOND)
    for (const at of [100, 101]) outage.met(refused('http-401'), at * SECOND, at)
    outage.clockWasSet(10 * SECOND)
    expect(outage.failing()).toMatchObject({ since: 10 * SECOND, calls: 2 })
    outage.met(refused('http-401'), 11 * SECOND, 3)
    expect(outage.current()).toMatchObject({ since: 10 * SECOND })
  })

  test('then the minute of refusals as too many begins anew', () => {
    const outage = watch()
    outage.met(wide('http-429'), 100 * SECOND)
    outage.clockWasSet(10 * SECOND)
    expect([11, 69, 70].map((at) => outage.met(wide('http-429'), at * SECOND))).toEqual([false, false, true])
    const none = watch()
    none.clockWasSet(10 * SECOND)
    expect([80, 139, 140].map((at) => none.met(wide('http-429'), at * SECOND))).toEqual([false, false, true])
  })
})

describe('what the log says of an outage', () => {
  const HOUR = 3_600 * SECOND
  const messages = (said: { msg: string }[]) => said.splice(0).map(({ msg }) => msg)

  test('when a destination goes down and comes back, then each is said once, with its cause; an alarm once it lasts, and anew in the next outage', () => {
    const { logger, said } = createTestLog()
    const outage = watch(logger)
    for (let again = 0; again < 2; again += 1) {
      const since = (1 + 30 * again) * HOUR
      outage.met(wide('unreachable'), since)
      expect(said).toMatchObject([
        {
          level: 40,
          msg: 'destination.outage',
          destination: 'platform',
          code: 'unreachable',
          why: 'it said unreachable',
        },
      ])
      said.length = 0
      outage.met(wide('unreachable'), since + OUTAGE_ALARM - 1)
      expect(messages(said)).toEqual([])
      outage.met(wide('unreachable'), since + OUTAGE_ALARM + HOUR)
      expect(said).toMatchObject([
        {
          level: 50,
          msg: 'destination.down',
          destination: 'platform',
          code: 'unreachable',
          since: new Date(since).toISOString(),
        },
      ])
      said.length = 0
      outage.met(wide('unreachable'), since + OUTAGE_ALARM + 2 * HOUR)
      outage.met(DELIVERED, since + OUTAGE_ALARM + 3 * HOUR)
      outage.met(DELIVERED, since + OUTAGE_ALARM + 4 * HOUR)
      expect(said).toMatchObject([
        { level: 30, msg: 'destination.recovered', destination: 'platform', ms: OUTAGE_ALARM + 3 * HOUR },
      ])
      said.length = 0
    }
  })

  test('when it refuses the credentials, then that is said once for each way it does, and when it takes them again', () => {
    const { logger, said } = createTestLog()
    const outage = watch(logger)
    for (let at = 1; at < 5; at += 1) outage.met(refused('http-401'), at * HOUR, at)
    expect(said.filter(({ msg }) => msg === 'credentials.refused')).toMatchObject([
      { level: 50, system: 'platform', code: 'http-401', why: 'it said http-401' },
    ])
    said.length = 0
    outage.met(wide('unreachable'), 5 * HOUR)
    outage.met(refused('http-403'), 6 * HOUR, 6)
    outage.met(refused('http-403'), 7 * HOUR, 7)
    expect(messages(said)).toEqual(['credentials.refused'])
    outage.met(DELIVERED, 8 * HOUR)
    expect(messages(said)).toEqual(['destination.recovered', 'credentials.accepted'])
    outage.met(wide('unreachable'), 9 * HOUR)
    outage.met(DELIVERED, 10 * HOUR)
    expect(messages(said)).toEqual(['destination.outage', 'destination.recovered'])
  })
})
