import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { PermanentError, RetryLaterError } from '../../src/domain/values/errors.ts'
import type { LoggedEvent } from '../../src/flows/flow.ts'
import type { Mappings } from '../../src/platform/payloads/mapping/mapping.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { createCachedReads, createSentLog, loggedEventOf } from '../../src/queue/order-reader.ts'
import { sale } from '../fixtures/payloads.ts'
import { isErased } from './kit/memory.ts'
import { createStillClock, NOW } from './kit/parts.ts'

const DAY = 24 * 3_600_000
const { signal } = new AbortController()

type Log = unknown[] | Error

interface Asked {
  webhookId: string
  from: number
  to: number
}

/**
 * A platform with these subscriptions; `logs`: what the log of each has of the day before now, by its id. The hub's own addresses end
 * in the kind.
 */
function given(
  subscriptions: { id: string; event: string; url?: string }[],
  logs: Record<string, Log>,
  mappings: Mappings = {},
  unlisted: Error | null = null,
) {
  const asked: Asked[] = []
  const platform = {
    webhooks: {
      async list() {
        if (unlisted) throw unlisted
        return { rows: subscriptions.map((one) => ({ url: 'elsewhere', ...one })), rejected: [] }
      },
    },
    events: {
      async list(query: Asked) {
        asked.push(query)
        const log = logs[query.webhookId] ?? []
        if (log instanceof Error) throw log
        return { rows: query.to > NOW ? log.map((payload) => ({ payload })) : [], rejected: [] }
      },
    },
  } as unknown as Pick<Platform, 'webhooks' | 'events'>
  const clock = createStillClock()
  const kindAt = (url: string) => (url.startsWith('hub/') ? url.slice(4) : null)
  const knownSubscriptions = async () => subscriptions.map(({ id, event }) => ({ webhookId: id, kind: event }))
  return {
    asked,
    clock,
    sent: createSentLog(platform, { clock, mappings, kindAt, ...(unlisted && { knownSubscriptions }) }),
  }
}

const SALES = [
  { id: 'one', event: 'SaleCreated' },
  { id: 'other', event: 'SaleCreated' },
  { id: 'stock', event: 'StockMovementCreated' },
]

function keysOf(said: readonly LoggedEvent[]): (string | undefined)[] {
  return said.map(({ identity }) => identity?.key)
}

const [A, B, C, M] = [sale({ receiptNo: '1' }), sale({ receiptNo: '2' }), sale({ receiptNo: '3' }), { movementId: 9 }]
const [KEY_A, KEY_B, KEY_C] = [A, B, C].map((payload) => loggedEventOf('SaleCreated', payload).identity?.key)

test('When the log of a kind is read, then those of all its subscriptions are, with payloads, two days back, each alone', async () => {
  const { asked, sent } = given(SALES, { one: [A], other: [B, C], stock: [M] })
  expect(keysOf(await sent('SaleCreated', NOW, 'lately', signal))).toEqual([KEY_A, KEY_B, KEY_C])
  expect(asked).toEqual([
    { webhookId: 'one', from: NOW - DAY, to: NOW + (15 * DAY) / 24, includePayload: true },
    { webhookId: 'other', from: NOW - DAY, to: NOW + (15 * DAY) / 24, includePayload: true },
    { webhookId: 'one', from: NOW - 2 * DAY, to: NOW - DAY, includePayload: true },
    { webhookId: 'other', from: NOW - 2 * DAY, to: NOW - DAY, includePayload: true },
  ])
})

test('When a month is read, then no answer is longer than a day of it, and nothing of that is left out', async () => {
  const { asked, sent } = given(SALES.slice(1), {})
  await sent('SaleCreated', NOW, 'long', signal)
  expect(asked).toHaveLength(29)
  expect(asked.every(({ from, to }) => to - from === DAY)).toBe(true)
  expect([asked[0]?.to, asked.at(-1)?.from]).toEqual([NOW - 2 * DAY, NOW - 31 * DAY])
  expect(asked.slice(1).every(({ to }, before) => to === asked[before]?.from)).toBe(true)
})

test('When the platform’s list names a kind otherwise, then its subscription is known by its address, and one of another kind there is not', async () => {
  const subscriptions = [
    { id: 'one', event: 'sale-created', url: 'hub/SaleCreated' },
    { id: 'stock', event: 'SaleCreated', url: 'hub/StockMovementCreated' },
  ]
  const { sent } = given(subscriptions, { one: [A], stock: [M] })
  expect(keysOf(await sent('SaleCreated', NOW, 'lately', signal))).toEqual([KEY_A])
})

test('When the platform has no list of subscriptions, then those that the hub made are read; another refusal, or none of that kind, is no answer', async () => {
  const none = new PermanentError('no such page', { code: 'http-404' })
  const { sent, asked } = given(SALES.slice(1), { other: [B], stock: [M] }, {}, none)
  expect(keysOf(await sent('SaleCreated', NOW, 'lately', signal))).toEqual([KEY_B])
  expect([...new Set(asked.map(({ webhookId }) => webhookId))]).toEqual(['other'])
  await expect(sent('OrderUpdate', NOW, 'lately', signal)).rejects.toBe(none)
  const away = new RetryLaterError('away')
  await expect(given(SALES, { one: [A] }, {}, away).sent('SaleCreated', NOW, 'lately', signal)).rejects.toBe(away)
})

test('When a log has what cannot be told apart, then it is of nobody', () => {
  expect(loggedEventOf('SaleCreated', {}).identity).toBe(null)
  expect(loggedEventOf('MadeUp', {}).identity).toBe(null)
})

test('When config says where a payload has a field, then what the log says is read by that, too', async () => {
  const { posId, ...store } = A.store
  const log = { one: [{ ...A, store: { ...store, register: posId } }] }
  const { sent } = given(SALES, log, { SaleCreated: { posId: 'store.register' } })
  expect(keysOf(await sent('SaleCreated', NOW, 'lately', signal))).toEqual([KEY_A])
})

test('When several want to know the same at about the same time, then the log is read once, for each kind and span', async () => {
  const { asked, sent } = given(SALES.slice(1), { other: [B], stock: [M] })
  await Promise.all([sent('SaleCreated', NOW, 'lately', signal), sent('SaleCreated', NOW, 'lately', signal)])
  expect(asked).toHaveLength(2)
  expect(keysOf(await sent('StockMovementCreated', NOW, 'lately', signal))).toEqual(['9'])
  await sent('SaleCreated', NOW, 'long', signal)
  expect(asked).toHaveLength(4 + 29)
})

test('When one log cannot be read, then another may tell; where none does, the first refusal is the answer', async () => {
  const [first, second] = [new PermanentError('no such log'), new PermanentError('nor this')]
  const { sent } = given(SALES, { one: first, other: [B] })
  expect(keysOf(await sent('SaleCreated', NOW, 'lately', signal))).toEqual([KEY_B])
  await expect(given(SALES, { one: first, other: second }).sent('SaleCreated', NOW, 'lately', signal)).rejects.toBe(
    first,
  )
  await expect(given(SALES, { one: first }).sent('SaleCreated', NOW, 'lately', signal)).rejects.toBe(first)
})

test('When a log cannot be read now, then that is no answer at all', async () => {
  const away = new RetryLaterError('away')
  await expect(given(SALES, { one: away, other: [B] }).sent('SaleCreated', NOW, 'lately', signal)).rejects.toBe(away)
})

/** A source whose answers are numbered, by a clock of the test's own. */
function source() {
  let now = 1_000
  let asked = 0
  const read = createCachedReads<number>({ now: () => now })
  const { signal } = new AbortController()
  return {
    later: (ms: number) => {
      now += ms
    },
    asked: () => asked,
    ask: (since: number, more: { signal?: AbortSignal; answer?: () => Promise<number> } = {}) =>
      read('A1', since, async () => (more.answer ? await more.answer() : ++asked), more.signal ?? signal),
  }
}

test('When several want to know the same at once, then one question serves them all', async () => {
  const { ask, asked } = source()
  expect(await Promise.all([ask(900), ask(950), ask(1_000)])).toEqual([1, 1, 1])
  expect(asked()).toBe(1)
})

test('When something happened after the question was asked, then its answer is too old', async () => {
  const { ask, later } = source()
  expect(await ask(1_000)).toBe(1)
  later(10)
  expect(await ask(1_005)).toBe(2)
  expect(await ask(1_000)).toBe(2)
})
test('When the clock is put back, then no answer of a time that is still to come is taken for fresh', async () => {
  const { ask, later } = source()
  later(3_600_000)
  await ask(1_000)
  later(-3_600_000)
  expect(await ask(1_000)).toBe(2)
})

test('When a question failed, then the next one is asked', async () => {
  const { ask } = source()
  await expect(ask(1_000, { answer: () => Promise.reject(new Error('away')) })).rejects.toThrow('away')
  expect(await ask(1_000)).toBe(1)
})

test('When whoever asked first leaves, then the others still get the answer', async () => {
  const { ask } = source()
  const first = new AbortController()
  const answer = Promise.withResolvers<number>()
  const left = ask(1_000, { signal: first.signal, answer: () => answer.promise })
  const stayed = ask(1_000)
  first.abort(new Error('no time left'))
  await expect(left).rejects.toThrow('no time left')
  answer.resolve(7)
  expect(await stayed).toBe(7)
})

test('When an answer is three seconds old, then it still serves; and a question on its way serves however long it takes', async () => {
  const { ask, asked, later } = source()
  await ask(1_000)
  later(3_000)
  expect(await ask(1_000)).toBe(1)

  const answer = Promise.withResolvers<number>()
  const first = ask(4_000, { answer: () => answer.promise })
  later(60_000)
  const second = ask(4_000)
  answer.resolve(7)
  expect(await Promise.all([first, second])).toEqual([7, 7])
  expect(asked()).toBe(1)
})
test('When an answer came, then whoever waited for it does not hear of its signal any more', async () => {
  const { ask } = source()
  const abort = new AbortController()
  await ask(1_000, { signal: abort.signal })
  expect(getEventListeners(abort.signal, 'abort')).toEqual([])
})

test('When answers are old, then they are given up, but for what is asked still, and what came after that', async () => {
  let now = 0
  const read = createCachedReads<object>({ now: () => now })
  const { signal } = new AbortController()
  async function answered(key: string): Promise<WeakRef<object>> {
    const answer = { key }
    await read(key, now, async () => answer, signal)
    return new WeakRef(answer)
  }
  const first = await answered('A1')
  now = 3_000
  await answered('A2')
  expect(await isErased(first)).toBe(false)
  now = 3_001
  await answered('A2')
  expect(await isErased(first)).toBe(true)
})

test('When a question fails after a newer one was begun, then others share the newer one', async () => {
  const clock = createStillClock()
  const read = createCachedReads<string>(clock)
  const [older, newer] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const first = read('A1', NOW, () => older.promise, signal)
  clock.advance(1)
  const second = read('A1', NOW + 1, () => newer.promise, signal)
  older.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  const third = read('A1', NOW + 1, async () => 'asked again', signal)
  newer.resolve('newer')
  expect([await second, await third]).toEqual(['newer', 'newer'])
})
