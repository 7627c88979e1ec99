import { describe, expect, test } from 'vitest'
import type { EndpointUse, StoredEndpointUse } from '../../src/domain/health/health.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { type Bucket, createRateLimiter, fill, pauseFor } from '../../src/lib/rate-limiter.ts'
import { createEndpointUseLog } from '../../src/platform/http/operation-log.ts'
import type { TestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { failureOf, givenAnswer, givenPlatform } from './given.ts'

const ADJUSTMENT = { stockId: '1', items: [{ gtin: '1', quantity: '1' }] }

/** Time as the test says, and no other: a turn comes when it is due, not while the test is looking. */
function createStillClock(): Omit<TestClock, 'active'> {
  let now = Date.UTC(2026, 10, 20)
  const timers = new Set<{ at: number; goOff: () => void }>()
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, goOff: () => timers.delete(timer) && callback() }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(ms) {
      now += ms
      for (const one of [...timers]) if (one.at <= now) one.goOff()
    },
  }
}

describe('the bucket', () => {
  const rate = { perSecond: 4 }
  const empty: Bucket = { tokens: 0, at: 1_000 }

  test.each([
    ['nothing has passed', 0, 250],
    ['half of the pause has passed', 125, 125],
    ['the pause has passed', 250, 0],
    ['much has passed', 60_000, 0],
    ['the clock was put back', -60_000, 250],
  ])('When %s, then the pause is right', (_, passed, pause) => {
    expect(pauseFor(fill(empty, 1_000 + passed, rate), rate)).toBe(pause)
  })

  test('When nobody came for long, then no heap may follow', () => {
    expect(fill(empty, 1_000_000, rate).tokens).toBe(1)
  })

  test('many may go on at once where a burst is allowed, then each as its token comes', () => {
    const clock = createStillClock()
    using limiter = createRateLimiter({ perSecond: 2, burst: 3 }, clock)
    expect([1, 2, 3, 4].map(() => limiter.take())).toEqual([0, 0, 0, 500])
    clock.advance(500)
    expect([limiter.take(), limiter.take()]).toEqual([0, 500])
    clock.advance(60_000)
    expect([1, 2, 3, 4].map(() => limiter.take())).toEqual([0, 0, 0, 500])
  })
})

describe('the limit of a client', () => {
  test('When more is asked than a second allows, then the rest waits for its turn', async () => {
    const clock = createStillClock()
    await using given = await givenAnswer({ body: [] }, { clock, rate: { perSecond: 2 } })
    const all = Promise.all([1, 2, 3].map(() => given.platform.stores.list()))
    await eventually(() => expect(given.server.asked).toHaveLength(1))
    clock.advance(499)
    await eventually(() => expect(given.server.asked).toHaveLength(1))
    clock.advance(1)
    await eventually(() => expect(given.server.asked).toHaveLength(2))
    clock.advance(500)
    await all
    expect(given.server.asked).toHaveLength(3)
  })

  test('When a lookup comes while bulk waits, then it goes first', async () => {
    const clock = createStillClock()
    await using given = await givenAnswer({ body: [] }, { clock, rate: { perSecond: 1 } })
    const all = [
      given.platform.stock.adjust(ADJUSTMENT),
      given.platform.stock.adjust(ADJUSTMENT),
      given.platform.stock.levels({ stockIds: ['1'] }),
      given.platform.stores.list(),
    ]
    for (let sent = 1; sent <= 4; sent++) {
      await eventually(() => expect(given.server.asked).toHaveLength(sent))
      clock.advance(1_000)
    }
    await Promise.all(all)
    expect(given.server.asked.map(({ line }) => line)).toEqual([
      'POST /api/Stock/adjust',
      'GET /api/Stores',
      'POST /api/Stock/adjust',
      'POST /api/Stock',
    ])
  })

  test('When a waiting call is given up, then it ends at once, unsent, and keeps nobody waiting', async () => {
    const clock = createStillClock()
    await using given = await givenAnswer({ body: [] }, { clock, rate: { perSecond: 1 } })
    await given.platform.stores.list()
    const giveUp = new AbortController()
    const waiting = failureOf(given.platform.stock.adjust(ADJUSTMENT, giveUp.signal))
    const next = given.platform.stock.adjust(ADJUSTMENT)
    giveUp.abort()
    expect(await waiting).toMatchObject({ name: 'RetryLaterError' })
    clock.advance(1_000)
    await next
    expect(given.server.asked.map(({ line }) => line)).toEqual(['GET /api/Stores', 'POST /api/Stock/adjust'])
  })
})

describe('the timeout of an operation', () => {
  test('When an operation has its own, then that holds for it, and the other for all others', async () => {
    await using given = await givenPlatform({ endpoints: { 'stock.adjust': { timeout: 50 } } })
    given.server.play('inactivity', '/api/Stock/adjust')
    const failure = await failureOf(given.platform.stock.adjust(ADJUSTMENT))
    expect(failure).toMatchObject({ name: 'UnknownOutcomeError', message: expect.stringContaining('50 ms') })
  })

  test('When a read takes longer than others may, but not than its own, then it is still tried again', async () => {
    let now = Date.UTC(2026, 10, 20)
    // Each look at the clock shows 100 ms more; pauses are over at once.
    const hurrying: Clock = {
      now: () => {
        now += 100
        return now
      },
      after: (_, callback) => systemClock.after(0, callback),
    }
    await using given = await givenAnswer([{ status: 500 }, { body: [] }], { timeout: 50, clock: hurrying })
    expect((await given.platform.stock.levels({ stockIds: ['1'] })).rows).toEqual([])
    given.server.play([{ status: 500 }, { body: [] }])
    expect(await failureOf(given.platform.stores.list())).toMatchObject({ code: 'http-500' })
  })
})

const NOW = Date.parse('2026-11-20T12:00:00Z')
const READ: EndpointUse = {
  operation: 'orders.read',
  address: 'GET https://platform.example/api/Omnichannel',
  came: 'worked',
}
const NOT_FOUND: EndpointUse = { ...READ, came: 'http-404' }

/** The book over what a store has of it; `fails`: how many writes are refused first. */
function given({ kept = [] as StoredEndpointUse[], fails = 0 } = {}) {
  const written: EndpointUse[] = []
  let asked = 0
  const storage = {
    async endpointUses() {
      asked += 1
      return kept
    },
    async noteEndpointUse(use: EndpointUse) {
      if (fails-- > 0) throw new Error('the disk is full')
      written.push(use)
    },
  }
  const book = createEndpointUseLog(storage, { now: () => NOW }, createLogger('silent'))
  return { book, written, asked: () => asked }
}

test('when the same comes again and again, then it is written once; what is otherwise is written, too', () => {
  const { book, written } = given()
  for (const use of [NOT_FOUND, NOT_FOUND, READ, READ]) book.note(use)
  expect(written).toEqual([NOT_FOUND, READ])
})

test('when an operation has worked once, then a failure of it is nothing new; at another address it is', () => {
  const { book, written } = given()
  const moved = { ...NOT_FOUND, address: 'GET https://other.example/api/Omnichannel' }
  for (const use of [READ, NOT_FOUND, moved]) book.note(use)
  expect(written).toEqual([READ, moved])
})

test('when it could not be written, then the next one is written in its place', async () => {
  const { book, written } = given({ fails: 1 })
  book.note(READ)
  await eventually(() => {
    book.note(READ)
    return written.length === 1
  })
})

test('when the store knows that it has worked, then it is asked once; another address is unknown, a failure stays one', async () => {
  const kept = { ...READ, firstAt: NOW, first: 'worked', since: NOW }
  const { book, asked } = given({ kept: [kept, { ...kept, operation: 'orders.delete', came: 'http-404' }] })
  expect([await book.cameOf(READ), await book.cameOf(READ), asked()]).toEqual(['worked', 'worked', 1])
  expect(await book.cameOf({ ...READ, address: 'GET https://other.example/' })).toBe(null)
  expect(await book.cameOf({ ...READ, operation: 'orders.delete' })).toBe('http-404')
  expect(await book.cameOf({ ...READ, operation: 'orders.create' })).toBe(null)
})

test('what this hub has just met is known before it is written', async () => {
  const { book } = given()
  book.note(NOT_FOUND)
  expect(await book.cameOf(NOT_FOUND)).toBe('http-404')
  book.note(READ)
  expect(await book.cameOf(READ)).toBe('worked')
})

const GUID = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
const SALES = { event: 'SaleCreated', url: 'https://hub.example.com/webhooks/SaleCreated/all?token=t' }

test.each([
  ['a GUID as JSON text', JSON.stringify(GUID), GUID],
  ['a GUID as bare text', GUID, GUID],
  ['a number alone', 4711, '4711'],
  ['a record with id', { id: GUID, event: 'SaleCreated' }, GUID],
  ['a record with webhookId', { WebhookId: 12 }, '12'],
  ['a record with subscriptionId', { subscriptionId: 'sub-1' }, 'sub-1'],
  ['a list of one record', [{ webhookSubscriptionId: GUID }], GUID],
  ['a word', 'Created', null],
  ['a record without id', { event: 'SaleCreated' }, null],
  ['a GUID of zeros in a record', { event: 'SaleCreated', id: '00000000-0000-0000-0000-000000000000' }, null],
  ['nothing', '', null],
])('a new subscription that is answered by %s has the id that it says', async (_, body, id) => {
  await using given = await givenAnswer({ body })
  expect(await given.platform.webhooks.create(SALES)).toBe(id)
})

test('an operation that config calls absent is never asked for, is not proven, and fails as what is not there', async () => {
  await using given = await givenPlatform({ endpoints: { 'webhooks.list': null, 'stores.list': null } })
  const { platform, server } = given
  expect(await failureOf(platform.webhooks.list())).toMatchObject({ name: 'PermanentError', code: 'not-offered' })
  expect(await failureOf(platform.stores.list())).toMatchObject({
    message: 'platform: stores.list is not there (platform.endpoints.stores.list is null)',
  })
  expect(server.asked).toEqual([])
  expect([platform.operations.isShown('stores.list'), await platform.operations.isProven('stores.list')]).toEqual([
    false,
    false,
  ])
  expect(await platform.operations.absence('stores.list')).toBe('config')
  expect(platform.operations.unshown().map(({ operation }) => operation)).not.toContain('webhooks.list')
})
