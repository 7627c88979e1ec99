import { expect, test } from 'vitest'
import type { OrderLineUpdate } from '../../src/domain/orders/order-update.ts'
import type { PlacedOrder } from '../../src/domain/orders/which-order.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import { requireWebOrder } from '../../src/queue/order-reader.ts'
import type { EventFilter } from '../../src/storage/rows.ts'
import { endlessAisle, saleLine } from '../fixtures/payloads.ts'

const [TEE, CAP] = ['7090012340011', '7090012340028']

/** A web order of these articles, one of each. */
function webOf(...gtins: string[]): PlacedOrder {
  const lines = gtins.map((gtin) => ({ gtin, name: null, quantity: parseDecimal(1) }))
  return { number: 'A1', status: null, storeName: null, customer: null, lines }
}

function pieces(gtin: string, quantity = 1): OrderLineUpdate {
  return { key: gtin, rowId: null, gtin, quantity: parseDecimal(quantity), status: 'Picked' }
}

/** A store that has a POS's order of the number, with this payload; null: the body is not kept; undefined: none. */
function booksOf(payload?: object | null) {
  const asked: EventFilter[] = []
  const books = {
    events: async (filter: EventFilter) => {
      asked.push(filter)
      return payload === undefined ? [] : [{ id: 55 }]
    },
    event: async (id: number) => (id === 55 && payload ? { body: Buffer.from(JSON.stringify(payload)) } : null),
  } as unknown as Parameters<typeof requireWebOrder>[2]
  return { asked, books }
}

const pos = (...gtins: string[]) => endlessAisle({ orderNo: 'A1', orderLines: gtins.map((gtin) => saleLine({ gtin })) })

function reported(lines: OrderLineUpdate[], web: PlacedOrder, payload?: object | null) {
  const { asked, books } = booksOf(payload)
  const ends = requireWebOrder({ number: 'A1', lines }, web, books).then(
    () => 'reported',
    ({ code, message }) => `${code}: ${message}`,
  )
  return { asked, ends }
}

test('When no POS has an order of the number, and the goods are those of the web order, then its customer may be told', async () => {
  const { asked, ends } = reported([pieces(TEE)], webOf(TEE))
  expect(await ends).toBe('reported')
  expect(asked).toMatchObject([{ kind: 'OmniChannelEndlessAisleOrderCreated', entity: 'order:A1', limit: 1 }])
})

test('When the web order has none of these goods, then its customer is not told', async () => {
  expect(await reported([pieces(CAP)], webOf(TEE)).ends).toMatch(
    /^ambiguous-order: The web order A1 has none of these goods/,
  )
})

test('When a POS has one of the same number, then the goods say whose it is', async () => {
  expect(await reported([pieces(TEE)], webOf(TEE), pos(CAP)).ends).toBe('reported')
  expect(await reported([pieces(CAP)], webOf(TEE), pos(CAP)).ends).toMatch(
    /^ambiguous-order: The number A1 is that of a web order and of an order of a POS \(event 55\), and the goods are the POS's/,
  )
})

test('When both have the goods, or nobody can read what the POS’s has, then it may be either', async () => {
  const either =
    /^ambiguous-order: messages: the number A1 is that of several orders: A1 \(a web order\), event 55 \(an order of a POS\)/
  expect(await reported([pieces(TEE)], webOf(TEE), pos(TEE)).ends).toMatch(either)
  for (const unread of [null, {}, [], { orderLines: 'many' }])
    expect(await reported([pieces(CAP)], webOf(TEE), unread).ends).toMatch(either)
})

test('When the web order has the article, but fewer of it than the event names, then it is not the one', async () => {
  expect(await reported([pieces(TEE, 2)], webOf(TEE), pos(TEE, TEE)).ends).toMatch(/the goods are the POS's/)
  expect(await reported([pieces(TEE, 2)], webOf(TEE, TEE), pos(TEE)).ends).toBe('reported')
})

test('When the event names its goods by rows alone, then lines without an article are not taken for them', async () => {
  const row: OrderLineUpdate = { ...pieces(TEE), gtin: null, rowId: '7' }
  const web = webOf(TEE)
  const nameless = { ...web, lines: [{ gtin: null, name: 'Freight', quantity: parseDecimal(1) }] }
  expect(await reported([row], nameless, pos(TEE)).ends).toMatch(/several orders/)
})
