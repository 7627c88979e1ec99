import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { delivery } from '../../fixtures/payloads.ts'
import { createFolder, deliveriesOf, type Given, startTestHub } from '../../hub.ts'
import { untilDelivery } from '../../queue/kit/kit.ts'
import { startSink } from '../../sink.ts'
import { migratedSchema, NO_SERVER, SERVER } from '../../storage/postgres/schema.ts'

/* What the platform calls the fields of a payload that nobody shows is a guess: what cannot be read is held, and goes on. */

const GIFT_CARD = 'GiftCardTransactionCreated'

/** As the hub guesses it, but for the amount. */
function giftCard(given: object = {}) {
  return {
    transactionId: 930_001,
    giftCardId: 7,
    type: 'Used',
    value: -250,
    currency: 'NOK',
    storeExtId: '101',
    posId: 3,
    createdDateTime: '2026-11-20T14:03:27',
    ...given,
  }
}

type Payloads = NonNullable<NonNullable<NonNullable<Given['config']>['platform']>['payloads']>

/** An ERP that reads files, one a record; hubs come and go on one store. */
async function openErp(store: { url?: string } = {}) {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await createFolder())
  const folder = join(path, 'erp')
  await mkdir(folder)
  const kinds = ['giftCard', 'received', 'delivery', 'movement']
  const write = Object.fromEntries(kinds.map((kind) => [kind, { name: `${kind}-{key}`, format: 'json' }]))
  const open = opened.move()
  return {
    hub: (payloads: Payloads = {}, others: Given['destinations'] = {}) =>
      startTestHub({
        folder: path,
        destinations: { erp: { adapter: 'files', folder, write }, ...others },
        config: { platform: { payloads }, store },
      }),
    async booked(kind: string): Promise<Record<string, Record<string, unknown>>[]> {
      const names = (await readdir(folder)).filter((name) => name.startsWith(`${kind}-`))
      const read = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))))
      return read.flat()
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

test('When a gift card has its amount under a name that nobody knows, then it is held by that name, and goes on once config names it', async () => {
  await using erp = await openErp()
  {
    await using hub = await erp.hub()
    await hub.post(GIFT_CARD, giftCard(), { eventId: 'G-1' })
    await hub.post(GIFT_CARD, giftCard({ transactionId: 930_002, amount: 600 }), { eventId: 'G-2' })
    const states = await eventually(async () => {
      const rows = await deliveriesOf(hub)
      expect(rows.map(({ state }) => state).sort()).toEqual(['delivered', 'held'])
      return rows
    })
    const held = states.find(({ state }) => state === 'held')
    expect(held).toMatchObject({ code: 'unreadable-field', flow: 'book-gift-card' })
    expect(held?.why).toBe(
      'GiftCardTransactionCreated: amount could not be read (amount: not there); map it in config: platform.payloads.GiftCardTransactionCreated.amount: <where it is>',
    )
    // A person cannot let it go as it is: it would say nothing.
    await hub.admin('deliveries/release', { filter: { id: held?.id }, reason: 'never mind' }, { 'x-operator': 'kari' })
    await untilDelivery(hub, held?.id ?? 0, ({ state, attempts }) => state === 'held' && attempts.length === 2)
    expect(await erp.booked('giftCard')).toMatchObject([{ transaction: { transactionId: '930002' } }])
  }
  await using hub = await erp.hub({ [GIFT_CARD]: { amount: 'value' } })
  await eventually(async () => expect(await erp.booked('giftCard')).toHaveLength(2))
  expect((await erp.booked('giftCard')).map(({ transaction }) => transaction?.amount)).toContainEqual({
    amount: '-250',
    currency: 'NOK',
  })
  await eventually(async () => {
    expect((await deliveriesOf(hub)).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  })
})

describe.each([
  ['SQLite', true],
  [`PostgreSQL${SERVER ? '' : `: ${NO_SERVER}`}`, SERVER !== undefined],
])('on %s', (name, isThere) => {
  test.skipIf(!isThere)(
    'When the id itself could not be read, then copies of the fact are booked once all the same',
    () => bookedOnce(name === 'SQLite'),
  )
})

async function bookedOnce(isFile: boolean) {
  await using schema = isFile ? null : await migratedSchema()
  await using erp = await openErp(schema ? { url: schema.url } : {})
  const unnamed = { transactionId: undefined, number: 'T-77', amount: 600 }
  {
    await using hub = await erp.hub()
    await hub.post(GIFT_CARD, giftCard(unnamed), { eventId: 'G-1' })
    await hub.post(GIFT_CARD, giftCard({ ...unnamed, sentAgain: 1 }), { eventId: 'G-1-again' })
    await eventually(async () => expect((await deliveriesOf(hub)).map(({ state }) => state)).toEqual(['held', 'held']))
  }
  await using hub = await erp.hub({ [GIFT_CARD]: { transactionId: 'number' } })
  await hub.post(GIFT_CARD, giftCard({ ...unnamed, sentAgain: 2 }), { eventId: 'G-1-once-more' })
  await eventually(async () => {
    const states = (await deliveriesOf(hub)).map(({ state }) => state)
    expect(states.sort()).toEqual(['delivered', 'skipped', 'skipped'])
  })
  expect(await erp.booked('giftCard')).toMatchObject([{ transaction: { transactionId: 'T-77' } }])
}

test('When what a delivery brought stands in a list of another name, then it is held whole, and then booked line by line', async () => {
  await using erp = await openErp()
  const { products, ...head } = delivery({ isCompleted: true })
  const lines = products.map(({ quantityReceived: _, ...line }) => ({ ...line, got: { count: 4 } }))
  {
    await using hub = await erp.hub()
    await hub.post('DeliveryItemsReceived', { ...head, lines })
    await eventually(async () => expect((await deliveriesOf(hub)).map(({ state }) => state)).toEqual(['held']))
    expect((await deliveriesOf(hub))[0]?.why).toContain('lines could not be read (products: not there)')
    // Another delivery does not wait for it.
    await hub.post(
      'DeliveryUpdated',
      delivery({ orderId: 90_211, products: [{ ...products[0], quantityReceived: 1 }] }),
    )
    await eventually(async () => expect(await erp.booked('received')).toHaveLength(1))
  }
  await using hub = await erp.hub({ DeliveryItemsReceived: { lines: 'lines', 'lines.received': 'got.count' } })
  await eventually(async () => expect(await erp.booked('received')).toHaveLength(2))
  expect(await erp.booked('received')).toContainEqual(
    expect.objectContaining({ quantity: '4', line: expect.objectContaining({ gtin: '7090012340011' }) }),
  )
  await eventually(async () => expect(await erp.booked('delivery')).toHaveLength(1))
  expect((await deliveriesOf(hub)).filter(({ state }) => state === 'held')).toEqual([])
})

test('When config names fields, then a raw event goes on as it came, byte for byte', async () => {
  await using sink = await startSink()
  await using erp = await openErp()
  const bus = { adapter: 'http', url: sink.url, publish: 'all' as const }
  await using hub = await erp.hub({ [GIFT_CARD]: { amount: 'value' } }, { bus })
  const body = JSON.stringify(giftCard(), null, 3)
  await hub.post(GIFT_CARD, body)
  await eventually(async () => {
    expect((await deliveriesOf(hub)).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  })
  expect(sink.received.map((request) => String(request.body))).toEqual([body])
  expect(await erp.booked('giftCard')).toMatchObject([{ transaction: { amount: { amount: '-250' } } }])
})

test('When an amount has to be computed, and the currency is known to the retailer alone, then JSONata of the config says both', async () => {
  await using erp = await openErp()
  const payload = giftCard({ value: undefined, currency: undefined, Transaction: { Sum: '600.00', Direction: 'out' } })
  {
    await using hub = await erp.hub({ [GIFT_CARD]: { amount: '-$number(Transaction.Total)', currency: "'NOK'" } })
    await hub.post(GIFT_CARD, payload, { eventId: 'G-1' })
    await eventually(async () => expect((await deliveriesOf(hub)).map(({ state }) => state)).toEqual(['held']))
    expect((await deliveriesOf(hub))[0]?.why).toMatch(/amount could not be read .*\(config says: amount is -\$number/)
  }
  await using _hub = await erp.hub({
    [GIFT_CARD]: { amount: '(Transaction.Direction = "out" ? -1 : 1) * $number(Transaction.Sum)', currency: "'NOK'" },
  })
  await eventually(async () =>
    expect(await erp.booked('giftCard')).toMatchObject([
      { transaction: { transactionId: '930001', amount: { amount: '-600', currency: 'NOK' } } },
    ]),
  )
})

test('When a body is so large that it is read aside, then it is read as config says all the same', async () => {
  await using erp = await openErp()
  await using hub = await erp.hub({ [GIFT_CARD]: { transactionId: "'T-' & ref", amount: '$number(sum)' } })
  const big = giftCard({ transactionId: undefined, ref: 7, sum: '600', notes: Array(3_000).fill('x'.repeat(100)) })
  await hub.post(GIFT_CARD, big, { eventId: 'G-1' })
  await hub.post(GIFT_CARD, { ...big, again: 1 }, { eventId: 'G-2' })
  await eventually(async () =>
    expect((await deliveriesOf(hub)).map(({ state }) => state)).toEqual(expect.arrayContaining(['delivered'])),
  )
  expect(await erp.booked('giftCard')).toMatchObject([
    { transaction: { transactionId: 'T-7', amount: { amount: '600', currency: 'NOK' } } },
  ])
  // The same transaction, by the id that config computes: it is owed once.
  expect(await deliveriesOf(hub)).toHaveLength(1)
})
