import { describe, expect, test } from 'vitest'
import { orderUpdate } from '../../fixtures/payloads.ts'
import { reservation } from '../../http/read-models/given.ts'
import { startTestHub, type TestHub } from '../../hub.ts'
import { settled } from '../days/open-store.ts'

/* The platform does not say of each reservation that it was used: that of an order ends with the order, whichever comes first. */

const LANE = { destination: 'mirror', urgency: 'prompt' } as const
const DAY = 86_400_000

/** The wall clock of a stock that nobody knows, so many days ahead. */
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 19)

const openMirror = () => startTestHub({ config: { mirror: 'stock' } })

const KEPT = { kind: 'StockReservationCreated', payload: reservation({ createdDateTime: inDays(-1) }) }
const SENT = { kind: 'OmniChannelOrderUpdated', payload: orderUpdate({ orderNo: 'A1', status: 'Shipped' }) }

async function kept({ hub }: TestHub): Promise<unknown[]> {
  const rows = await hub.storage.mirrorPage({ set: 'reservations', article: '7090012340011' }, null, 10)
  return rows.map(({ body }) => body.quantity)
}

async function tell(hub: TestHub, ...events: { kind: string; payload: unknown }[]): Promise<void> {
  for (const { kind, payload } of events) await hub.post(kind, payload)
}

describe.each([
  ['the reservation comes first', [KEPT, SENT]],
  ['the end of its order comes first', [SENT, KEPT]],
])('When %s', (_, events) => {
  test('and each is mirrored by itself, then nothing is kept any more', async () => {
    await using hub = await openMirror()
    for (const event of events) {
      await tell(hub, event)
      await settled(hub)
    }
    expect(await kept(hub)).toEqual([])
  })

  test('and both are mirrored at once, then nothing is kept any more', async () => {
    await using hub = await openMirror()
    const { storage } = hub.hub
    await storage.pause(LANE, { until: null, why: 'A test.' })
    await tell(hub, ...events)
    await storage.resume(LANE)
    await settled(hub)
    expect(await kept(hub)).toEqual([])
  })
})

test('When an order of the same number is made after that, then what is kept for it is kept', async () => {
  await using hub = await openMirror()
  const later = reservation({ id: 'R-2', createdDateTime: inDays(1), quantity: 3 })
  await tell(hub, SENT, KEPT, { kind: KEPT.kind, payload: later })
  await settled(hub)
  expect(await kept(hub)).toEqual(['3'])
})

test('When an order is over, then that is remembered by its number and its day', async () => {
  await using hub = await openMirror()
  await tell(hub, SENT, SENT)
  await settled(hub)
  const rows = await hub.hub.storage.mirrorPage({ set: 'orders-over' }, null, 10)
  expect(rows).toMatchObject([{ key: 'A1', article: null, day: inDays(0).slice(0, 10) }])
})

test('When another order is over, or none is named, then what is kept is kept', async () => {
  await using hub = await openMirror()
  const nameless = reservation({ id: 'R-2', extId: null, quantity: 2 })
  const other = { ...SENT, payload: orderUpdate({ orderNo: 'A2', status: 'Shipped' }) }
  await tell(hub, other, KEPT, { kind: KEPT.kind, payload: nameless })
  await settled(hub)
  expect((await kept(hub)).toSorted()).toEqual(['1', '2'])
})
