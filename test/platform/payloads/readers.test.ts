import { describe, expect, test } from 'vitest'
import { PermanentError } from '../../../src/domain/values/errors.ts'
import { parseDecimal, readDecimal } from '../../../src/domain/values/money.ts'
import { evaluate } from '../../../src/lib/jsonata.ts'
import { opened } from '../../../src/platform/http/read.ts'
import { readConsent, readDeleted } from '../../../src/platform/payloads/customer.ts'
import { readDelivery } from '../../../src/platform/payloads/goods.ts'
import { storeRefOf } from '../../../src/platform/payloads/kinds.ts'
import { faultText, type Mappings, mapped, withFaults } from '../../../src/platform/payloads/mapping/mapping.ts'
import { readOrderReturn } from '../../../src/platform/payloads/order-update.ts'
import { canRead } from '../../../src/platform/payloads/read-field.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import { fieldsInSchema } from '../../../src/platform/payloads/schema/match.ts'
import { faultsIn, unreadOf, unreadText } from '../../../src/platform/payloads/unread.ts'
import { refundUpdate, sale } from '../../fixtures/payloads.ts'
import { countOwnTime } from '../../own-time.ts'

const LINE = { quantity: 1, price: 100 }

describe('a decimal that somebody else wrote', () => {
  test('When there is one, then it is read; where there is none, that is said', () => {
    expect(readDecimal({ Amount: '1.50' }, 'amount')).toBe(parseDecimal('1.5'))
    for (const nothing of [{}, { amount: null }, { amount: '' }, null])
      expect(readDecimal(nothing, 'amount')).toBeNull()
  })

  test('When it is something else, then it is refused, by whoever asked in its own words', () => {
    expect(() => readDecimal({ amount: 'much' }, 'amount')).toThrow(PermanentError)
    const refuse = () => {
      throw new RangeError('no amount')
    }
    expect(() => readDecimal({ amount: 'much' }, 'amount', refuse)).toThrow(RangeError)
    expect(readDecimal({ amount: 2 }, 'amount', refuse)).toBe(parseDecimal(2))
  })
})

test.each<[unknown, boolean | null]>([
  ['True', true],
  ['false', false],
  [1, true],
  [0, false],
  ['yes', null],
  [null, null],
])(
  'true and false that somebody else wrote as text or as a number: When it is %j, then it is read as that',
  (written, meant) => {
    const said = meant ?? false
    expect(readDelivery({ orderId: 1, isCompleted: written }).isCompleted).toBe(said)
    expect(
      readSale(sale({ orderLines: [{ ...LINE, shipFromOnlineStore: written }] })).lines[0]?.shipFromOnlineStore,
    ).toBe(said)
    expect(readOrderReturn(refundUpdate({ isRefunded: written }))?.isRefunded ?? null).toBe(meant)
    const customer = { customerId: 7, deleted: written, agreedSendEmail: written }
    expect(readDeleted(customer) !== null).toBe(said)
    expect(readConsent(customer)?.agreedSendEmail ?? null).toBe(meant)
    expect(canRead('flag', written)).toBe(meant !== null)
  },
)

describe('an article in several rows of a goods delivery', () => {
  const row = (costPrice: number | null, quantityReceived: number, more: object = {}) => ({
    ...{ gtin: '7090012340011', quantityExpected: 10, quantityReceived, costPrice, costPriceCurrency: 'NOK', ...more },
  })

  test.each([
    ['the rows have one cost, then that is it', [row(100, 4), row(100, 6)], '100'],
    ['a row has none, then it is that of the other', [row(100, 4), row(null, 6)], '100'],
    ['the rows differ, then it is weighted by what has come', [row(100, 4), row(120, 6)], '112'],
    ['only one of two costs has come, then it is that one', [row(100, 4), row(120, 0)], '100'],
    ['nothing has come, then what is expected weighs', [row(100, 0), row(120, 0, { quantityExpected: 30 })], '115'],
    ['it does not divide, then it is told to four decimals', [row(100, 2), row(101, 1)], '100.3333'],
    ['nothing is expected, then it is not known', [1, 2].map((cost) => row(cost, 0, { quantityExpected: null })), null],
    ['there are two currencies, then it is not known', [row(9, 4), row(8, 6, { costPriceCurrency: 'EUR' })], null],
  ])('When %s', (_, products, cost) => {
    const { lines } = readDelivery({ orderId: 1, products })
    expect(lines.map((line) => line.cost?.amount ?? null)).toEqual([cost])
  })
})

test('When a kind is not in the table, then its store is read by the names that are used elsewhere', () => {
  const store = { storeExtId: '101', address: { countryCode: 'no' } }
  expect(storeRefOf('Unheard', { store, storeNo: '5', storeId: 7, stockId: 12, stockExtId: 'S1' })).toEqual({
    ...{ number: '101', storeId: '7', stockId: '12', stockNumber: 'S1', countryCode: 'NO' },
  })
  expect(storeRefOf('Unheard', { storeNo: '5' })).toEqual({
    ...{ number: '5', storeId: null, stockId: null, stockNumber: null, countryCode: null },
  })
})

describe('what failed on a mapped payload', () => {
  const fault = { field: 'store.no', code: 'D3030', position: 4 }

  test('When something failed, then the payload says so; else it is as it was', () => {
    const payload = { a: 1 }
    expect(withFaults(payload, [])).toBe(payload)
    expect(faultsIn(withFaults(payload, [fault, { ...fault, code: 'timeout', position: null }]))).toHaveLength(2)
    expect([faultsIn(payload), faultsIn(null), faultsIn('text')]).toEqual([[], [], []])
    expect(faultText(fault)).toBe('its expression fails: D3030 at character 4')
    expect(faultText({ code: 'timeout', position: null })).toBe('its expression fails: timeout')
  })

  test('When a sender has a field of that name, then it says nothing but codes', () => {
    const strange = [
      { ...fault, field: 'Kari Nordmann' },
      { ...fault, code: 'Kari' },
      { ...fault, position: '4' },
      null,
    ]
    expect(faultsIn(withFaults({}, strange as never))).toEqual([])
    for (const noted of ['D3030', { 0: fault }, 7]) expect(faultsIn({ '~failed': noted })).toEqual([])
    for (const field of ['', 5, 'x'.repeat(81)])
      expect(faultsIn(withFaults({}, [{ ...fault, field } as never]))).toEqual([])
    expect(faultsIn(withFaults({}, [{ ...fault, field: 'x'.repeat(80), code: 'failed' }]))).toHaveLength(1)
  })
})

describe('the fields that a JSON schema names', () => {
  const paths = (schema: unknown) => fieldsInSchema(schema)?.map(({ path, is }) => `${path}: ${is}`) ?? null

  test('When they have types, then those are told in our words', () => {
    const properties = {
      ...{ a: { type: 'string' }, b: { enum: ['x'] }, c: { type: 'integer' }, d: { type: ['null', 'number'] } },
      ...{ e: { type: 'boolean' }, f: { type: 'array' }, g: { type: 'object' }, h: {}, i: { type: 'null' } },
    }
    const reported = [
      'a: text',
      'b: text',
      'c: number',
      'd: number',
      'e: flag',
      'f: list',
      'g: object',
      'h: unknown',
      'i: unknown',
    ]
    expect(paths({ properties })).toEqual(reported)
    expect(paths(opened(JSON.stringify({ properties })))).toEqual(reported)
  })

  test('When they lie within rows, parts and what is referred to, then by their path, each once', () => {
    const schema = {
      definitions: { 'a/b': { properties: { no: { type: 'string' } } } },
      properties: {
        store: { $ref: '#/definitions/a~1b' },
        rows: { items: { properties: { gtin: { type: 'string' } } } },
      },
      allOf: [{ properties: { store: {}, more: { anyOf: [{ type: 'number' }] } } }],
      oneOf: [{ properties: { other: { $ref: 'https://elsewhere.example/x' } } }],
    }
    expect(paths(schema)).toEqual([
      ...['store: object', 'store.no: text', 'rows: list', 'rows.gtin: text', 'more: number', 'other: unknown'],
    ])
  })

  test('When it has no end, or is no schema, then that is known', () => {
    const endless: Record<string, unknown> = { properties: {} }
    endless.properties = { inner: endless }
    expect(paths(endless)?.length).toBeLessThan(12)
    for (const none of [null, 'text', '{', 7, {}, { properties: [] }]) expect(paths(none)).toBeNull()
  })
})

/* Where config says that fields of payloads stand. */

const GIFT_CARD = 'GiftCardTransactionCreated'
const COUNT = 'StockCountReconciled'

function map(kind: string, payload: unknown, given: Mappings[string]): unknown {
  return mapped({ kind, subscription: 'all' }, payload, { [kind]: given }, evaluate)
}

describe('a path', () => {
  test('When a field stands deeper, in another list, or in place of another, then it is read there, and nowhere else', () => {
    const payload = {
      Lines: [{ n: { of: 3 } }, { n: {}, quantity: 9 }],
      ITEMS: [1],
      createdDateTime: '2026-11-20',
      when: { at: 'x' },
    }
    const given = { items: 'lines', 'items.quantity': 'n.of', at: 'when.at', countedAt: 'createdDateTime' }
    expect(map(COUNT, payload, given)).toEqual({
      Lines: payload.Lines,
      when: { at: 'x' },
      items: [{ n: { of: 3 }, quantity: 3 }, { n: {} }],
      createdDateTime: 'x',
      countedDateTime: '2026-11-20',
    })
    expect(payload.ITEMS).toEqual([1])
  })

  test('When a kind is not mapped, then its payload is the same', () => {
    const payload = sale()
    expect(
      mapped({ kind: 'SaleCreated', subscription: 'all' }, payload, { InvoiceCreated: { amount: 'x' } }, evaluate),
    ).toBe(payload)
    expect(mapped({ kind: 'toString', subscription: 'all' }, payload, {}, evaluate)).toBe(payload)
  })
})

describe('other JSONata', () => {
  test('When a value is computed, constant, or chosen, then the hub reads what comes of it', () => {
    const payload = {
      Transaction: { Amount: '250.10', Fee: 0.2, Kind: 'out' },
      amount: 1,
      refs: [{ t: 'id', v: 'T-7' }],
    }
    const given = {
      amount: '(Transaction.Kind = "out" ? -1 : 1) * ($number(Transaction.Amount) + Transaction.Fee)',
      currency: "'NOK'",
      transactionId: 'refs[t = "id"].v',
    }
    expect(map(GIFT_CARD, payload, given)).toEqual({
      Transaction: payload.Transaction,
      refs: payload.refs,
      amount: -250.3,
      currency: 'NOK',
      transactionId: 'T-7',
    })
  })

  test('When it is of a row, then each row is its own, also one alone, one that is nothing, and one that lacks it', () => {
    const given = { items: '*[type = "goods"].rows', 'items.quantity': '$sum(parts.n)', 'items.gtin': 'code & ""' }
    const rows = [{ code: 1, parts: [{ n: 2 }, { n: 3 }] }, { code: 2 }, null, [], { code: 3, parts: { n: 4 } }]
    expect(map(COUNT, { a: { type: 'goods', rows } }, given)).toMatchObject({
      items: [{ gtin: '1', quantity: 5 }, { gtin: '2' }, null, {}, { gtin: '3', quantity: 4 }],
    })
    expect(map(COUNT, { a: { type: 'goods', rows: rows.slice(0, 1) } }, given)).toMatchObject({
      items: [{ gtin: '1', quantity: 5 }],
    })
    expect(map(COUNT, { a: { type: 'goods', rows: [] } }, given)).not.toHaveProperty('items.0')
  })

  test('When one of several fails, then it is named with its code and no value, and nothing is made of the event', () => {
    const payload = { id: 1, sum: 'Kari Nordmann', more: 'x', at: '2026-11-20', cur: 'NOK', storeNo: '101' }
    const given = {
      amount: '$number(sum)',
      balance: '1 - $number(more)',
      at: '$string(at)',
      currency: "$uppercase('nok')",
    }
    const read = map(GIFT_CARD, payload, given)
    expect(read).toMatchObject({ createdDateTime: '2026-11-20', currency: 'NOK' })
    expect(faultsIn(read)).toMatchObject([
      { field: 'amount', code: 'D3030', position: 8 },
      { field: 'balance', code: 'D3030' },
    ])
    const why = unreadText(GIFT_CARD, unreadOf(GIFT_CARD, read))
    expect(why).toContain('amount could not be read (its expression fails: D3030 at character 8)')
    // Nothing leaves without its balance, though one that is not there would not be missed.
    expect(why).toContain('balance could not be read (its expression fails: D3030')
    expect(why).not.toContain('Kari')
  })

  test('When it never ends, then it is ended, and the fields that it is evaluated with are held', () => {
    const endless = '($f := function($n) { $f($n + 1) }; $f(0))'
    const ownTime = countOwnTime()
    const rows = Array.from({ length: 2_000 }, (_, n) => ({ n }))
    const read = map(COUNT, { items: rows }, { 'items.quantity': endless, 'items.gtin': '$string(n)' })
    expect(ownTime()).toBeLessThan(5_000)
    expect(faultsIn(read)).toMatchObject([{ field: 'items.gtin', code: 'timeout' }, { field: 'items.quantity' }])
    expect(unreadOf(COUNT, read).map(({ fields }) => fields[0])).toContain('items.quantity')
  })

  test('When a sender writes what a fault is noted by, then only codes of the hub’s own form are told', () => {
    const noted = [
      { field: 'amount', code: 'Kari Nordmann', position: null },
      'x',
      null,
      { field: 'amount', code: 'T2001', position: 3 },
    ]
    expect(unreadText('SaleCreated', unreadOf('SaleCreated', { ...sale(), '~failed': noted }))).toBe(
      'SaleCreated: amount could not be read (its expression fails: T2001 at character 3); map it in config: platform.payloads.SaleCreated.amount: <where it is>',
    )
  })
})
