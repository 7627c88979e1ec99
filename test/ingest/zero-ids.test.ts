import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { samePerson } from '../../src/domain/customers/customer-record.ts'
import { identifiersOf, personNodesOf } from '../../src/domain/privacy/person-nodes.ts'
import { transportKeyOf } from '../../src/domain/queue/event.ts'
import { field, idText, isId } from '../../src/domain/values/field.ts'
import { flows } from '../../src/flows/index.ts'
import { createInbox, type Inbox } from '../../src/ingest/accept.ts'
import { createReader, createReading } from '../../src/ingest/parse.ts'
import { createRoute } from '../../src/ingest/route.ts'
import { readCustomer, readSaleCustomer } from '../../src/platform/payloads/customer.ts'
import { SHAPES } from '../../src/platform/payloads/known/kinds.ts'
import { locationOf, orNothing, type Shape } from '../../src/platform/payloads/read-field.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { openTestStore } from '../empty-store.ts'
import { NAMED } from '../fixtures/named-payloads.ts'
import { temporaryFolder } from '../storage/sqlite/file.ts'

/* Ids that are none: programs write nothing, 0 or a GUID of zeros where they have no id. */

const GUID = '00000000-0000-0000-0000-000000000000'
const ZEROS = [
  '',
  '   ',
  0,
  '0',
  ' 0 ',
  '000',
  GUID,
  `{${GUID}}`,
  `(${GUID})`,
  GUID.replaceAll('-', ''),
  ` { ${GUID} } `,
]

test.each(ZEROS)('%j is no id', (value) => {
  expect(idText({ Id: value }, 'id')).toBeNull()
  expect(transportKeyOf(String(value))).toBeNull()
})

test.each([1, -1, '10', '0A', '00000000-0000-0000-0000-000000000001', 'A-0', 'ORDER 0'])('%j is an id', (value) => {
  expect(idText({ Id: value }, 'id')).toBe(String(value))
})

let storage: Storage
let inbox: Inbox
const folder = temporaryFolder()
beforeAll(async () => {
  storage = await openTestStore(join(folder.path, 'zeros.db'))
  const everything = {
    ...{ name: 'all', publish: 'all' as const, skip: [], stores: null, channels: {} },
    abilities: [...new Set(flows.flatMap(({ port, method }) => [port, ...(method ? [`${port}.${method}`] : [])]))],
    messages: [...new Set(flows.flatMap(({ message }) => message ?? []))],
    daily: { flows: [], closes: '03:00' },
  }
  inbox = createInbox(storage, createReader(createReading({ route: createRoute(flows, [everything]) })))
})
afterAll(async () => {
  await storage[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Where the fields of a shape stand in a payload, with what stands there: those that are ids, or any that `wanted` takes. */
function* placesIn(
  shape: Shape,
  payload: unknown,
  wanted: (is: string, key: string) => boolean,
): Generator<{ holder: Record<string, unknown>; name: string }> {
  for (const [key, { is, names }] of Object.entries(shape.fields)) {
    if (!wanted(is, key)) continue
    const { list } = locationOf(key)
    for (const row of list === null ? [payload] : rowsOf(shape, list, payload))
      for (const path of names) {
        const steps = path.split('.')
        const name = steps.pop() ?? ''
        const holder = steps.reduce<unknown>((at, step) => field(at, step), row)
        const key = Object.keys(Object(holder)).find((one) => one.toLowerCase() === name.toLowerCase())
        if (key !== undefined) yield { holder: holder as Record<string, unknown>, name: key }
      }
  }
}

function rowsOf(shape: Shape, list: string, payload: unknown): unknown[] {
  const outer = locationOf(list).list
  const within = outer === null ? [payload] : rowsOf(shape, outer, payload)
  return within.flatMap((row) =>
    (shape.fields[list]?.names ?? []).flatMap((path) => {
      const found = path.split('.').reduce<unknown>((at, step) => field(at, step), row)
      return Array.isArray(found) ? found : []
    }),
  )
}

let events = 0

/** One more event of a kind: ids, receipts and times are its own, but for those ids that are zero. */
function eventOf(kind: string, payload: object, zeros: ReadonlyMap<number, unknown>): object {
  const shape = SHAPES.get(kind) as Shape
  const made = structuredClone(payload)
  events += 1
  const own = events
  let nth = 0
  for (const { holder, name } of placesIn(shape, made, (is) => is === 'id')) {
    const zero = zeros.get(nth)
    nth += 1
    // What is not there stays so: many fields are of one kind of payload alone.
    if (holder[name] === null || holder[name] === '') continue
    holder[name] = zero === undefined ? 1_000_000 + own * 1_000 + nth : zero
  }
  for (const { holder, name } of placesIn(shape, made, (_, key) => key === 'receiptNo')) holder[name] = `R${own}`
  for (const { holder, name } of placesIn(shape, made, (is) => is === 'time'))
    holder[name] = new Date(Date.parse('2026-01-01T08:00:00Z') + own * 60_000).toISOString().slice(0, 19)
  return { ...made, madeNth: own }
}

async function take(kind: string, payload: object) {
  const body = Buffer.from(JSON.stringify(payload))
  const came = { subscription: 'all', receivedAt: 1_767_225_600_000, headers: {}, transportKey: null, unreadable: null }
  return await inbox.accept({ ...came, kind, origin: 'platform', body })
}

describe.each([...SHAPES.keys()])('%s with ids that are none', (kind) => {
  const payloads = NAMED.filter(({ kinds }) => kinds.includes(kind)).map(({ payload }) => payload)

  test('two events are two: neither is swallowed, and nothing that they bring about is one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...payloads),
        fc.dictionary(fc.integer({ min: 0, max: 40 }).map(String), fc.constantFrom(...ZEROS), { maxKeys: 40 }),
        fc.boolean(),
        async (payload, some, isAll) => {
          const zeros = new Map(
            isAll
              ? Array.from({ length: 80 }, (_, nth) => [nth, ZEROS[(nth + Object.keys(some).length) % ZEROS.length]])
              : Object.entries(some).map(([nth, zero]) => [Number(nth), zero]),
          )
          const verdicts = []
          for (const _ of [1, 2]) verdicts.push(await take(kind, eventOf(kind, payload, zeros)))
          expect(verdicts.map(({ status }) => status)).not.toContain('duplicate')
          expect(verdicts.map(({ status }) => status)).not.toContain('conflict')
          const [one, other] = await Promise.all(verdicts.map(({ id }) => storage.event(id)))
          // What is owed once, whatever event calls for it, is owed by both: nothing of the second was taken for the first's.
          const steps = (event: typeof one) => event?.deliveries.map(({ flow, part }) => `${flow} ${part}`).length
          expect(steps(other)).toBe(steps(one))
          for (const { entity, identity } of [one, other].flatMap((event) => event ?? []))
            for (const name of [identity, entity?.slice(entity.indexOf(':') + 1)])
              if (kind.startsWith('Customer') || kind.startsWith('Delivery'))
                expect(name == null || isId(name)).toBe(true)
        },
      ),
      { numRuns: 12 },
    )
  })
})

test.each(ZEROS)('two people who both have the customer id %j are two', (zero) => {
  const [kari, ola] = ['Kari', 'Ola'].map((firstName) => ({
    ...{ customerId: zero, customerExtId: zero, firstName, lastName: 'Nordmann' },
    ...{ email: `${firstName.toLowerCase()}@example.com`, phoneCountryPrefix: '', phone: '', address: null },
  }))
  for (const read of [
    (customer: unknown) => orNothing(() => readSaleCustomer({ customer })),
    (customer: unknown) => readCustomer(customer),
  ]) {
    const [one, other] = [read(kari), read(ola)]
    if (one && other) expect(samePerson(one, other)).toBeNull()
    expect([one?.customerId ?? null, one?.extId ?? null]).toEqual([null, null])
  }
  const nodes = personNodesOf('SaleCreated', { customer: kari })
  expect(nodes.flatMap((node) => identifiersOf(node).customerIds)).toEqual([])
})

test.each([GUID, 0, ''])(
  'a refund whose id is %j is held by name for each of two orders, and paid for neither',
  async (id) => {
    const of = (orderNo: string) =>
      take('OmniChannelOrderRefundUpdated', {
        refund: {
          ...{ orderNo, id, status: 'Returned', isRefunded: false },
          orderLines: [{ quantity: 1, gtin: '7090012340011', id: '1', status: 'Returned' }],
          fulfillmentLocation: { stockId: 12, stockName: 'Oslo City', posId: 1, personId: 1, shipmentInfo: [] },
        },
      })
    const [first, second] = [await of(`A-${String(id)}`), await of(`B-${String(id)}`)]
    expect([first.status, second.status]).toEqual(['accepted', 'accepted'])
    for (const { id: event } of [first, second]) {
      const pending = (await storage.event(event))?.deliveries.map(({ flow }) => flow)
      expect(pending).toContain('order-unread')
      expect(pending).not.toContain('refund-goods')
    }
  },
)
