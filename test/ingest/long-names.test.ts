import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { customer, delivery, orderUpdate, sale, stockMovement } from '../fixtures/payloads.ts'
import { busTo, createFolder, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../storage/postgres/schema.ts'

/* A row of an index of PostgreSQL has some 2,700 bytes at most, and what is random cannot be pressed into less. */

const LONG = randomBytes(3_000).toString('base64url')

const STORES: [string, boolean][] = [
  ['a file', false],
  [`PostgreSQL (${SERVER ? 'a server' : NO_SERVER})`, true],
]

describe.each(STORES)('names that nobody can be looked up by, on %s', (_, onServer) => {
  test.skipIf(onServer && SERVER === undefined)(
    'When events with such a name come among others, then they are kept with the reason and go to the bus as they came, no flow acts on them, and the others are done',
    async () => {
      await using hub = await start(onServer)
      const posted = await Promise.all([
        hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: LONG })),
        hub.post('SaleCreated', sale({ receiptNo: LONG })),
        hub.post('CustomerCreated', customer({ customerId: LONG })),
        hub.post('StockMovementCreated', stockMovement({ gtin: LONG })),
        hub.post('SaleCreated', sale()),
      ])
      expect(posted.map(({ status, body }) => [status, body.status])).toEqual([
        [202, 'quarantined'],
        [202, 'quarantined'],
        [202, 'quarantined'],
        [202, 'quarantined'],
        [202, 'accepted'],
      ])
      const [order] = posted
      const kept = await hub.hub.storage.event(order?.body.id ?? 0)
      expect(kept).toMatchObject({ state: 'quarantined', deliveries: [{ flow: 'publish', destination: 'bus' }] })
      expect(kept?.deliveries).toHaveLength(1)
      expect(kept?.problem).toMatch(/^not acted on: a name in it \((order:|).*has \d+ bytes, and is kept up to 2000$/)
      expect(kept?.problem).not.toContain(LONG.slice(0, 20))
      await hub.sink.until(3)
      expect(hub.sink.received.map(({ kind }) => kind).toSorted()).toEqual([
        'OmniChannelOrderUpdated',
        'SaleCreated',
        'SaleCreated',
      ])
    },
  )

  test.skipIf(onServer && SERVER === undefined)(
    'When the URL of a webhook calls a kind by such a name, then the event is kept under the beginning of it',
    async () => {
      await using hub = await start(onServer)
      const { status, body } = await hub.post(`X${LONG}`, { some: 'thing' })
      expect({ status, body }).toMatchObject({ status: 202, body: { status: 'accepted' } })
      expect((await hub.hub.storage.event(body.id))?.kind).toBe(`X${LONG}`.slice(0, 200))
    },
  )

  test.skipIf(onServer && SERVER === undefined)(
    'When a record of the mirror has such a name, then it alone is a dead letter, and those beside it are kept',
    async () => {
      await using hub = await start(onServer)
      const made = (nth: number, stockId: string) => ({
        ...{ reservationId: `R-${nth}`, stockId, gtin: '7090012340011', quantity: 1 },
        createdDateTime: '2026-11-20T14:03:28',
      })
      await Promise.all(
        Array.from({ length: 12 }, (_, nth) => hub.post('StockReservationCreated', made(nth, nth === 5 ? LONG : '12'))),
      )
      await eventually(async () =>
        expect(await hub.hub.storage.mirrorPage({ set: 'reservations' }, null, 50)).toHaveLength(11),
      )
      await eventually(async () =>
        expect(await hub.hub.storage.deliveries({ state: 'dead' })).toMatchObject([{ code: 'name-too-long' }]),
      )
      expect(await hub.hub.storage.deliveries({ state: 'waiting' })).toEqual([])
    },
  )

  test.skipIf(onServer && SERVER === undefined)(
    'When events that nobody wanted are rerouted to who wants them now, then one with such a name is left, and those beside it are given',
    async () => {
      await using opened = new AsyncDisposableStack()
      const folder = opened.use(await createFolder())
      const erp = opened.use(await createFolder())
      const config = onServer ? { store: { url: opened.use(await temporarySchema()).url } } : {}
      const [product] = delivery().products
      const received = (orderId: number, identifier: string) =>
        delivery({ orderId, products: [{ ...product, identifier, gtin: '', quantityReceived: 4 }] })
      {
        await using before = await startTestHub({ folder: folder.path, config })
        for (const [nth, name] of ['A', LONG, 'B'].entries())
          expect((await before.post('DeliveryItemsReceived', received(nth + 1, name))).body.status).toBe('accepted')
      }
      const write = { received: { name: 'received-{key}', format: 'json' } }
      const destinations = { erp: { adapter: 'files', folder: erp.path, write } }
      await using hub = await startTestHub({ folder: folder.path, config, destinations })
      const { body } = await hub.admin('events/reroute', { filter: { kind: 'DeliveryItemsReceived' } })
      expect(body).toMatchObject({ events: 2, deliveries: 2, left: 1 })
      await eventually(async () => expect(await hub.hub.storage.deliveries({ state: 'delivered' })).toHaveLength(2))
    },
  )
})

async function start(onServer: boolean) {
  await using opened = new AsyncDisposableStack()
  const store = onServer ? { url: opened.use(await temporarySchema()).url } : undefined
  const sink = opened.use(await startSink())
  const publish = ['SaleCreated', 'OmniChannelOrderUpdated']
  const destinations = { bus: busTo(sink.url, { publish }) }
  const hub = opened.use(await startTestHub({ destinations, config: { mirror: 'all', ...(store && { store }) } }))
  const kept = opened.move()
  return { ...hub, sink, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
