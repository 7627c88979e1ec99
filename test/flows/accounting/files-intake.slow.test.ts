import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createTestClock } from '../../clock.ts'
import { onlyIn } from '../../dialect.ts'
import { eventually } from '../../eventually.ts'
import { createFolder, keptIn, startTestHub, type TestHub } from '../../hub.ts'
import { givenPlatform, KEYS } from '../../sandbox/platform/given.ts'
import { inFlight, LINGER, waiting } from '../days/open-store.ts'

const READ = {
  products: {
    pattern: 'products-*.csv',
    settle: '0s',
    columns: {
      extId: 'Article',
      name: 'Name',
      price: 'Price',
      'productSizes.gtin': 'EAN',
      'productSizes.label': 'Size',
      // One by one, a platform takes whole products only.
      number: 'Article',
      variant: '=GREY',
      groupName: '=Hats',
      season: '=BASIC',
      color: '=Grey',
      brand: '=Fjell',
    },
    csv: { decimal: ',' },
  },
  prices: { pattern: 'prices-*.ndjson', settle: '0s' },
  'stock-adjustments': { pattern: 'stock-*.csv', settle: '0s', encoding: 'windows-1252' },
  'goods-deliveries': { pattern: 'deliveries-*.csv', settle: '0s' },
}

/** The platform, a folder that an ERP puts files into, and hubs that come and go on one store. */
async function openErp() {
  await using opened = new AsyncDisposableStack()
  const sandbox = opened.use(await givenPlatform())
  const platform = opened.use(createPlatform({ preset: 'spec', baseUrl: sandbox.portalUrl, ...KEYS }))
  const stored = opened.use(await createFolder())
  const folder = join(opened.use(await createFolder()).path, 'erp')
  mkdirSync(folder)
  const clock = createTestClock()
  const open = opened.move()

  return {
    folder,
    platform,
    put: (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content),
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    names: (of = '') =>
      readdirSync(join(folder, of), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .sort(),
    async start(): Promise<TestHub & { work(): Promise<string> }> {
      const hub = await startTestHub({
        folder: stored.path,
        clock,
        destinations: { erp: { adapter: 'files', folder, read: READ } },
        config: { platform: { baseUrl: sandbox.apiUrl, ...KEYS }, jobs: { 'shop-orders': '0 0 1 1 *' } },
      })
      await hub.admin('jobs/stores/run', {})
      await eventually(async () => expect(await hub.hub.storage.stores()).not.toEqual([]))
      return {
        ...hub,
        /** Asks for files once, and waits until the platform has what they said. Gives what the job says. */
        async work() {
          const { body } = await hub.admin<{ note: string; problem: string | null }>('jobs/shop-orders/run', {})
          await eventually(async () => {
            if ((await inFlight(hub)) === 0) clock.advance(LINGER)
            return (await waiting(hub)) === 0
          }, 20_000)
          return body.problem ?? body.note
        },
      }
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const PRODUCTS =
  'Article;Name;EAN;Size;Price;Remark\r\n' +
  'W-1;Wool hat;7090000000017;S;299,50;new\r\n' +
  'W-1;Wool hat;7090000000024;M;299,50;\r\n' +
  'W-2;Wool scarf;7090000000031;;free;\r\n' +
  'W-3;"Mittens; lined";7090000000048;L;199;\r\n'

const PRICES = [
  { list: 'Club', productExtId: 'W-1', price: 249.5 },
  { list: 'Club', productExtId: 'W-3', gtin: '7090000000048', price: '179' },
]
  .map((row) => JSON.stringify(row))
  .join('\n')

const stockFile = (quantity: number) =>
  Buffer.from(
    `stockNo,gtin,quantity,description\n101,7090000000017,${quantity},Påfyll\n909,7090000000017,1,\n`,
    'latin1',
  )

const DELIVERIES =
  'extRef,storeNo,insertAsConfirmed,gtin,qty,cost\n' +
  'D-1,101,yes,7090000000017,5,80\nD-1,101,yes,7090000000024,6,\n' +
  'D-2,101,no,7090000000048,seven,\n'

test('When an ERP puts files into the folder, then the platform has what they say, and refused rows come back with reasons', async () => {
  await using erp = await openErp()
  await using hub = await erp.start()
  const { platform } = erp
  erp.put('products-1.csv', PRODUCTS)
  erp.put('products-2.csv.part', PRODUCTS)
  expect(await hub.work()).toBe('erp: 2 new, 1 unreadable')

  // The platform takes nothing about products that it does not have yet.
  erp.put('prices-1.ndjson', PRICES)
  erp.put('stock-1.csv', stockFile(4))
  erp.put('deliveries-1.csv', DELIVERIES)
  expect(await hub.work()).toBe('erp: 3 new, 3 unreadable')

  expect(await platform.products.byExtId('W-1')).toMatchObject({ name: 'Wool hat', price: '299.5', brand: 'Fjell' })
  expect(await platform.products.byExtId('W-3')).toMatchObject({ name: 'Mittens; lined' })
  expect(await platform.products.byExtId('W-2')).toBeNull()
  const medium = await platform.products.byGtin('7090000000024')
  expect(medium).toMatchObject({ name: 'Wool hat' })
  const club = (await platform.prices.lists()).rows.find(({ name }) => name === 'Club')
  expect(club).toMatchObject({ productCount: 1 })
  const stores = await hub.hub.storage.stores()
  const stockId = stores.find(({ number }) => number === '101')?.stockId ?? ''
  const levels = (await platform.stock.levels({ stockIds: [stockId] })).rows
  expect(levels.find(({ id }) => id === '7090000000017')).toMatchObject({ quantity: '4' })
  const delivered = (await platform.goodsDeliveries.list(stockId)).rows.flatMap(({ products }) => products)
  expect(delivered.filter(({ name }) => name === 'Wool hat')).toMatchObject([
    { gtin: '7090000000017', confirmedQuantity: '5' },
    { gtin: '7090000000024', confirmedQuantity: '6' },
  ])

  expect(erp.names()).toEqual(['products-2.csv.part'])
  expect(erp.names('archive')).toEqual(['deliveries-1.csv', 'prices-1.ndjson', 'products-1.csv', 'stock-1.csv'])
  expect(erp.read('reject/products-1.csv')).toBe(
    'TillbridgeLine;TillbridgeReason;Article;Name;EAN;Size;Price;Remark\r\n' +
      '4;"price: found ""free"", expected a number like 1399.50, without thousands signs";W-2;Wool scarf;7090000000031;;free;\r\n',
  )
  expect(JSON.parse(erp.read('reject/prices-1.ndjson'))).toEqual({
    TillbridgeLine: 2,
    TillbridgeReason: expect.stringContaining('exactly one of productExtId, gtin and productId'),
    list: 'Club',
    productExtId: 'W-3',
    gtin: '7090000000048',
    price: '179',
  })
  expect(erp.read('reject/stock-1.csv')).toMatch(
    /^.*\n3,"stockNo: found ""909"", expected one of 101,.*",909,7090000000017,1,\n$/,
  )
  expect(erp.read('reject/deliveries-1.csv')).toMatch(/\n4,"qty: found ""seven"".*",D-2,101,no,7090000000048,seven,\n$/)
})

test('When it is asked again, or the same files come again, then nothing happens; when one says something else, that does', async () => {
  await using erp = await openErp()
  await using hub = await erp.start()
  erp.put('products-1.csv', PRODUCTS)
  erp.put('deliveries-1.csv', DELIVERIES)
  erp.put('stock-1.csv', stockFile(4))
  await hub.work()
  const events = keptIn(hub).length

  expect(await hub.work()).toBe('nothing new')
  erp.put('products-1.csv', PRODUCTS)
  erp.put('deliveries-1.csv', DELIVERIES)
  expect(await hub.work()).toBe('erp: 0 new, 2 unreadable')
  expect(keptIn(hub)).toHaveLength(events)

  // Back to what was said before: that counts.
  for (const [quantity, name] of [
    [3, 'stock-1.csv'],
    [4, 'stock-2.csv'],
  ] as const) {
    erp.put(name, stockFile(quantity))
    expect(await hub.work()).toBe('erp: 1 new, 1 unreadable')
    const stores = await hub.hub.storage.stores()
    const stockId = stores.find(({ number }) => number === '101')?.stockId ?? ''
    const levels = (await erp.platform.stock.levels({ stockIds: [stockId] })).rows
    expect(levels.find(({ id }) => id === '7090000000017')).toMatchObject({ quantity: String(quantity) })
  }
})

test('When a level stands in a file twice, then the later one holds', async () => {
  await using erp = await openErp()
  await using hub = await erp.start()
  erp.put('products-1.csv', PRODUCTS)
  await hub.work()
  const rows = Array.from({ length: 40 }, (_, index) => `101,7090000000017,${index},\n`)
  erp.put('stock-1.csv', `stockNo,gtin,quantity,description\n${rows.join('')}`)
  await hub.work()
  const stores = await hub.hub.storage.stores()
  const stockId = stores.find(({ number }) => number === '101')?.stockId ?? ''
  const levels = (await erp.platform.stock.levels({ stockIds: [stockId] })).rows
  expect(levels.find(({ id }) => id === '7090000000017')).toMatchObject({ quantity: '39' })
})

onlyIn(['facts', 'frontsystems-v2'], 'without a bulk path, 4,000 products go one by one')(
  'When the hub ends in the middle of a file, then the next one goes on, and nothing is lost or taken twice',
  async () => {
    await using erp = await openErp()
    const count = 4_000
    const rows = Array.from({ length: count }, (_, no) =>
      no % 1_000 === 7 ? `N-${no};Cap;;;many\n` : `N-${no};Cap;${7_091_000_000_000 + no};M;${100 + (no % 7)}\n`,
    )
    erp.put('products-1.csv', `Article;Name;EAN;Size;Price\n${rows.join('')}`)
    const taken = (hub: TestHub) => keptIn(hub).filter(({ kind }) => kind === 'ProductSubmitted')
    {
      await using hub = await erp.start()
      const working = hub.admin('jobs/shop-orders/run', {})
      await eventually(() => taken(hub).length >= 500)
      await hub.hub[Symbol.asyncDispose]()
      await working.catch(() => {})
    }
    expect(erp.names('.')).toEqual([])
    expect(readdirSync(join(erp.folder, '.tillbridge/reading'))).toHaveLength(1)

    await using hub = await erp.start()
    const before = taken(hub).length
    expect(before).toBeLessThan(count - 4)
    await hub.work()

    expect(taken(hub)).toHaveLength(count - 4)
    expect(erp.names('archive')).toEqual(['products-1.csv'])
    expect(
      erp
        .read('reject/products-1.csv')
        .split('\n')
        .slice(1, -1)
        .map((row) => row.split(',')[0]?.split(';')[0]),
    ).toEqual(['9', '1009', '2009', '3009'])
    expect(await erp.platform.products.byExtId(`N-${count - 1}`)).toMatchObject({ name: 'Cap' })
  },
)
