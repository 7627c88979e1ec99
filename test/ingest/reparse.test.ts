import { describe, expect, test } from 'vitest'
import type { Mappings } from '../../src/platform/payloads/mapping/mapping.ts'
import type { EventRow } from '../../src/storage/rows.ts'
import { eventually } from '../eventually.ts'
import { customer, orderUpdate } from '../fixtures/payloads.ts'
import { busTo, createFolder, deliveriesOf, startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { SERVER, temporarySchema } from '../storage/postgres/schema.ts'

/* What could not be read is read again, once config says where the fields stand. */

const MAPPED = { CustomerCreated: { customerId: 'ClientNumber' } }

function strange(id: number) {
  const { customerId: _, ...rest } = customer({ email: `kari-${id}@example.com` })
  return { ClientNumber: id, ...rest }
}

async function eventsOf(hub: TestHub, query: string): Promise<EventRow[]> {
  return (await hub.admin<{ events: EventRow[] }>(`events?${query}`)).body.events
}

const storages = [
  { name: 'SQLite', skip: false, url: async () => null },
  { name: 'PostgreSQL', skip: SERVER === undefined, url: temporarySchema },
]

describe.each(storages)('quarantined events on $name', ({ skip, url }) => {
  test.skipIf(skip)(
    'an event without a readable id is handed on raw at once, and acted on after the next start with a mapping',
    { timeout: 60_000 },
    async () => {
      await using schema = await url()
      await using folder = await createFolder()
      await using bus = await startSink()
      await using crm = await startSink()
      const open = (payloads: Mappings) =>
        startTestHub({
          folder: folder.path,
          destinations: {
            bus: busTo(bus.url),
            crm: {
              ...{ adapter: 'rest', url: crm.url, auth: { bearer: 'secret' } },
              customers: { upsert: { path: '/customers', body: '{ "id": customer.customerId }' } },
            },
          },
          config: { platform: { payloads }, ...(schema && { store: { url: schema.url } }) },
        })
      let firstId = ''
      {
        await using hub = await open({})
        expect((await hub.post('CustomerCreated', strange(41), { eventId: 'C-1' })).body.status).toBe('quarantined')
        const [raw] = await bus.until(1)
        expect(JSON.parse(raw?.body.toString() ?? '')).toMatchObject({ ClientNumber: 41 })
        firstId = String(raw?.headers['webhook-id'])
        // Still nobody can read it, by command neither.
        const { body } = await hub.admin<{ events: number; left: number }>('events/reparse', { filter: {} })
        expect(body).toMatchObject({ events: 0, left: 1 })
        expect(crm.received).toEqual([])
      }

      await using hub = await open(MAPPED)
      await crm.until(1)
      await eventually(async () => {
        expect((await deliveriesOf(hub)).filter(({ state }) => state !== 'delivered')).toEqual([])
        expect(await eventsOf(hub, 'state=quarantined&dismissed=false')).toEqual([])
      })
      expect(await eventsOf(hub, 'state=quarantined')).toMatchObject([{ dismissedBy: 'hub' }])
      expect(await eventsOf(hub, 'kind=CustomerCreated&state=routed')).toMatchObject([{ identity: '41' }])
      // The platform sends it again: it is known.
      expect((await hub.post('CustomerCreated', strange(41), { eventId: 'C-1' })).body.status).toBe('duplicate')
      expect(bus.received.map(({ headers }) => headers['webhook-id'])).toEqual([firstId])
    },
  )
})

test('an operator has quarantined events read again, and the audit says so', async () => {
  await using folder = await createFolder()
  const open = (payloads: Mappings) => startTestHub({ folder: folder.path, config: { platform: { payloads } } })
  {
    await using hub = await open({})
    for (const id of [1, 2, 3]) await hub.post('CustomerCreated', strange(id), { eventId: `C-${id}` })
    await hub.post('CustomerCreated', { none: true }, { eventId: 'C-4' })
    expect(await eventsOf(hub, 'state=quarantined')).toHaveLength(4)
  }
  await using hub = await open(MAPPED)
  // What a start does by itself has been done when a command finds nothing more.
  await eventually(async () => expect(await eventsOf(hub, 'state=quarantined&dismissed=false')).toHaveLength(1))
  const { body } = await hub.admin<object>('events/reparse', { filter: {}, dryRun: true })
  expect(body).toMatchObject({ events: 0, left: 1, act: null })
  const { body: done } = await hub.admin<{ act: number }>('events/reparse', { filter: {}, reason: 'a new mapping' })
  const { body: audit } = await hub.admin<{ acts: { id: number; action: string }[] }>('audit')
  expect(JSON.stringify(audit)).toContain('"reparse"')
  expect(done.act).toBeGreaterThan(0)
})

test('news of an order that nobody could read goes on after a mapping, and an unknown word stays an operator’s', async () => {
  await using folder = await createFolder()
  await using shop = await startSink()
  const erp = { adapter: 'rest', url: shop.url, auth: { bearer: 'secret' } }
  const open = (payloads: Mappings) =>
    startTestHub({
      folder: folder.path,
      destinations: {
        shop: { ...erp, orders: { ready: { path: '/ready', body: '{ "number": order.number }' } } },
      } as never,
      config: { platform: { payloads, trustWebhooks: true } },
    })
  const { order } = orderUpdate({ orderNo: 'W-1', status: 'Picked' }) as { order: Record<string, unknown> }
  const { orderNo, ...rest } = order
  {
    await using hub = await open({})
    await hub.post('OmniChannelOrderUpdated', { order: { ...rest, Reference: orderNo } }, { eventId: 'O-1' })
    await hub.post(
      'OmniChannelOrderUpdated',
      { order: { ...order, orderNo: 'W-2', status: 'Pondered' } },
      { eventId: 'O-2' },
    )
    await eventually(async () =>
      expect((await deliveriesOf(hub)).map(({ flow, state }) => `${flow} ${state}`)).toEqual([
        'order-unread held',
        'order-unread held',
      ]),
    )
  }
  await using hub = await open({ OmniChannelOrderUpdated: { orderNo: 'order.Reference' } })
  await eventually(async () => {
    const states = (await deliveriesOf(hub)).map(({ event, flow, state }) => `${event} ${flow} ${state}`)
    expect(states).toContain('1 order-unread skipped')
    expect(states.some((one) => /^1 (?!order-unread)/.test(one))).toBe(true)
    expect(states).toContain('2 order-unread held')
  })
})
