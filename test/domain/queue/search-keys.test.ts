import { describe, expect, test } from 'vitest'
import { searchKeysOf, searchTermsOf } from '../../../src/domain/queue/search-keys.ts'
import { customer, endlessAisle, orderUpdate, otherCase, receipt, sale } from '../../fixtures/payloads.ts'

function leads(payload: unknown, typed: string, countries: string[] = ['NO', 'SE']): boolean {
  const keys = new Set(searchKeysOf(payload).map(({ sort, value }) => `${sort} ${value}`))
  return searchTermsOf(typed, countries).some(({ sort, value }) => keys.has(`${sort} ${value}`))
}

const PHONED = customer({ phoneCountryPrefix: '47', phone: '90012345' })

test.each<[string, unknown, string]>([
  ["an order's number in other case", orderUpdate({ orderNo: 'EA-77' }), 'ea-77'],
  ["an order's number as the shop shows it", orderUpdate({ orderNo: '1008' }), '#1008'],
  ['the number of a receipt alone', sale(), '1001'],
  ['POS and receipt', sale(), '3/1001'],
  ['store, POS and receipt', sale(), '101/3/1001'],
  ["the platform's id of an order", orderUpdate(), '0D8F8A5E-2F0C-4A4E-9A53-6D9A52A1F001'],
  ['an e-mail address in other case', endlessAisle(), 'Kari.Nordmann@Example.com'],
  ['the address that a receipt went to', receipt(), 'kari.nordmann@example.com'],
  ['the phone that a receipt went to', receipt({ channel: 'Sms', recipient: '+47 900 12 345' }), '90012345'],
  ['a phone with its country', PHONED, '+47 900 12 345'],
  ['a phone dialled from abroad', PHONED, '0047 90012345'],
  ['a phone as people say it', PHONED, '900 12 345'],
  ['a GTIN', sale(), '7090012340011'],
  ['a SKU in other case', sale(), 'tee-blk-m'],
  ['a payment', sale(), 'tx-48151'],
  ['what the other dialect wrote', otherCase(sale()), '3/1001'],
])('When %s is typed, then it leads to the event', (_, payload, typed) => {
  expect(leads(payload, typed)).toBe(true)
})

test.each<[string, unknown, string]>([
  ['a part of a number', sale(), '100'],
  ['the quantity', sale(), '1'],
  ['the phone of somebody else', PHONED, '90012346'],
  ['nothing', sale(), '  '],
])('what does not lead there: When %s is typed, then nothing is found', (__, payload, typed) => {
  expect(leads(payload, typed)).toBe(false)
})

test('When a payload is huge or deep, then its keys are bounded, and those at the beginning are there', () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => ({ gtin: `70900${index}` }))
  const keys = searchKeysOf({ orderNo: 'A1', lines })
  expect(keys.length).toBeLessThanOrEqual(200)
  expect(keys[0]).toEqual({ sort: 'order', value: 'a1' })
  const reached = { recipient: 'kari@example.com', phone: '90012345' }
  const bought = searchKeysOf({ lines, customer: { extId: 'C-9' }, ...reached, customerNo: '77' })
  expect(bought.filter(({ sort }) => sort !== 'article')).toEqual([
    { sort: 'id', value: 'c-9' },
    { sort: 'email', value: 'kari@example.com' },
    { sort: 'phone', value: '90012345' },
    { sort: 'id', value: '77' },
  ])
  let deep: unknown = { orderNo: 'A2' }
  for (let depth = 0; depth < 5_000; depth++) deep = { inner: deep }
  expect(searchKeysOf(deep)).toEqual([])
})

describe('the fields that people ask for', () => {
  test.each<[string, string]>([
    ['order', 'orderNo OrderNumber extOrderId extOrderNo originalOrderNo orderReference'],
    ['receipt', 'receiptNo receiptNumber originalReceiptNo'],
    ['article', 'gtin EAN barcode sku externalSKU'],
    ['id', 'extId extRef customerId customerExtId saleGuid txRef settlementId movementId transferId orderId'],
  ])('When a value is a %s, then it is found as one, by any of its names', (sort, names) => {
    for (const name of names.split(' '))
      expect(searchKeysOf({ [name]: ' #A-1 ' }), name).toEqual([{ sort, value: 'a-1' }])
  })

  test('When a value is an address or a phone, then all of its spellings are', () => {
    for (const name of ['email', 'emailAddress'])
      expect(searchKeysOf({ [name]: ' Kari@Example.com ' })).toEqual([{ sort: 'email', value: 'kari@example.com' }])
    for (const name of ['phone', 'phoneNumber', 'mobile', 'mobilePhone'])
      for (const prefix of ['phoneCountryPrefix', 'phonePrefix', 'phoneCountryCode'])
        expect(searchKeysOf({ [name]: '90012345', [prefix]: 47 }), name + prefix).toEqual([
          { sort: 'phone', value: '4790012345' },
          { sort: 'phone', value: '90012345' },
        ])
    expect(searchKeysOf({ phone: '90012345', phonePrefix: '' })).toEqual([{ sort: 'phone', value: '90012345' }])
    // A number to call within a house is nobody's.
    expect(searchKeysOf({ phone: '0123' })).toEqual([])
  })

  test('When an id has no word before it, then a short one means nothing', () => {
    expect(searchKeysOf({ id: '12345678' })).toEqual([{ sort: 'id', value: '12345678' }])
    expect(searchKeysOf({ id: '1234567' })).toEqual([])
  })

  test('When a value is nothing, endless or no value, then there is no key of it', () => {
    expect(
      searchKeysOf({ orderNo: '', receiptNo: 'x'.repeat(121), gtin: Number.NaN, sku: true, extId: ' # ' }),
    ).toEqual([])
    expect(searchKeysOf({ orderNo: 'x'.repeat(120), receiptNo: 7 })).toHaveLength(2)
    expect(searchKeysOf(null)).toEqual([])
  })

  test('When a sale lacks its store, its POS or its number, then no receipt of a POS is made of it', () => {
    const store = { posId: 3, storeExtId: '101' }
    const receipts = (given: object) => searchKeysOf(given).map(({ value }) => value)
    expect(receipts({ receiptNo: '1001', store })).toEqual(['1001', '3/1001', '101/3/1001'])
    expect(receipts({ receiptNo: '1001', store: { posId: 3 } })).toEqual(['1001', '3/1001'])
    for (const other of [null, undefined, 'Oslo', { storeExtId: '101' }])
      expect(receipts({ receiptNo: '1001', store: other })).toEqual(['1001'])
    expect(receipts({ receiptNo: '', store })).toEqual([])
  })

  test('When something lies deeper than a person is looked for, then it is not looked for', () => {
    const deep = (depth: number): unknown => (depth === 0 ? { orderNo: 'A2' } : { inner: deep(depth - 1) })
    expect(searchKeysOf(deep(32))).toHaveLength(1)
    expect(searchKeysOf(deep(33))).toEqual([])
  })
})
