import { expect, test } from 'vitest'
import { createSentLog } from '../../../src/delivery/evidence/witness.ts'
import { PermanentError, RetryLaterError } from '../../../src/domain/values/errors.ts'
import type { Mappings } from '../../../src/payloads/mapping/mapping.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { createStillClock, NOW } from '../kit/parts.ts'

const DAY = 24 * 3_600_000
const { signal } = new AbortController()

type Log = unknown[] | Error

/** A platform with these subscriptions; `logs`: what the log of each has, by its id. */
function given(subscriptions: { id: string; event: string }[], logs: Record<string, Log>, mappings: Mappings = {}) {
  const asked: { webhookId: string; from: number; to: number; includePayload?: boolean }[] = []
  const platform = {
    webhooks: { list: async () => ({ rows: subscriptions, aside: [] }) },
    events: {
      async list(query: (typeof asked)[number]) {
        asked.push(query)
        const log = logs[query.webhookId] ?? []
        if (log instanceof Error) throw log
        return { rows: log.map((payload) => ({ payload })), aside: [] }
      },
    },
  } as unknown as Pick<Platform, 'webhooks' | 'events'>
  const clock = createStillClock()
  return { asked, clock, sent: createSentLog(platform, clock, mappings) }
}

const SALES = [
  { id: 'one', event: 'SaleCreated' },
  { id: 'other', event: 'SaleCreated' },
  { id: 'stock', event: 'StockMovementCreated' },
]

test('When the log of a kind is read, then those of all its subscriptions are, with payloads, two days back or a month', async () => {
  const { asked, sent } = given(SALES, { one: ['a'], other: ['b', 'c'], stock: ['no'] })
  expect(await sent('SaleCreated', NOW, 'lately', signal)).toEqual(['a', 'b', 'c'])
  expect(asked.map(({ webhookId }) => webhookId)).toEqual(['one', 'other'])
  expect(asked[0]).toEqual({ webhookId: 'one', from: NOW - 2 * DAY, to: NOW + DAY / 24, includePayload: true })
  await sent('SaleCreated', NOW, 'long', signal)
  expect(asked[2]).toMatchObject({ from: NOW - 31 * DAY, to: NOW + DAY / 24 })
})

test('When config says where a payload has a field, then what the log says is read by that, too', async () => {
  const log = { one: [{ receiptNo: '1', store: { register: 3 } }] }
  const { sent } = given(SALES, log, { SaleCreated: { posId: 'store.register' } })
  expect(await sent('SaleCreated', NOW, 'lately', signal)).toMatchObject([{ receiptNo: '1', store: { posId: 3 } }])
})

test('When several want to know the same at about the same time, then the log is read once, for each kind and span', async () => {
  const { asked, sent } = given(SALES.slice(1), { other: ['b'], stock: ['m'] })
  await Promise.all([sent('SaleCreated', NOW, 'lately', signal), sent('SaleCreated', NOW, 'lately', signal)])
  expect(asked).toHaveLength(1)
  expect(await sent('StockMovementCreated', NOW, 'lately', signal)).toEqual(['m'])
  expect(await sent('SaleCreated', NOW, 'long', signal)).toEqual(['b'])
  expect(asked).toHaveLength(3)
})

test('When one log cannot be read, then another may tell; where none does, the first refusal is the answer', async () => {
  const [first, second] = [new PermanentError('no such log'), new PermanentError('nor this')]
  expect(await given(SALES, { one: first, other: ['b'] }).sent('SaleCreated', NOW, 'lately', signal)).toEqual(['b'])
  await expect(given(SALES, { one: first, other: second }).sent('SaleCreated', NOW, 'lately', signal)).rejects.toBe(
    first,
  )
  await expect(given(SALES, { one: first }).sent('SaleCreated', NOW, 'lately', signal)).rejects.toBe(first)
})

test('When a log cannot be read now, then that is no answer at all', async () => {
  const away = new RetryLaterError('away')
  await expect(given(SALES, { one: away, other: ['b'] }).sent('SaleCreated', NOW, 'lately', signal)).rejects.toBe(away)
})

test('When nobody subscribes to the kind, then nothing of it was sent', async () => {
  expect(await given([], {}).sent('SaleCreated', NOW, 'lately', signal)).toEqual([])
})
