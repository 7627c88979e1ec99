import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type SandboxPlatform, startPlatform } from '../../../sandbox/platform/platform.ts'
import type { EndpointOverrides } from '../../../src/platform/http/endpoint.ts'
import { type OperationName, PRESETS } from '../../../src/platform/http/endpoints.ts'
import { answerReadOf, createPlatform, type Platform } from '../../../src/platform/platform.ts'
import type { NewOrder } from '../../../src/platform/resources/orders.ts'
import {
  asItIs,
  broken,
  type ChangedAnswers,
  elsewhere,
  nameElsewhere,
  nulls,
  offsets,
  startChangedAnswers,
  texts,
} from './changed-answers.ts'

/** What is at the platform before anything is asked. */
interface Prepared {
  gtin: string
  /** A subscription, and an event that was sent to it. */
  webhookId: string
  webhookEventId: string
  day: string
  customerId: string
  /** Of the product with the extId `Prepared`; in a dialect that tells no ids, one of nothing. So are the others. */
  productId: string
  listId: string
  reservationId: string
}

/** What a dialect has of a method: it is read; `absent`: nobody shows it; `silent`: it is done, and nothing is answered. */
type Shown = 'read' | 'absent' | 'silent'

interface Reading {
  call(platform: Platform, prepared: Prepared): Promise<unknown>
  names(found: never): (string | null | undefined)[]
  spec: Shown
  v2: Shown
  /** What is made of an absent one: an error (the usual), or "none", which proves nothing. */
  absent?: 'none'
  /** A list with a row of which nothing can be read; `-`: it is no list. `fails`: nothing of it is told; `survives`: the others are. */
  broken: 'fails' | 'survives' | '-'
}

const STOCK = { storeId: '42', stockId: '12' }
const name = ({ webhookId, webhookEventId }: Prepared) => ({ webhookId, webhookEventId })
const all = (day: string) => ({ from: day, to: day })

const USUAL = { spec: 'read', v2: 'read', broken: 'survives' } as const

/** What is not said of a method is as usual. */
const ROWS: Readonly<Record<string, Omit<Reading, keyof typeof USUAL> & Partial<Reading>>> = {
  'stores.list': {
    call: async ({ stores }) => (await stores.list()).rows,
    names: (found: { storeId: string }[]) => found.map(({ storeId }) => storeId),
  },
  'webhooks.list': {
    call: async ({ webhooks }) => (await webhooks.list()).rows,
    names: (found: { id: string }[]) => found.map(({ id }) => id),
    spec: 'absent',
  },
  'webhooks.types': { call: async ({ webhooks }) => (await webhooks.types()).rows, names: (found: string[]) => found },
  'webhooks.schema': {
    call: async ({ webhooks }) => Object.keys((await webhooks.schema('SaleCreated')) as object),
    names: (found: string[]) => found,
    broken: '-',
  },
  'events.list': {
    call: async ({ events }, { webhookId }) =>
      (await events.list({ webhookId, from: Date.now() - 3_600_000, to: Date.now(), includePayload: true })).rows,
    names: (found: { webhookEventId: string }[]) => found.map(({ webhookEventId }) => webhookEventId),
  },
  'events.get': {
    call: ({ events }, prepared) => events.get(name(prepared)),
    names: (found: { webhookEventId: string }) => [found.webhookEventId],
    spec: 'absent',
    absent: 'none',
    broken: '-',
  },
  'products.byExtId': {
    call: ({ products }) => products.byExtId('Prepared'),
    names: (found: { extId: string }) => [found.extId],
    spec: 'absent',
    absent: 'none',
    broken: '-',
  },
  'products.byGtin': {
    call: ({ products }, { gtin }) => products.byGtin(gtin),
    names: (found: { productId: string }) => [found.productId],
    spec: 'absent',
    broken: 'fails',
  },
  'products.search': {
    call: ({ products }) => Array.fromAsync(products.search({ pageSize: 500 })),
    names: (found: { productId: string }[]) => found.map(({ productId }) => productId),
    spec: 'absent',
  },
  'prices.lists': {
    call: async ({ prices }) => (await prices.lists()).rows,
    names: (found: { id: string }[]) => found.map(({ id }) => id),
    spec: 'absent',
  },
  'stock.levels': {
    call: async ({ stock }) => (await stock.levels({ stockIds: ['12'] })).rows,
    names: (found: { id: string; quantity: string }[]) => found.map(({ id, quantity }) => `${id} ${quantity}`),
  },
  'goodsDeliveries.list': {
    call: async ({ goodsDeliveries }) => (await goodsDeliveries.list('12')).rows,
    names: (found: { orderId: string }[]) => found.map(({ orderId }) => orderId),
    v2: 'absent',
  },
  'customers.search': {
    call: ({ customers }) => Array.fromAsync(customers.search({ email: 'liv@example.com' })),
    names: (found: { customerId: string }[]) => found.map(({ customerId }) => customerId),
    spec: 'absent',
  },
  'orders.read': {
    call: ({ orders }) => orders.read('W-1'),
    names: (found: { orderNo: string; status: string }) => [found.orderNo, found.status],
    spec: 'absent',
    absent: 'none',
    broken: '-',
  },
  'salesLines.list': {
    call: async ({ salesLines }, { day }) => {
      const select: string[] = []
      const windows = await Array.fromAsync(salesLines.list({ ...all(day), select }))
      return windows.flatMap(({ rows }) => rows)
    },
    names: (found: { gtin: string; quantity: string }[]) => found.map(({ gtin, quantity }) => `${gtin} ${quantity}`),
  },
  'stockMovements.list': {
    call: async ({ stockMovements }, { day }) => {
      const windows = await Array.fromAsync(stockMovements.list(all(day)))
      return windows.flatMap(({ rows }) => rows)
    },
    names: (found: { gtin: string; quantity: string }[]) => found.map(({ gtin, quantity }) => `${gtin} ${quantity}`),
  },
  'stockStatus.list': {
    call: async ({ stockStatus }) => (await stockStatus.list({ stockId: '12' })).rows,
    names: (found: { gtin: string }[]) => found.map(({ gtin }) => gtin),
    spec: 'absent',
  },
  'settlements.list': {
    call: async ({ settlements }, { day }) => (await settlements.list({ day })).rows,
    names: (found: { settlementId: string }[]) => found.map(({ settlementId }) => settlementId),
  },
  'listedPrices.read': {
    call: async ({ listedPrices }, { listId, gtin }) => (await listedPrices.read(listId, { gtin })).rows,
    names: (found: { price: string }[]) => found.map(({ price }) => price),
    spec: 'absent',
    absent: 'none',
  },
  'listedPrices.byGtin': {
    call: async ({ listedPrices }, { gtin }) => (await listedPrices.byGtin(gtin)).prices.rows,
    names: (found: { price: string }[]) => found.map(({ price }) => price),
    spec: 'absent',
  },
  'stocks.list': {
    call: async ({ stocks }) => (await stocks.list()).rows,
    names: (found: { stockId: string }[]) => found.map(({ stockId }) => stockId),
    spec: 'absent',
    broken: '-',
  },
  'reservations.list': {
    call: async ({ reservations }) => (await reservations.list('12')).rows,
    names: (found: { id: string }[]) => found.map(({ id }) => id),
    spec: 'absent',
  },
  'freight.read': {
    call: ({ freight }) => freight.read(),
    names: (found: string) => [found],
    spec: 'absent',
    broken: '-',
  },
}

const READINGS: Readonly<Record<string, Reading>> = Object.fromEntries(
  Object.entries(ROWS).map(([name, row]) => [name, { ...USUAL, ...row }]),
)

const ORDER: NewOrder = {
  orderNo: 'W-2',
  customer: { firstName: 'Liv', email: 'liv@example.com', phone: '99887766', phoneCountryCode: '47' },
  billingAddress: { firstName: 'Liv', address1: 'Storgata 1', city: 'Oslo', countryCode: 'NO' },
  lines: [{ gtin: '7090012340011', price: '199.95', quantity: '2' }],
  payments: [{ amount: '399.90', currency: 'NOK', type: 'Card' }],
  saleDateTime: Date.parse('2026-11-20T12:00:00Z'),
}

/** A method that changes something, and what it gives: its id, or `null` where the success is all that is known. */
interface Writing {
  call(platform: Platform, prepared: Prepared): Promise<unknown>
  spec: Exclude<Shown, 'read'> | 'id'
  v2: Exclude<Shown, 'read'> | 'id'
}

const shoe = (extId: string, gtin: string) => ({
  ...{ extId, name: 'Shoe', brand: 'Brand', groupName: 'Shoes', season: 'BASIC', color: 'Red', price: '10.50' },
  createProductSpecificSize: true,
  productSizes: [{ gtin, label: 'M', externalSKU: `sku-${gtin}` }],
})

const bulk = async (parts: AsyncIterable<{ items: { status: string; errors: unknown }[] }>) => {
  const items = (await Array.fromAsync(parts)).flatMap((part) => part.items)
  const failed = items.find(({ status }) => status === 'failed')
  if (failed) throw new Error(JSON.stringify(failed.errors))
  return items.map(({ status }) => status)
}

/** Of areas that the specification does not have at all: nothing but the success is known. */
const DONE = { spec: 'absent', v2: 'silent' } as const
const SILENT = { spec: 'silent', v2: 'silent' } as const

/** Every method that writes, in an order in which each can be. */
const WRITINGS: Readonly<Record<string, Writing>> = {
  'customers.obtain': {
    call: ({ customers }) => customers.obtain({ extId: 'C-2', firstName: 'Ada', email: 'ada@example.com' }),
    spec: 'id',
    v2: 'id',
  },
  'webhooks.create': {
    call: ({ webhooks }) => webhooks.create({ event: 'SaleCreated', url: 'http://127.0.0.1:9/' }),
    ...SILENT,
  },
  'webhooks.update': {
    call: ({ webhooks }, { webhookId: id }) =>
      webhooks.update({ id, event: 'StockMovementCreated', url: 'http://127.0.0.1:9/', storeId: null }),
    ...DONE,
  },
  'events.resend': { call: ({ events }, prepared) => events.resend(name(prepared)), ...DONE },
  'webhooks.delete': { call: ({ webhooks }, { webhookId }) => webhooks.delete(webhookId), ...DONE },
  'products.save': { call: ({ products }) => products.save(shoe('Saved', '7000000000011')), ...SILENT },
  'products.update': {
    call: ({ products }) => products.update({ extId: 'Prepared' }, { description: 'Warm' }),
    ...SILENT,
  },
  'products.bulkInsert': {
    call: ({ products }) => bulk(products.bulkInsert([shoe('Inserted', '7000000000028')])),
    spec: 'absent',
    v2: 'id',
  },
  'products.bulkUpsert': {
    call: ({ products }) => bulk(products.bulkUpsert([shoe('Upserted', '7000000000035')])),
    spec: 'absent',
    v2: 'id',
  },
  'prices.saveList': {
    call: ({ prices }, { gtin }) =>
      prices.saveList({ name: 'Club', prices: [{ gtin, price: '99.90', validTo: '2030-12-24' }] }),
    ...SILENT,
  },
  'prices.saveCosts': {
    call: ({ prices }, { gtin }) => prices.saveCosts({ currency: 'NOK', costPrices: [{ gtin, price: '41.25' }] }),
    ...SILENT,
  },
  'stock.adjust': {
    call: ({ stock }, { gtin }) => stock.adjust({ stockId: '12', items: [{ gtin, quantity: '7' }] }),
    ...SILENT,
  },
  'goodsDeliveries.create': {
    call: ({ goodsDeliveries }, { gtin }) =>
      goodsDeliveries.create({
        ...STOCK,
        extRef: 'PO-1',
        insertAsConfirmed: true,
        requestId: '11111111-2222-4333-8444-555555555555',
        orderDate: Date.parse('2026-11-20T12:00:00Z'),
        expectedDeliveryDate: '2026-11-25',
        orderLines: [{ gtin, qty: '3', cost: '41.25' }],
      }),
    spec: 'silent',
    v2: 'id',
  },
  'sales.import': {
    call: ({ sales }, { gtin, customerId }) =>
      sales.import(
        {
          saleGuid: '21111111-2222-4333-8444-555555555555',
          extRef: 'W-3',
          customerId,
          saleDateTime: Date.parse('2026-11-20T12:00:00Z'),
          lines: [{ gtin, price: '199.95', quantity: '2', stockId: '-1' }],
          payments: [{ amount: '399.90', type: 99 }],
        },
        { storeId: '42' },
      ),
    spec: 'silent',
    v2: 'id',
  },
  'orders.create': { call: ({ orders }) => orders.create(ORDER, STOCK), spec: 'silent', v2: 'id' },
  'orders.update': {
    call: ({ orders }) => orders.update({ ...ORDER, orderNo: 'W-1', status: 'UnHandled' }, STOCK),
    ...DONE,
  },
  'orders.delete': { call: ({ orders }) => orders.delete('W-1'), ...DONE },
  'corrections.create': {
    call: ({ corrections }, { gtin }) =>
      corrections.create({ ...STOCK, extRef: 'C-1', comment: 'Broken', lines: [{ gtin, qty: '-1' }] }),
    ...DONE,
  },
  'transfers.create': {
    call: ({ transfers }, { gtin }) =>
      transfers.create({
        ...{ extRef: 'T-1', fromStockId: '12', storeId: '42', toStockId: '13', received: true },
        lines: [{ gtin, qty: '1' }],
      }),
    spec: 'absent',
    v2: 'id',
  },
  'reservations.create': {
    call: async ({ reservations }, { gtin }) =>
      void (await reservations.create({ stockId: '12', extId: 'W-9', lines: [{ gtin, quantity: '1' }] })),
    ...DONE,
  },
  'reservations.change': {
    call: ({ reservations }, { reservationId }) => reservations.change(reservationId, { hours: 48 }),
    ...DONE,
  },
  'reservations.release': {
    call: ({ reservations }, { reservationId }) => reservations.release(reservationId),
    ...DONE,
  },
  'customers.delete': { call: ({ customers }, { customerId }) => customers.delete(customerId), ...DONE },
  'listedPrices.delete': {
    call: ({ listedPrices }, { listId, gtin }) => listedPrices.delete(listId, { gtin }),
    ...DONE,
  },
  'products.deleteGtinByExtId': {
    call: ({ productRemovals }) => productRemovals.deleteGtin({ extId: 'Prepared' }, '7000000000059'),
    ...DONE,
  },
  'products.deleteGtin': {
    call: ({ productRemovals }, { productId }) => productRemovals.deleteGtin({ productId }, '7000000000066'),
    ...DONE,
  },
  'products.deleteGtins': {
    call: ({ productRemovals }, { productId }) => productRemovals.deleteGtins({ productId }),
    ...DONE,
  },
  'products.delete': { call: ({ productRemovals }) => productRemovals.delete({ extId: 'Prepared' }), ...DONE },
}

/*
 * Each method of the client, in each dialect, with each way of writing that a platform may have: what must come out. A document
 * that does not show an operation leaves it a guess: its 404 proves nothing.
 */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

test('When the client has an operation, then it has a row here, or is a part of one', () => {
  // Counts belong to the searches.
  const rows = [...Object.keys(READINGS), ...Object.keys(WRITINGS), 'products.count', 'customers.count']
  expect(rows.sort()).toEqual(Object.keys(PRESETS.spec).sort())
})

describe.each([
  ['spec', 'spec', 'spec'],
  ['facts', 'spec', null],
  ['frontsystems-v2', 'frontsystems-v2', 'v2'],
] as const)('in the dialect %s', (dialect, preset, column) => {
  let sandbox: SandboxPlatform
  let between: ChangedAnswers
  let platform: Platform
  let prepared: Prepared

  beforeAll(async () => {
    sandbox = await startPlatform({ ...KEYS, dialect, seedCatalogue: false })
    between = await startChangedAnswers(sandbox.url)
    const base = sandbox.apiUrl.slice(sandbox.url.length)
    platform = createPlatform({ preset, baseUrl: between.url + base, ...KEYS })
    prepared = await prepare(platform, sandbox)
  })

  beforeEach(() => {
    between.change = asItIs
  })

  afterAll(async () => {
    await platform[Symbol.asyncDispose]()
    await between[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  })

  const entries = Object.entries(READINGS)
  const isAbsent = ([, reading]: Row) => column !== null && reading[column] === 'absent'
  const there = entries.filter((row) => !isAbsent(row))
  const read = async ({ call }: Reading) => withoutRecords(await call(platform, prepared))

  for (const [name, reading] of entries.filter(isAbsent))
    test(`When ${name} is not shown, then it is missing, and that proves nothing`, async () => {
      if (reading.absent === 'none') expect((await read(reading)) ?? []).toEqual([])
      else await expect(read(reading)).rejects.toMatchObject({ code: 'http-404' })
      expect(await platform.operations.isProven(name as OperationName)).toBe(false)
    })

  test.each(there)('When every field of %s that may be null is, then the rows are the same', async (_, reading) => {
    const full = namesOf(reading, await read(reading))
    expect(full).not.toEqual([])
    between.change = nulls
    expect(namesOf(reading, await read(reading))).toEqual(full)
  })

  test.each(there)('When the numbers of %s are text, then everything is the same', async (_, reading) => {
    const full = await read(reading)
    between.change = texts
    expect(await read(reading)).toEqual(full)
  })

  test.each(there)('When the times of %s have an offset, then the rows are the same', async (_, reading) => {
    const full = namesOf(reading, await read(reading))
    between.change = offsets
    expect(namesOf(reading, await read(reading))).toEqual(full)
  })

  for (const [name, reading] of there.filter(([, reading]) => reading.broken !== '-'))
    test(`When one row of ${name} is broken, then it is known what is told`, async () => {
      const full = namesOf(reading, await read(reading))
      between.change = broken
      if (reading.broken === 'survives')
        expect(namesOf(reading, await read(reading))).toEqual(expect.arrayContaining(full))
      else await expect(read(reading)).rejects.toMatchObject({ code: 'unexpected-answer' })
    })

  describe('what is written', () => {
    test.each(Object.entries(WRITINGS))('%s', async (operation, { call, ...shown }) => {
      const expected = column === null ? 'any' : shown[column]
      const written = () => call(platform, prepared)
      if (expected === 'absent') {
        await expect(written()).rejects.toThrow('404')
        expect(await platform.operations.isProven(operation as OperationName)).toBe(false)
        return
      }
      // An id may come as text.
      between.change = texts
      const answer = await written()
      if (expected === 'silent') expect(answer ?? null).toBeNull()
      if (expected === 'id')
        expect(answer).toEqual(Array.isArray(answer) ? ['created'] : expect.stringMatching(/^\d+$/))
    })
  })
})

describe('a platform whose answers have other shapes and names', () => {
  let sandbox: SandboxPlatform
  let between: ChangedAnswers
  let plain: Platform
  let mapped: Platform
  let prepared: Prepared

  beforeAll(async () => {
    sandbox = await startPlatform({ ...KEYS, seedCatalogue: false })
    between = await startChangedAnswers(sandbox.url)
    plain = createPlatform({ preset: 'spec', baseUrl: between.url, ...KEYS })
    mapped = createPlatform({ preset: 'spec', baseUrl: between.url, ...KEYS, endpoints: elsewhereConfig() })
    prepared = await prepare(plain, sandbox)
  })

  afterAll(async () => {
    await plain[Symbol.asyncDispose]()
    await mapped[Symbol.asyncDispose]()
    await between[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  })

  test.each(Object.entries(READINGS))('%s is read as if it had the documented ones', async (name, { call }) => {
    between.change = asItIs
    const documented = withoutRecords(await call(plain, prepared))
    between.change = elsewhere(shapeElsewhere(name as OperationName))
    expect(withoutRecords(await call(mapped, prepared))).toEqual(documented)
    const reported = await call(plain, prepared).catch((error: Error) => error.message)
    expect(withoutRecords(reported)).not.toEqual(documented)
  })
})

/** Odata is asked for columns by their names, and a schema or a map of stocks has no fields of its own. */
function shapeElsewhere(name: OperationName) {
  const read = answerReadOf(name)
  const names = PRESETS.spec[name].base === 'rest' && read?.fields.length !== 0 && name !== 'stocks.list'
  return { isList: read?.isList === true && name !== 'stocks.list', names }
}

function elsewhereConfig(): EndpointOverrides {
  const operations = Object.keys(PRESETS.spec) as OperationName[]
  return Object.fromEntries(
    operations.flatMap((name) => {
      const read = answerReadOf(name)
      if (read === null) return []
      const { isList, names } = shapeElsewhere(name)
      const fields = read.fields.map((field) => [field, nameElsewhere(field.split('.').at(-1) ?? '')])
      const said = {
        record: 'found',
        ...(isList && { list: 'data.rows' }),
        ...(names && { fields: Object.fromEntries(fields) }),
      }
      return [[name, said]]
    }),
  )
}

type Row = [name: string, Reading]

function namesOf({ names }: Reading, found: unknown) {
  return names(found as never)
}

async function prepare(platform: Platform, sandbox: SandboxPlatform): Promise<Prepared> {
  await platform.webhooks.create({ event: 'StockMovementCreated', url: 'http://127.0.0.1:9/' })
  const gtin = '7090012340011'
  sandbox.actions.sell({ store: '101', sku: 'TEE-BLK-M' })
  sandbox.actions.announceDelivery({ stock: '101', sku: 'TEE-BLK-M', quantity: 3 })
  sandbox.actions.placeOrder({ store: '101', sku: 'TEE-BLK-M', orderNo: 'W-1' })
  const [settled] = sandbox.closeDay('101')
  await sandbox.settled()
  const customerId = await platform.customers.obtain({ extId: 'C-1', firstName: 'Liv', email: 'liv@example.com' })
  const product = { extId: 'Prepared', name: 'Cap', brand: 'B', groupName: 'Caps', season: 'AW26', color: 'Red' }
  const sizes = [
    { gtin: '7000000000059', label: 'S' },
    { gtin: '7000000000066', label: 'M' },
    { gtin: '7000000000073', label: 'L' },
  ]
  await platform.products.save({ ...product, productSizes: sizes })
  const saved = await platform.products.byGtin('7000000000059').catch(() => null)
  const prices = [{ gtin, price: '79.90', validTo: '2030-12-24' }]
  await platform.prices.saveList({ name: 'Prepared', prices })
  const list = (await platform.prices.lists().catch(() => ({ rows: [] }))).rows.find(({ name }) => name === 'Prepared')
  sandbox.actions.countStock({ stock: '101', sku: 'TEE-BLK-M', quantity: 9 })
  const { ids } = sandbox.actions.reserveStock({ stock: '101', sku: 'TEE-BLK-M' }) as { ids: string[] }
  const [subscription] = sandbox.subscriptions()
  const [event] = sandbox.events()
  return {
    gtin,
    webhookId: subscription?.id ?? '',
    webhookEventId: event?.webhookEventId ?? '',
    day: settled?.SettlementTimeStamp.slice(0, 10) ?? '',
    customerId,
    productId: saved?.productId ?? '1',
    listId: list?.id ?? '1',
    reservationId: ids[0] ?? '',
  }
}

/** What the platform wrote is kept as it came: that differs. */
function withoutRecords(found: unknown): unknown {
  return JSON.parse(
    JSON.stringify(found ?? null, (key, value) => (key === 'record' || key === 'payload' ? undefined : value)),
  )
}
