import { expect, test } from 'vitest'
import type { Watermark } from '../../../src/domain/completeness/completeness.ts'
import { type Desk, openDesk, STORES, storeRecord } from './given.ts'

const HOUR = 3_600_000
const CLOSED = Date.parse('2026-11-20T22:00:00Z')

const sales: Watermark = { level: 'log', kind: 'SaleCreated', storeId: null, from: 0, until: CLOSED + HOUR, since: 0 }

interface Reported {
  verdict: string
  watermarks: unknown[]
  detail?: string
}

async function ask(desk: Desk, asked: string) {
  const as = await desk.keyOf('read:completeness')
  return desk.hub.ask<Reported>(`/v1/completeness${asked}`, { headers: { authorization: `Bearer ${as}` } })
}

test('when an own system closes the day of a store, then it is told whether everything of it has come', async () => {
  await using desk = await openDesk()
  const { storage } = desk.hub.hub
  expect((await ask(desk, '')).body).toEqual({ verdict: 'unknown', watermarks: [], unresolved: [], notWatched: [] })
  await storage.saveReconciliation({ watermarks: [{ type: 'put', watermark: sales }] }, CLOSED)

  const { body } = await ask(desk, '?until=2026-11-20T22:00:00Z&store=101')
  expect(body).toEqual({
    verdict: 'proven',
    unresolved: [],
    notWatched: [],
    watermarks: [
      {
        ...{ level: 'log', kind: 'SaleCreated', store: null, verdict: 'proven', gaps: 0, neverScanned: false },
        ...{ from: '1970-01-01T00:00:00.000Z', until: '2026-11-20T23:00:00.000Z' },
      },
    ],
  })

  // Of another store something is missing: that one's day stays open, this one's does not.
  const lost = { source: 'log', cause: 'claimed', kind: 'SaleCreated', storeId: '43', destination: null } as const
  const gap = { ...lost, day: null, subject: 'w/1', at: CLOSED - HOUR, evidence: {} }
  const behind: Watermark = { ...sales, storeId: '43', until: CLOSED - HOUR }
  await storage.saveReconciliation(
    { gaps: [{ type: 'see', gap }], watermarks: [{ type: 'put', watermark: behind }] },
    CLOSED,
  )

  expect((await ask(desk, '?until=2026-11-20T22:00:00Z&store=101')).body.verdict).toBe('proven')
  const other = (await ask(desk, '?until=2026-11-20T23:00:00%2B01:00&store=201')).body
  expect(other.verdict).toBe('gaps')
  expect(other.watermarks).toContainEqual(expect.objectContaining({ store: '201', verdict: 'gaps', gaps: 1 }))
  expect((await ask(desk, '?until=2026-11-20T22:00:00Z')).body.verdict).toBe('gaps')
})

test('when a store was closed for good, then its last day can be closed all the same, until another one has its number', async () => {
  const lost = { source: 'log', cause: 'claimed', kind: 'SaleCreated', storeId: '42', destination: null } as const
  const gap = { ...lost, day: null, subject: 'w/1', at: CLOSED - HOUR, evidence: {} }
  const behind: Watermark = { ...sales, storeId: '42', until: CLOSED - HOUR }
  const others = STORES.slice(1)
  for (const [stores, verdict] of [
    [others, 'gaps'],
    [[...others, storeRecord('44', { number: '101', name: 'Oslo City' })], 'proven'],
  ] as const) {
    await using desk = await openDesk({}, stores)
    const watermarks = [sales, behind].map((watermark) => ({ type: 'put' as const, watermark }))
    await desk.hub.hub.storage.saveReconciliation({ gaps: [{ type: 'see', gap }], watermarks }, CLOSED)
    const { status, body } = await ask(desk, '?until=2026-11-20T22:00:00Z&store=101')
    expect([status, body.verdict]).toEqual([200, verdict])
  }
})

test.each([
  ['?until=yesterday', 'until: expected an instant'],
  ['?until=2026-11-20T22:00:00', 'until: expected an instant'],
  ['?store=999', 'no store "999" is known'],
  ['?store=101&store=201', 'store: expected once'],
  ['?kind=SaleCreated', 'There is no parameter "kind". There are until, day, store.'],
])('when it asks %s, then the answer says what is wrong', async (asked, words) => {
  await using desk = await openDesk()
  const { status, body } = await ask(desk, asked)
  expect([status, body.detail]).toEqual([400, expect.stringContaining(words)])
})

test('when a key may read other things, then it may not ask this', async () => {
  await using desk = await openDesk()
  const as = await desk.keyOf('read:sales,read:stores')
  const { status, body } = await desk.hub.ask('/v1/completeness', { headers: { authorization: `Bearer ${as}` } })
  expect([status, body]).toMatchObject([403, { code: 'key-may-not' }])
})
