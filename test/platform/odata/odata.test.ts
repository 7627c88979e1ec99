import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { daysOf, halvesOf, windowsOf } from '../../../src/platform/odata/odata.ts'
import type { SalesLine } from '../../../src/platform/resources/sales.ts'
import { API_KEY, failureOf, type Given, givenAnswer, givenPlatform, SUBSCRIPTION_KEY } from '../given.ts'

const SALES = '/odata/Saleslines'

/** A line as the platform writes it: decimals are text. */
function line(day: string, more: object = {}) {
  return {
    SALESLINEID: 7001,
    SALEID: 501,
    STOREID_FK: 1012,
    STOCKID_FK: 3011,
    PRODUCTID_FK: 88,
    SaleDateTime: `${day}T16:58:28.417`,
    Qty: '1.00',
    EAN: '7048652277886',
    Price: '1399.50',
    FullPrice: '1599.00',
    Discount: '199.50',
    Cost: '0.1',
    VATPercent: '0.250',
    Currency: 'NOK',
    ...more,
  }
}

function answer(...value: unknown[]) {
  return { body: { 'odata.metadata': 'x', value } }
}

async function all<T>(windows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const window of windows) found.push(window)
  return found
}

function asked({ server }: Given) {
  return server.asked.map(({ line: requestLine }) => {
    const url = new URL(requestLine.replace(/^GET /, ''), server.url)
    return { path: url.pathname, ...Object.fromEntries(url.searchParams) }
  })
}

const july = { from: '2026-07-01', to: '2026-07-31' }

describe('sales lines', () => {
  test('When two months are read, then each window is asked for once, in datetime text (spec L429), as JSON, without $skip', async () => {
    await using given = await givenPlatform()
    given.server.play([answer(line('2026-07-02')), answer(line('2026-08-02'), line('2026-08-03'))], SALES)
    const windows = await all(given.platform.salesLines.list({ from: '2026-07-01', to: '2026-08-15' }))
    expect(windows.map(({ from, to, rows, suspect }) => [from, to, rows.length, suspect])).toEqual([
      ['2026-07-01', '2026-07-31', 1, false],
      ['2026-08-01', '2026-08-15', 2, false],
    ])
    const $select =
      'STOREID_FK,SaleDateTime,Qty,EAN,Price,FullPrice,SALESLINEID,SALEID,STOCKID_FK,PRODUCTID_FK,Discount,Cost,VATPercent,Currency'
    expect(asked(given)).toEqual([
      { path: SALES, from: '2026-07-01T00:00:00', to: '2026-07-31T23:59:59', $select },
      { path: SALES, from: '2026-08-01T00:00:00', to: '2026-08-15T23:59:59', $select },
    ])
    expect(given.server.asked[0]?.headers).toMatchObject({
      accept: 'application/json',
      'x-api-key': API_KEY,
      'ocp-apim-subscription-key': SUBSCRIPTION_KEY,
    })
  })

  test('When a line is read, then decimals are exact, and the time is the text that came', async () => {
    await using given = await givenPlatform()
    given.server.play(answer(line('2026-07-02', { Qty: '-1.00', Cost: 0.1, FullPrice: '' })), SALES)
    const [window] = await all(given.platform.salesLines.list(july))
    expect(window?.rows).toMatchObject([
      {
        lineId: '7001',
        saleId: '501',
        storeId: '1012',
        stockId: '3011',
        productId: '88',
        gtin: '7048652277886',
        soldAt: '2026-07-02T16:58:28.417',
        quantity: '-1',
        unitPrice: '1399.5',
        fullPrice: null,
        discount: '199.5',
        cost: '0.1',
        vatRate: '0.25',
        currency: 'NOK',
      },
    ])
  })

  test('When the public API is spoken, then it is asked at the host, with a $top that is never reached', async () => {
    await using given = await givenPlatform()
    await using other = await givenPlatform({ preset: 'frontsystems-v2', baseUrl: `${given.server.url}/restapi/V2` })
    given.server.play(answer(line('2026-07-02')), SALES)
    await all(other.platform.salesLines.list(july))
    expect(asked(given)).toMatchObject([{ path: SALES, $top: '2000000' }])
  })
})

describe('giving up', () => {
  test('When the caller gives up between two windows, then no further request is sent, and the reader learns why', async () => {
    await using given = await givenPlatform()
    given.server.play(answer(line('2026-01-02')), SALES)
    const giveUp = new AbortController()
    const windows = given.platform.salesLines.list({ from: '2026-01-01', to: '2026-12-31' }, giveUp.signal)
    const reading = async () => {
      for await (const _ of windows) giveUp.abort()
    }
    expect(await failureOf(reading())).toMatchObject({ name: 'RetryLaterError' })
    expect(given.server.asked).toHaveLength(1)
  })

  test('When the platform fails once within a window, then that window is asked again, and no row comes twice', async () => {
    await using given = await givenPlatform()
    given.server.play([answer(line('2026-07-02')), { status: 500 }, answer(line('2026-08-02'))], SALES)
    const windows = await all(given.platform.salesLines.list({ from: '2026-07-01', to: '2026-08-15' }))
    expect(windows.flatMap(({ rows }) => rows.map(({ soldAt }) => soldAt.slice(0, 10)))).toEqual([
      '2026-07-02',
      '2026-08-02',
    ])
    expect(asked(given).map((request) => 'from' in request && request.from)).toEqual([
      '2026-07-01T00:00:00',
      '2026-08-01T00:00:00',
      '2026-08-01T00:00:00',
    ])
  })
})

/* Spec, "POS settlements and sales": "from and to (datetime text)"; seen live: quoted days. Config says which. */
for (const [window, from, to] of [
  [undefined, '2026-07-02T00:00:00', '2026-07-03T23:59:59'],
  ['quoted-day', "'2026-07-02'", "'2026-07-03'"],
  ['day', '2026-07-02', '2026-07-03'],
  ['quoted-datetime', "'2026-07-02T00:00:00'", "'2026-07-03T23:59:59'"],
  ['datetime', '2026-07-02T00:00:00', '2026-07-03T23:59:59'],
] as const)
  test(`how days are written: When config says ${window}, then both days are asked for whole`, async () => {
    await using given = await givenPlatform({ endpoints: { 'salesLines.list': { window } } })
    given.server.play(answer(line('2026-07-02')), SALES)
    await all(given.platform.salesLines.list({ from: '2026-07-02', to: '2026-07-03' }))
    const asked = new URL(`http://x${given.server.asked[0]?.line.replace('GET ', '')}`)
    expect([asked.searchParams.get('from'), asked.searchParams.get('to')]).toEqual([from, to])
  })

describe('what is not said', () => {
  test('When a window has no rows, then it is suspect, and the others are not', async () => {
    await using given = await givenPlatform()
    given.server.play([answer(), answer(line('2026-08-01'))], SALES)
    const windows = await all(given.platform.salesLines.list({ from: '2026-07-01', to: '2026-08-02' }))
    expect(windows.map(({ suspect, daysWithoutRows }) => [suspect, daysWithoutRows.length])).toEqual([
      [true, 31],
      [false, 1],
    ])
    expect(windows[1]?.daysWithoutRows).toEqual(['2026-08-02'])
  })

  test('When rows of other days come, for from and to were ignored, then that is suspect too', async () => {
    await using given = await givenPlatform()
    given.server.play(answer(line('2026-11-20')), SALES)
    const [window] = await all(given.platform.salesLines.list(july))
    expect(window).toMatchObject({ suspect: true })
    expect(window?.rows).toHaveLength(1)
  })

  for (const name of ['odata.nextLink', '@odata.nextLink'] as const)
    test(`When an answer is a part of the rows, with ${name} to the rest, then the rest is asked for where config says that the platform is`, async () => {
      await using given = await givenPlatform()
      const part = (day: string, link?: string) => ({ body: { value: [line(day)], ...(link && { [name]: link }) } })
      const inside = 'http://10.0.0.7:8080/odata/Saleslines?$skiptoken=2&from=%272026-07-01%27'
      given.server.play([part('2026-07-02', inside), part('2026-07-03', 'Saleslines?$skiptoken=3'), part('2026-07-04')])
      const [window] = await all(given.platform.salesLines.list(july))
      expect(window?.rows.map(({ soldAt }) => soldAt.slice(8, 10))).toEqual(['02', '03', '04'])
      expect(given.server.asked.slice(1).map(({ line: asked }) => asked)).toEqual([
        `GET ${SALES}?$skiptoken=2&from=%272026-07-01%27`,
        `GET ${SALES}?$skiptoken=3`,
      ])
    })

  test('When the link to the rest leads back, then reading ends, and says so', async () => {
    await using given = await givenAnswer({ body: { value: [line('2026-07-02')], 'odata.nextLink': '?$skiptoken=2' } })
    expect(await failureOf(all(given.platform.salesLines.list(july)))).toMatchObject({ code: 'endless' })
    expect(given.server.asked).toHaveLength(2)
  })

  test('When one row is no JSON, and another no object, then they are aside without what they say, and the others are read', async () => {
    await using given = await givenPlatform()
    const [good, other] = [line('2026-07-02'), line('2026-07-03')].map((one) => JSON.stringify(one))
    given.server.play({ body: `{"value":[${good},{"FirstName":"Ola\nNordmann"},7,${other}]}` }, SALES)
    const [window] = await all(given.platform.salesLines.list(july))
    expect(window?.rows.map(({ soldAt }) => soldAt.slice(0, 10))).toEqual(['2026-07-02', '2026-07-03'])
    expect(window?.rejected).toEqual([
      { row: 2, why: 'is not JSON', record: null },
      { row: 3, why: 'is a number, not an object', record: null },
    ])
  })

  test('When an answer is larger than what is read, then its window is asked for again in halves', async () => {
    await using given = await givenPlatform({ maxAnswer: 2_000 })
    const large = answer(line('2026-07-02', { EAN: '7'.repeat(3_000) }))
    given.server.play([large, answer(line('2026-07-02')), answer(line('2026-07-20'))], SALES)
    const windows = await all(given.platform.salesLines.list(july))
    expect(windows.map(({ from, to, rows }) => [from, to, rows.length])).toEqual([
      ['2026-07-01', '2026-07-16', 1],
      ['2026-07-17', '2026-07-31', 1],
    ])
  })

  test.each([
    ['a list without its envelope', [line('2026-07-02')], /a list instead of an object with "value"/],
    ['an envelope without value', { 'odata.metadata': 'x' }, /no list in "value"/],
    ['a part only', { value: [line('2026-07-02')], 'odata.nextLink': 'x' }, /only a part of the rows, and no link/],
    ['an error that calls itself a success', { 'odata.error': { code: '' } }, /an odata error instead of rows/],
    ['XML', '<?xml version="1.0"?><feed/>', /XML, not JSON/],
  ])('When the answer is %s, then it is an error that says so', async (_, body, said) => {
    await using given = await givenPlatform()
    given.server.play({ body }, SALES)
    const failure = await failureOf(all(given.platform.salesLines.list(july)))
    expect(failure).toMatchObject({ name: 'PermanentError', message: expect.stringMatching(said) })
  })

  test('When the platform refuses in the words of odata, then the message is its code, without the envelope and the words', async () => {
    await using given = await givenPlatform()
    const error = {
      code: 'E7',
      message: { lang: 'en-US', value: 'Too many days.' },
      innererror: { stacktrace: 'at X' },
    }
    given.server.play({ status: 400, body: { 'odata.error': error } }, SALES)
    const failure = await failureOf(all(given.platform.salesLines.list(july)))
    expect(failure).toMatchObject({ name: 'PermanentError', code: 'http-400' })
    expect(failure.message).toMatch(
      /400 Bad Request: E7\. Its from and to were written as datetime; platform\.endpoints\.salesLines\.list\.window/,
    )
  })
})

test('columns and filters: When columns about persons come unasked, then nothing of them is left', async () => {
  await using given = await givenPlatform()
  const persons = { FirstName: 'Ola', email: 'ola@example.com', CUSTOMERID_FK: 9, Employee: 'Kari', Brand: 'B' }
  given.server.play(answer(line('2026-07-02', persons)), SALES)
  const lines: SalesLine[] = []
  await given.platform.salesLines.each({ ...july, select: ['Brand'] }, (line) => lines.push(line))
  expect(JSON.stringify(lines)).not.toMatch(/Ola|ola@|Kari|CUSTOMER/)
  expect(lines[0]?.record).toHaveProperty('Brand', 'B')
  expect(lines[0]?.record).not.toHaveProperty('Cost')
  expect(asked(given)).toMatchObject([{ $select: 'STOREID_FK,SaleDateTime,Qty,EAN,Price,FullPrice,Brand' }])
})

const DAY = 86_400_000

/** The days of a calendar by another source than the code's: midnights in UTC, where every day has 24 hours. */
function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10)
}

const anyDay = fc.integer({ min: 0, max: 12 * 366 }).map((days) => dayAfter('2023-01-01', days))
const anyLength = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 5 * 366 }))

/* Days with a trap, by chance too rare: the 29th of February, clocks forward and back (Europe and America), a year's end. */
const trap = fc.constantFrom(
  ...['2024-02-29', '2028-02-29', '2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2026-12-31', '2027-02-28'],
)
const aroundTrap = fc.tuple(trap, fc.integer({ min: 0, max: 62 })).map(([day, before]) => dayAfter(day, -before))

describe('windows', () => {
  test('When any days of several years are cut, then each day is in exactly one window, in order, of 31 days at most', () => {
    fc.assert(
      fc.property(fc.oneof(anyDay, aroundTrap), anyLength, (from, length) => {
        const windows = windowsOf(from, dayAfter(from, length - 1))
        const days = windows.flatMap(daysOf)
        expect(days).toEqual(Array.from({ length }, (_, index) => dayAfter(from, index)))
        for (const window of windows) expect(daysOf(window).length).toBeLessThanOrEqual(31)
        expect(windows).toHaveLength(Math.ceil(length / 31))
      }),
    )
  })

  test('When a window is halved, then no day is lost and none comes twice, down to the single day', () => {
    fc.assert(
      fc.property(fc.oneof(anyDay, aroundTrap), fc.integer({ min: 1, max: 31 }), (from, length) => {
        const window = { from, to: dayAfter(from, length - 1) }
        const halves = halvesOf(window)
        if (length === 1) expect(halves).toBeNull()
        else {
          expect(halves?.flatMap(daysOf)).toEqual(daysOf(window))
          const [first = 0, second = 0] = halves?.map((half) => daysOf(half).length) ?? []
          expect(Math.abs(first - second)).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  test.each([
    ['2026-02-29', '2026-03-01', /from "2026-02-29".*day that exists/],
    ['2026-07-01', '2026-7-31', /to "2026-7-31"/],
    ['2026-07-01T00:00:00Z', '2026-07-31', /from "2026-07-01T00/],
    ["2026-07-01' or '1", '2026-07-31', /from/],
    ['2026-08-01', '2026-07-31', /first day is after the last/],
  ])('When %s to %s is asked for, then it says what is wrong', (from, to, said) => {
    expect(() => windowsOf(from, to)).toThrow(expect.objectContaining({ name: 'UserError' }))
    expect(() => windowsOf(from, to)).toThrow(said)
  })
})
