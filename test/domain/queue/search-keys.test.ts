import { describe, expect, test } from 'vitest'
import { searchKeysOf, searchTermsOf } from '../../../src/domain/queue/search-keys.ts'
import { customer, endlessAisle, orderUpdate, otherCase, receipt, sale } from '../../fixtures/payloads.ts'

/** Whether what somebody types leads to the event. */
function leads(payload: unknown, typed: string, countries: string[] = ['NO', 'SE']): boolean {
  const keys = new Set(searchKeysOf(payload).map(({ sort, value }) => `${sort} ${value}`))
  return searchTermsOf(typed, countries).some(({ sort, value }) => keys.has(`${sort} ${value}`))
}

const PHONED = customer({ phoneCountryPrefix: '47', phone: '90012345' })

test.each<[string, unknown, string]>([
  ["an order's number in other case", orderUpdate({ orderNo: 'EA-77' }), 'ea-77'],
  ["an order's number as the shop shows it", orderUpdate({ orderNo: '1008' }), '#1008'],
  ['the number of a receipt alone', sale(), '1001'],
  ['till and receipt', sale(), '3/1001'],
  ['store, till and receipt', sale(), '101/3/1001'],
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

describe('what does not lead there', () => {
  test.each<[string, unknown, string]>([
    ['a part of a number', sale(), '100'],
    ['the quantity', sale(), '1'],
    ['the phone of somebody else', PHONED, '90012346'],
    ['nothing', sale(), '  '],
  ])('When %s is typed, then nothing is found', (__, payload, typed) => {
    expect(leads(payload, typed)).toBe(false)
  })
})

test('When a payload is huge or deep, then its keys are bounded, and those at the beginning are there', () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => ({ gtin: `70900${index}` }))
  const keys = searchKeysOf({ orderNo: 'A1', lines })
  expect(keys.length).toBeLessThanOrEqual(200)
  expect(keys[0]).toEqual({ sort: 'order', value: 'a1' })
  let deep: unknown = { orderNo: 'A2' }
  for (let depth = 0; depth < 5_000; depth++) deep = { inner: deep }
  expect(searchKeysOf(deep)).toEqual([])
})
