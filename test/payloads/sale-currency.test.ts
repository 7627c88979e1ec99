import { expect, test } from 'vitest'
import { readSale } from '../../src/payloads/sale.ts'
import { unreadOf } from '../../src/payloads/unread.ts'
import { sale, store } from '../fixtures/payloads.ts'

/* A store whose currency is an empty text: what .NET writes for none. */

const paid = (...payments: object[]) =>
  sale({
    store: store({ currency: '' }),
    paymentLines: payments.map((given) => ({ type: 'Card', subType: null, txRef: '', text: '', ...given })),
  })

test('a sale whose store names no currency has that of its payments', () => {
  const payload = paid(
    { currency: 'NOK', currencyTendered: 300, amount: 300 },
    { currency: 'nok', currencyTendered: '49.00', amount: 49 },
  )
  expect(unreadOf('SaleCreated', payload)).toEqual([])
  expect(readSale(payload).total.currency).toBe('NOK')
})

test.each([
  ['money of another currency was handed over', [{ currency: 'EUR', currencyTendered: 30, amount: 349 }]],
  [
    'payments differ',
    [
      { currency: 'NOK', currencyTendered: 300, amount: 300 },
      { currency: 'SEK', currencyTendered: 49, amount: 49 },
    ],
  ],
  ['payments name none', [{ currency: '', amount: 349 }]],
] as const)('a sale whose store names no currency is held where %s', (_, payments) => {
  const payload = paid(...payments)
  expect(unreadOf('SaleCreated', payload)).toMatchObject([{ fields: ['currency'] }])
  expect(() => readSale(payload)).toThrow('store.currency')
})
