import { describe, expect, test } from 'vitest'
import type { Bookings } from '../../../src/domain/accounting/bookings.ts'
import {
  delivery,
  endlessAisle,
  pulledSettlement,
  sale,
  saleLine,
  stockMovement,
  store,
} from '../../fixtures/payloads.ts'
import { deliveriesOf } from '../../hub.ts'
import { ACCOUNTS } from './books-given.ts'
import { type Erp, openErp } from './erp-given.ts'

/* Fields that are null, empty, or no numbers, of which the books can do without: the fact is booked all the same, and where they cannot it is held. */

async function became(erp: Erp, flow: string): Promise<[string, string | null][]> {
  return (await deliveriesOf(erp.hub)).flatMap((one) => (one.flow === flow ? [[one.state, one.code]] : []))
}

describe('a sale', () => {
  test('When a line of an order of a POS does not say whether it is sent, then the sale is booked and kept, once, although no order is made of it', async () => {
    await using erp = await openErp({ config: { mirror: 'all' } })
    const lines = [saleLine({ shipFromOnlineStore: true }), saleLine({ rowId: '2', shipFromOnlineStore: null })]
    const payload = endlessAisle({ orderLines: lines, total: 698, vatTotal: 139.6 })
    await erp.tell('OmniChannelEndlessAisleOrderCreated', [payload])
    await erp.tell('SaleCreated', [payload])
    const [booking, ...others] = await erp.booked<Bookings['bookSale']>('sale')
    expect(booking?.sale).toMatchObject({ receiptNo: '1002', total: { amount: '698' } })
    expect(others).toEqual([])
    expect(await erp.hub.hub.storage.mirrorPage({ set: 'sales' }, null, 10)).toHaveLength(1)
  })

  test('When goods are exchanged for others of the same price, then nothing is paid, and the sale is booked whether the list is empty or null', async () => {
    await using erp = await openErp()
    const lines = [saleLine(), saleLine({ rowId: '2', quantity: -1, vat: -69.8 })]
    const even = (receiptNo: string, paymentLines: unknown) =>
      sale({ receiptNo, total: 0, vatTotal: 0, orderLines: lines, paymentLines })
    await erp.tell('SaleCreated', [even('1', []), even('2', null), sale({ receiptNo: '3', paymentLines: null })])
    const booked = await erp.booked<Bookings['bookSale']>('sale')
    expect(booked.map(({ sale: { receiptNo } }) => receiptNo).sort()).toEqual(['1', '2'])
    // Who paid 349 with nothing has paid with something that is not told.
    expect(await became(erp, 'book-sale')).toContainEqual(['held', 'unreadable-field'])
  })

  test.each([
    [
      'its lines do not add up to its total',
      [saleLine({ quantity: 3 })],
      698,
      /lines of 1047.00 NOK, a total of 698.00/,
    ],
    ['goods came back, and its total says they were sold', [saleLine({ quantity: -1 })], 349, /lines of -349.00 NOK/],
    ['it has no lines', [], 349, /lines of 0.00 NOK, a total of 349.00 NOK/],
  ])('When %s, then it is not booked before a person has said so', async (_, orderLines, total, why) => {
    await using erp = await openErp()
    await erp.tell('SaleCreated', [sale({ orderLines, total, vatTotal: null })])
    expect(await erp.booked('sale')).toEqual([])
    const [held] = (await deliveriesOf(erp.hub)).filter(({ flow }) => flow === 'book-sale')
    expect(held).toMatchObject({ state: 'held', code: 'contradiction', why: expect.stringMatching(why) })
    await erp.hub.admin('deliveries/release', { filter: { id: held?.id }, reason: 'the store sold just that' })
    expect(await erp.booked('sale')).toHaveLength(1)
  })

  test('When each line is rounded by itself, then the sale is booked although its lines are a coin off its total', async () => {
    await using erp = await openErp()
    const weighed = saleLine({ quantity: 0.333, price: 99.9, vat: 6.65 })
    await erp.tell('SaleCreated', [
      sale({
        orderLines: [weighed, weighed],
        total: 66.54,
        vatTotal: 13.3,
        paymentLines: [{ type: 'Card', amount: 66.54 }],
      }),
    ])
    expect(await erp.booked('sale')).toHaveLength(1)
  })

  test('When a sale does not say its currency, and its first payment was in euros, then it is not booked in euros', async () => {
    await using erp = await openErp()
    const card = { type: 'Card', subType: 'Visa', currency: 'NOK', currencyTendered: 234, text: '', amount: 234 }
    const notes = { ...card, type: 'Cash', subType: 'ForeignCash', currency: 'EUR', currencyTendered: 10, amount: 115 }
    await erp.tell('SaleCreated', [sale({ store: store({ currency: '' }), paymentLines: [notes, card] })])
    expect(await erp.booked('sale')).toEqual([])
    expect(await became(erp, 'book-sale')).toEqual([['held', 'unreadable-field']])
  })

  test.each([
    ['the VAT of a line', { vat: '69,80' }, {}, 'lines.vat of row 1'],
    ['the rate of a line', { vatPercent: 'high' }, {}, 'lines.vatRate of row 1'],
    ['its VAT', {}, { vatTotal: 'n/a' }, 'vatTotal'],
  ])('When %s cannot be read, then it is held by that name', async (_, line, more, name) => {
    await using erp = await openErp({ config: { mirror: 'all' } })
    await erp.tell('SaleCreated', [sale({ orderLines: [saleLine(line)], ...more })])
    await erp.booked('sale')
    for (const { state, why } of await deliveriesOf(erp.hub))
      expect([state, why]).toEqual(['held', expect.stringContaining(`SaleCreated: ${name} could not be read`)])
  })

  test('When the price before a discount cannot be read, or a rate is none that there is, then it is booked all the same', async () => {
    await using erp = await openErp()
    await erp.tell('SaleCreated', [
      sale({ receiptNo: '1', orderLines: [saleLine({ fullPrice: 'free' })] }),
      sale({ receiptNo: '2', vatTotal: null, orderLines: [saleLine({ vatPercent: -1 })] }),
    ])
    expect(await erp.booked('sale')).toHaveLength(2)
  })
})

test('When goods have moved, and the level that they left is no number, then the movement is booked', async () => {
  await using erp = await openErp()
  await erp.tell('StockMovementCreated', [stockMovement({ stockLevel: 'n/a' })])
  const [booking] = await erp.booked<Bookings['bookMovement']>('movement')
  expect(booking?.movement).toMatchObject({ quantity: '-1', level: null })
})

test.each([
  ['the level is no number', { currentStockLevel: 'n/a' }],
  [
    'a movement has no quantity that is one',
    { stockMovements: [{ movementId: 1, quantity: 'three', costPrice: 'x' }] },
  ],
])('When goods have come, and %s, then the webhook is taken, and they are booked', async (_, odd) => {
  await using erp = await openErp()
  const [product] = delivery().products
  await erp.tell('DeliveryUpdated', [delivery({ products: [{ ...product, quantityReceived: 3, ...odd }] })])
  expect((await erp.booked<Bookings['bookReceived']>('received')).map(({ quantity }) => quantity)).toEqual(['3'])
})

describe('a settlement', () => {
  const NO_VAT = { vatCode: '0', vatPerc: null, cashSaleAmnt: 0, vatAmnt: 0 }
  const AT_25 = { vatCode: '3', vatPerc: 25, cashSaleAmnt: 18250.5, vatAmnt: 3650.1 }
  const [card, cash] = pulledSettlement().PaymentTypes

  test.each([
    ['a row of its fiscal report has no rate', { SAFT_ZReport: { reportCashSalesVat: [AT_25, NO_VAT] } }],
    ['its fiscal report has a row that is none', { SAFT_ZReport: { reportCashSalesVat: [AT_25, null] } }],
    ['points were tendered, which are no currency', { PaymentTypes: [{ ...card, Currency: 'Points' }, cash] }],
    ['what was tendered is no number', { PaymentTypes: [{ ...card, CurrencyTendered: 'all' }, cash] }],
  ])('When %s, then it is booked all the same', async (_, odd) => {
    await using erp = await openErp({ more: { accounts: ACCOUNTS } })
    await erp.tell('POSSettlementCreated', [pulledSettlement(odd)])
    const [booking] = await erp.booked<Bookings['bookSettlement']>('settlement')
    expect(booking?.journal?.difference.amount).toBe('0')
    expect(booking?.journal?.lines).toContainEqual(expect.objectContaining({ text: 'Sales 25 %' }))
  })
})
