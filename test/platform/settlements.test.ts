import { describe, expect, test } from 'vitest'
import { addMoney, money, sumMoney } from '../../src/domain/values/money.ts'
import { failureOf, givenAnswer, givenPlatform } from './given.ts'

const DAY = '2026-07-02'

const VERSION_1 = {
  SETTLEMENTID: 900,
  BatchNumber: '17',
  StoreNo: '7',
  StoreInfo: '',
  StoreName: 'Oslo City',
  POSID: 3,
  PosName: 'POS 1',
  PersonName: 'Kari',
  SettlementTimeStamp: '2026-07-02T21:05:00',
  DateTimeFrom: '2026-07-02T08:55:00',
  DateTimeTo: '2026-07-02T21:04:00',
  ReceiptNoFrom: 100,
  ReceiptNoTo: 180,
  Currency: 'NOK',
  GrossTotal: 0.3,
  GrossDiscount: 0,
  GrandTotal: 123456789.01,
  NetTotal: 0.24,
  VATTotal: 0.06,
  VATArea1: 0.06,
  VATArea2: null,
  VATArea3: null,
  OpeningCashBalance: 2000,
  ClosingCashBalance: 1999.9,
  Discrepancy: -0.1,
  Comment: '',
  PaymentTypes: [
    { PaymentTypeId: '1', Type: 'Card', SubType: 'Visa', Currency: 'NOK', CurrencyTendered: 0.1, Amount: 0.1 },
    { PaymentTypeId: '2', Type: 'Cash', SubType: 'ForeignCash', Currency: 'EUR', CurrencyTendered: 0.02, Amount: 0.2 },
    { PaymentTypeId: '2', Type: 'Cash', SubType: 'Rounding', Currency: '', CurrencyTendered: 0, Amount: -0.01 },
  ],
  Withdrawals: [{ PaymentTypeId: 2, Type: 'Cash', SubType: 'Cash', Amount: 500.5 }],
  Deposits: [],
}

/** As the public API writes it: other names, no numbers of receipts, and the id of the store. */
function version2(id: number, more: object = {}) {
  return {
    SettlementId: id,
    BatchNumber: 17,
    StoreId: 1012,
    PosId: 3,
    SettlementTimeStamp: '2026-07-02T21:05:00',
    Currency: 'nok',
    GrandTotal: '10.50',
    PaymentTypes: [{ PaymentTypeId: 1, Type: 'Card', SubType: null, Amount: '10.50' }],
    ...more,
  }
}

describe('version 1', () => {
  test('When a day is read, then each field has its place, and no sum loses a coin', async () => {
    await using given = await givenPlatform()
    given.server.play({ body: [VERSION_1] }, '/api/possettlement')
    const [settlement, ...others] = (await given.platform.settlements.list({ day: DAY })).rows
    expect(others).toEqual([])
    expect(settlement).toMatchObject({
      settlementId: '900',
      batchNumber: '17',
      storeId: null,
      storeNo: '7',
      posId: '3',
      settledAt: '2026-07-02T21:05:00',
      from: '2026-07-02T08:55:00',
      receiptNoFrom: '100',
      receiptNoTo: '180',
      grandTotal: { amount: '123456789.01', currency: 'NOK' },
      vatAreas: [{ amount: '0.06', currency: 'NOK' }, null, null],
      discrepancy: { amount: '-0.1', currency: 'NOK' },
      payments: [
        {
          paymentTypeId: '1',
          type: 'Card',
          subType: 'Visa',
          amount: money('0.1', 'NOK'),
          tendered: money('0.1', 'NOK'),
        },
        { subType: 'ForeignCash', amount: money('0.2', 'NOK'), tendered: money('0.02', 'EUR') },
        { subType: 'Rounding', amount: money('-0.01', 'NOK'), tendered: money('0', 'NOK') },
      ],
      withdrawals: [{ paymentTypeId: '2', type: 'Cash', subType: 'Cash', amount: money('500.5', 'NOK') }],
      deposits: [],
    })
    const paid = sumMoney(settlement?.payments?.map(({ amount }) => amount) ?? [], 'NOK')
    // With binary numbers 0.1 + 0.2 - 0.01 is 0.29000000000000004.
    expect(paid.amount).toBe('0.29')
    expect(addMoney(paid, money('0.01', 'NOK'))).toEqual(settlement?.grossTotal)
    expect(given.server.asked[0]?.line).toBe('GET /api/possettlement')
  })

  test.each([
    ['sold something, then they are not known', { GrandTotal: 1250.5 }, null],
    ['took back more than it sold, then they are not known', { GrandTotal: -99 }, null],
    ['does not say what it sold, then they are not known', { GrandTotal: null, NetTotal: null }, null],
    ['sold nothing, then there are none', { GrandTotal: 0 }, []],
    ['tells its net alone, and sold nothing, then there are none', { GrandTotal: null, NetTotal: '0.00' }, []],
  ])('When a list of payments is empty, and the POS %s', async (_, totals, payments) => {
    await using given = await givenAnswer({ body: [{ ...VERSION_1, ...totals, PaymentTypes: [] }] })
    const [settlement] = (await given.platform.settlements.list({ day: DAY })).rows
    expect(settlement?.payments).toEqual(payments)
  })

  test('When the platform ignores the day, then settlements of other days are left out', async () => {
    await using given = await givenPlatform()
    const other = {
      SETTLEMENTID: 901,
      SettlementTimeStamp: '2026-07-03T21:05:00',
      DateTimeFrom: '2026-07-03T08:00:00',
      DateTimeTo: '2026-07-03T21:00:00',
    }
    const afterMidnight = { SETTLEMENTID: 902, SettlementTimeStamp: '2026-07-03T00:20:00' }
    given.server.play({ body: [VERSION_1, { ...VERSION_1, ...other }, { ...VERSION_1, ...afterMidnight }] })
    const found = (await given.platform.settlements.list({ day: DAY })).rows
    expect(found.map(({ settlementId }) => settlementId)).toEqual(['900', '902'])
  })
})

describe('version 2', () => {
  test('When there are several pages, then they are read until nothing new comes, with payments', async () => {
    await using given = await givenPlatform({ preset: 'frontsystems-v2' })
    given.server.play(
      [{ body: [version2(1), version2(2)] }, { body: version2(3) }, { body: [] }, { body: [] }],
      '/api/Possettlementv2',
    )
    const found = (await given.platform.settlements.list({ day: DAY })).rows
    expect(found.map(({ settlementId }) => settlementId)).toEqual(['1', '2', '3'])
    expect(found[0]).toMatchObject({
      batchNumber: '17',
      storeId: '1012',
      storeNo: null,
      posId: '3',
      receiptNoFrom: null,
      grandTotal: { amount: '10.5', currency: 'NOK' },
      grossTotal: null,
      payments: [{ paymentTypeId: '1', amount: { amount: '10.5', currency: 'NOK' }, tendered: null }],
      withdrawals: null,
      deposits: null,
    })
    const asked = (offset: number) =>
      `GET /api/Possettlementv2?date=2026-07-02&offset=${offset}&limit=500&includePaymentTypes=true`
    expect(given.server.asked.map(({ line }) => line)).toEqual([asked(0), asked(2), asked(3), asked(503)])
  })

  test('When a page in the middle of a day is empty, or shows again what came, then those behind it are read all the same', async () => {
    await using given = await givenPlatform({ preset: 'frontsystems-v2' })
    const pages = [[version2(1)], [version2(1)], [version2(2)], [], [version2(3)], [], []]
    given.server.play(
      pages.map((body) => ({ body })),
      '/api/Possettlementv2',
    )
    const found = (await given.platform.settlements.list({ day: DAY })).rows
    expect(found.map(({ settlementId }) => settlementId)).toEqual(['1', '2', '3'])
    const offsets = given.server.asked.map(({ line }) => Number(/offset=(\d+)/.exec(line)?.[1]))
    expect(offsets).toEqual([0, 1, 501, 502, 1_002, 1_003, 1_503])
  })

  test('When the first page of a day is empty, then the one behind it is asked for, too', async () => {
    await using given = await givenPlatform({ preset: 'frontsystems-v2' })
    given.server.play([{ body: [] }, { body: [version2(1)] }, { body: [] }], '/api/Possettlementv2')
    expect((await given.platform.settlements.list({ day: DAY })).rows).toMatchObject([{ settlementId: '1' }])
  })

  test('When one that cannot be read is nested by thousands of levels, then it is aside, once, and the others are read', async () => {
    await using given = await givenPlatform()
    const { Currency: _, ...bad } = VERSION_1
    const nested = JSON.stringify(bad).replace(/\}$/, `,"Extra":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)
    given.server.play({ body: `[${JSON.stringify(VERSION_1)},${nested}]` })
    const { rows, rejected } = await given.platform.settlements.list({ day: DAY })
    expect(rows.map(({ settlementId }) => settlementId)).toEqual(['900'])
    expect(rejected).toHaveLength(1)
  })

  test('When the platform ignores the pages, then reading ends, and none is counted twice', async () => {
    await using given = await givenAnswer(
      { body: [version2(1), version2(2, { StoreId: 9999 })] },
      { preset: 'frontsystems-v2' },
    )
    expect((await given.platform.settlements.list({ day: DAY })).rows).toHaveLength(2)
    expect(given.server.asked).toHaveLength(3)
  })

  test('When each page has other ids, then reading ends, and nothing of such a day is taken', async () => {
    await using given = await givenPlatform({ preset: 'frontsystems-v2' })
    given.server.play(
      Array.from({ length: 1_200 }, (_, page) => ({ body: [version2(2 * page), version2(2 * page + 1)] })),
    )
    const failure = await failureOf(given.platform.settlements.list({ day: DAY }))
    expect(failure).toMatchObject({ code: 'endless', scope: 'item' })
    expect(given.server.asked).toHaveLength(1_000)
  })
})

/* The public API shows `settlementTimeStamp` as "2024-11-20T14:32:11.123Z", and does not say of which clock `date` is. */
for (const [at, days] of [
  ['2026-01-05T23:15:00+00:00', ['2026-01-05', '2026-01-06']],
  ['2026-01-05T23:15:00.123Z', ['2026-01-05', '2026-01-06']],
  ['2026-01-06T00:15:00+01:00', ['2026-01-05', '2026-01-06']],
  ['2026-01-05T11:15:00Z', ['2026-01-04', '2026-01-05', '2026-01-06']],
  ['2026-01-05T23:15:00', ['2026-01-05']],
] as const)
  test(`times with an offset: When a POS was settled at ${at}, then it is given for each day on which that was somewhere`, async () => {
    await using given = await givenAnswer(
      { body: [version2(1, { SettlementTimeStamp: at })] },
      { preset: 'frontsystems-v2' },
    )
    const asked = ['2026-01-03', '2026-01-04', '2026-01-05', '2026-01-06', '2026-01-07']
    const found = await Promise.all(asked.map((day) => given.platform.settlements.list({ day })))
    expect(asked.filter((_, index) => found[index]?.rows.length)).toEqual(days)
  })

describe('what cannot be', () => {
  test.each([
    [{ SETTLEMENTID: null }, 'has no SETTLEMENTID'],
    [{ Currency: '' }, 'has no Currency'],
    [{ Currency: 'kroner' }, 'has a Currency that is not one'],
    [{ GrandTotal: '1 234,50' }, 'has a GrandTotal that is not a decimal'],
    [{ PaymentTypes: [{ Type: 'Card' }] }, 'PaymentTypes: 1 has no Amount'],
  ])(
    'When a settlement comes with %j, then it is aside, without a value, and the other one is given',
    async (wrong, why) => {
      await using given = await givenAnswer({ body: [{ ...VERSION_1, ...wrong }, VERSION_1] })
      expect(await given.platform.settlements.list({ day: DAY })).toMatchObject({
        rows: [{ settlementId: '900' }],
        rejected: [{ row: 1, why }],
      })
    },
  )

  test('When the day is none, then that is refused before anything is sent; a day without settlements is an empty list', async () => {
    await using given = await givenAnswer({ status: 204 })
    expect(await failureOf(given.platform.settlements.list({ day: '2026-02-30' }))).toMatchObject({ name: 'UserError' })
    expect(given.server.asked).toEqual([])
    expect((await given.platform.settlements.list({ day: DAY })).rows).toEqual([])
    expect(given.server.asked).toHaveLength(1)
  })
})
