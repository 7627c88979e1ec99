import request from 'supertest'
import { describe, expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { givenPlatform, HEADERS, startReceiver, subscribe } from './given.ts'

const NOON = Date.parse('2026-11-20T12:00:00.120Z')
const NOVEMBER = "from='2026-11-01'&to='2026-11-30'"

describe('Saleslines', () => {
  // Facts, §5 traps 10, 13 and 14.
  test('When a day was sold, then its lines have decimals as text and the store’s time without a zone', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.till.sell({
      store: '101',
      lines: [
        { sku: 'SOCKS-GRY', quantity: 3 },
        { sku: 'COFFEE', quantity: -1 },
      ],
    })
    const { body } = await read(platform, `Saleslines?${NOVEMBER}`).expect(200)
    expect(body['odata.metadata']).toContain('/odata/$metadata#Saleslines')
    expect(body.value).toMatchObject([
      { STOREID_FK: 42, EAN: '7090012340059', Qty: '3.00', FullPrice: '149.90', VATPercent: '0.250', Currency: 'NOK' },
      { Qty: '-1.00', FullPrice: '45.50', VATPercent: '0.150', SaleDateTime: '2026-11-20T13:00:00.12' },
    ])
    expect(Number(body.value[1].Price)).toBeGreaterThan(0)
  })

  test('When nobody says that JSON is accepted, then the answer is XML', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.till.sell({ store: '101', lines: [{ sku: 'COFFEE' }] })
    const plain = await request(platform.url).get(`/odata/Saleslines?${NOVEMBER}`).set(HEADERS).buffer(true)
    expect(plain.headers['content-type']).toContain('xml')
    expect(plain.text).toContain('<d:EAN>7090012340080</d:EAN>')
  })

  // Facts, §1b "Saleslines from/to"; §5 traps 4 and 7.
  test.each([
    ['unquoted days', 'from=2026-11-01&to=2026-11-30', 500],
    ['more than 31 days', "from='2026-10-01'&to='2026-11-01'", 400],
    ['a day that is none', "from='2026-11-31'&to='2026-12-01'", 400],
    ['a function in the filter', `${NOVEMBER}&$filter=substringof('x',EAN)`, 400],
    ['a column that is none in the filter', `${NOVEMBER}&$filter=STORE eq 42`, 400],
    ['a text for a number', `${NOVEMBER}&$filter=STOREID_FK eq '42'`, 400],
    ['a column that is none', `${NOVEMBER}&$select=EAN,Profit`, 400],
    ['something to expand', `${NOVEMBER}&$expand=Customer`, 400],
  ])('When the query has %s, then it fails in odata’s way', async (_, query, status) => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.till.sell()
    const { body } = await read(platform, `Saleslines?${query}`).expect(status)
    expect(body['odata.error'].message.value).toEqual(expect.any(String))
  })

  test('When the last day is 31 days on or before the first, then that is fine; nothing is before the first', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.till.sell({ store: '101', lines: [{ sku: 'COFFEE' }] })
    expect(await count(platform, "Saleslines?from='2026-10-21'&to='2026-11-20'")).toBe(1)
    expect(await count(platform, "Saleslines?from='2026-11-20T00:00:00'&to='2026-11-20'")).toBe(1)
    expect(await count(platform, "Saleslines?from='2026-11-30'&to='2026-11-01'")).toBe(0)
  })

  // Facts, §5 trap 6.
  test('When no days are given, then only the current month is shown, and nobody says so', async () => {
    let now = Date.parse('2026-10-31T12:00:00Z')
    await using platform = await givenPlatform({ now: () => now })
    platform.till.sell({ lines: [{ sku: 'COFFEE' }] })
    now = NOON
    platform.till.sell({ lines: [{ sku: 'COFFEE' }] })
    expect(await count(platform, 'Saleslines')).toBe(1)
  })

  // Facts, §5 trap 1.
  test('When $top is small, then it cuts before the filter finds anything', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    for (const store of ['101', '101', '201']) platform.till.sell({ store, lines: [{ sku: 'COFFEE' }] })
    expect(await count(platform, `Saleslines?${NOVEMBER}&$filter=STOREID_FK eq 51&$top=2`)).toBe(0)
    expect(await count(platform, `Saleslines?${NOVEMBER}&$filter=STOREID_FK eq 51&$top=2000000`)).toBe(1)
  })

  // Facts, §5 trap 3.
  test('When a joined column is filtered, then there are no rows, and no error', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.till.sell({ store: '101', lines: [{ sku: 'COFFEE' }] })
    expect(await count(platform, `Saleslines?${NOVEMBER}&$filter=Store eq 'Oslo City'`)).toBe(0)
    const day = "SaleDate ge datetime'2026-11-20T00:00:00' and SaleDate lt datetime'2026-11-21T00:00:00'"
    expect(await count(platform, `Saleslines?${NOVEMBER}&$filter=STOCKID_FK eq 12 and ${day}`)).toBe(1)
  })

  // Facts, §5 trap 8.
  test('When columns are selected, then only they come; else personal data does too', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.till.endlessAisle({ store: '101', lines: [{ sku: 'COFFEE' }] })
    const everything = await read(platform, `Saleslines?${NOVEMBER}`)
    expect(everything.body.value[0].Email).toContain('@')
    const selected = await read(platform, `Saleslines?${NOVEMBER}&$select=STOREID_FK,EAN`)
    expect(selected.body.value).toEqual([{ STOREID_FK: 42, EAN: '7090012340080' }])
  })
})

describe('Stockmovements', () => {
  test('When goods move, then there is a row with the stock’s name and a number that is negative for what leaves', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.till.sell({ store: '102', lines: [{ sku: 'COFFEE', quantity: 2 }] })
    platform.till.sell({ store: '101', lines: [{ sku: 'BEANIE-RED' }] })
    const { body } = await read(platform, `Stockmovements?${NOVEMBER}&$filter=Stockid eq 13`)
    expect(body.value).toMatchObject([
      { EAN: '7090012340080', Qty: -2, Stockid: 13, Stock: 'Bergen Torg', MoveDateTime: '2026-11-20T13:00:00.12' },
    ])
  })

  test('When its days are not quoted, then it fails as Saleslines does', async () => {
    await using platform = await givenPlatform()
    await read(platform, 'Stockmovements?from=2026-11-01&to=2026-11-30').expect(500)
  })
})

// Facts, §1b "StockStatus endpoint".
describe('Stockstatus', () => {
  test('When a snapshot is asked for, then it has what was there then', async () => {
    let now = NOON
    await using platform = await givenPlatform({ now: () => now })
    platform.till.sell({ store: '101', lines: [{ sku: 'COFFEE', quantity: 2 }] })
    now += 60_000
    platform.till.sell({ store: '101', lines: [{ sku: 'COFFEE', quantity: 3 }] })
    const coffee = async (query: string) => {
      const { body } = await read(platform, `Stockstatus?${query}`).expect(200)
      return body.value.find(
        (row: { EAN: string; Stockid: number }) => row.EAN === '7090012340080' && row.Stockid === 12,
      )
    }
    const [before, between, after] = [
      await coffee("snapshotDateTime='2026-11-20 12:00:00'"),
      await coffee("snapshotDateTime='2026-11-20 13:00:30'"),
      await coffee('stock_id=12'),
    ]
    expect([between.Qty, after.Qty]).toEqual([less(before.Qty, 2), less(before.Qty, 5)])
  })

  test('When a sale says what its stock has left, then the stock status says the same, and names the same product', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'StockMovementCreated', receiver.url)
    platform.till.sell({ store: '201', lines: [{ sku: 'BEANIE-RED', quantity: 4 }] })
    await platform.settled()
    const [told] = receiver.bodies as unknown as [{ stockLevel: number; gtin: string }]
    const lines = await read(platform, 'Saleslines?$select=PRODUCTID_FK')
    const status = await read(platform, 'Stockstatus?stock_id=21')
    expect(status.body.value.find(({ EAN }: { EAN: string }) => EAN === told.gtin)).toMatchObject({
      Qty: told.stockLevel.toFixed(2),
      Productid: lines.body.value[0].PRODUCTID_FK,
    })
  })

  test('When $top is small, then it cuts what was found', async () => {
    await using platform = await givenPlatform()
    expect(await count(platform, 'Stockstatus?$top=2&$filter=Stockid eq 21')).toBe(2)
  })

  test.each([
    ['a filter of Saleslines', '$filter=STOCKID_FK eq 12', 400],
    ['an unquoted time', 'snapshotDateTime=2026-11-20 12:00:00', 500],
    ['a time that is none', "snapshotDateTime='2026-11-20T12:00:00'", 400],
    ['a stock that is none', 'stock_id=99', 400],
  ])('When it is asked with %s, then it fails', async (_, query, status) => {
    await using platform = await givenPlatform()
    await read(platform, `Stockstatus?${query}`).expect(status)
  })
})

// Facts, §5 trap 4.
test('When odata is asked without keys, or for what it does not have, then it says so', async () => {
  await using platform = await givenPlatform()
  await request(platform.url).get('/odata/Saleslines').expect(401)
  for (const path of ['$metadata', 'Settlements', '']) await read(platform, path).expect(404)
  await read(platform, 'SALESLINES').expect(200)
})

function read(platform: SandboxPlatform, path: string) {
  return request(platform.url)
    .get(`/odata/${path.replaceAll(' ', '%20')}`)
    .set({ ...HEADERS, accept: 'application/json' })
}

async function count(platform: SandboxPlatform, path: string): Promise<number> {
  const { body } = await read(platform, path).expect(200)
  return body.value.length
}

function less(quantity: string, sold: number): string {
  return (Number(quantity) - sold).toFixed(2)
}
