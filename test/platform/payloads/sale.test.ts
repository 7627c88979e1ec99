import { describe, expect, test } from 'vitest'
import { posOrder } from '../../../src/domain/orders/order.ts'
import { readCustomer } from '../../../src/platform/payloads/customer.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import { endlessAisle, sale, saleLine, store } from '../../fixtures/payloads.ts'

const nok = (amount: string) => ({ amount, currency: 'NOK' })

describe('reading a sale', () => {
  test('When a whole payload is read, then amounts are exact and texts that are empty are null', () => {
    const read = readSale(sale({ orderLines: [saleLine({ gtin: '', quantity: 1, price: 349, vat: 69.8 })] }))
    expect(read).toMatchObject({ receiptNo: '1001', orderNo: null, total: nok('349'), vatTotal: nok('69.8') })
    expect(read.lines).toMatchObject([{ gtin: null, quantity: '1', unitPrice: nok('349'), total: nok('349') }])
    expect(read.shipping).toBeNull()
  })

  test('When a payment says no amount, then it is named which one, so that a person finds it', () => {
    const payments = [{ type: 'Cash', amount: 10 }, { type: 'Card' }]
    expect(() => readSale(sale({ paymentLines: payments }))).toThrow('the sale lacks paymentLines[1].amount')
  })

  test('When the platform says more, then nothing of it is lost on the way to shops and books; what cannot be read is left out', () => {
    const reasons = ['Faded', { id: 7, description: 'Too small' }, null, '', {}, []]
    const line = saleLine({ reasons, discountPercent: 12.5 })
    const odd = saleLine({ reasons: 'Faded', discount: 'much', discountPercent: {} })
    const payment = { type: 'Cash', amount: 698, currency: 'EUR', currencyTendered: 60.5, text: 'Slip 12' }
    const read = readSale(
      sale({
        total: 698,
        orderLines: [line, odd],
        paymentLines: [payment, { ...payment, currency: 'kroner' }, { type: 'Card', amount: 0 }],
        customer: { customerId: 501 },
        fulfillmentLocation: { stockId: 12, stockName: 'Oslo City', posId: 0, personId: 55 },
      }),
    )
    expect(read.lines).toMatchObject([
      {
        ...{ variant: '01', number: '10234', group: 'Tops', season: 'AW26' },
        ...{ discount: nok('50'), discountPercent: '12.5', reasons: ['Faded', '7 Too small'] },
      },
      { discount: null, discountPercent: null, reasons: [] },
    ])
    expect(read.payments).toMatchObject([
      { tendered: { amount: '60.5', currency: 'EUR' }, slip: 'Slip 12' },
      { tendered: null },
      { tendered: null, slip: null },
    ])
    expect(read).toMatchObject({ customer: null, customerId: '501' })
    expect(read.fulfillment).toEqual({ stockId: '12', stockName: 'Oslo City', posId: null, personId: '55' })
    expect(readSale(sale())).toMatchObject({ customerId: null, fulfillment: null })
  })

  test('When a line has two pieces and its price is of one, then the line is worth both', () => {
    const line = saleLine({ quantity: 2, price: 99.95, vat: 39.98 })
    const read = readSale(sale({ orderLines: [line], total: 199.9, vatTotal: 39.98 }))
    expect(read.lines).toMatchObject([{ unitPrice: nok('99.95'), total: nok('199.9'), vat: nok('39.98') }])
  })

  test('When only the prices themselves add up to the total, then they are of the whole line', () => {
    const line = saleLine({ quantity: 2, price: 199.9, vat: 39.98 })
    const read = readSale(sale({ orderLines: [line], total: 199.9, vatTotal: 39.98 }))
    expect(read.lines).toMatchObject([{ unitPrice: nok('99.95'), total: nok('199.9') }])
  })

  test('When the price of a line does not divide by its pieces, then one of them is told to a hundredth of the smallest coin', () => {
    const line = saleLine({ quantity: 3, price: 100, vat: 20 })
    const read = readSale(sale({ orderLines: [line], total: 100, vatTotal: 20 }))
    expect(read.lines).toMatchObject([{ unitPrice: nok('33.3333'), total: nok('100') }])
  })

  test('When the VAT of each piece adds up to the total of VAT, then it is multiplied', () => {
    const line = saleLine({ quantity: 2, price: 100, vat: 20 })
    const read = readSale(sale({ orderLines: [line], total: 200, vatTotal: 40 }))
    expect(read.lines).toMatchObject([{ vat: nok('40') }])
  })

  test.each([
    ['rounded to a coin', { quantity: 3, price: 99.99, vat: 20 }, { total: 299.97, vatTotal: 59.99 }, '60'],
    [
      'added up in binary',
      { quantity: 3, price: 99.9, vat: 19.98 },
      { total: 299.7, vatTotal: 59.940000000000005 },
      '59.94',
    ],
    ['by its rate alone', { quantity: 2, price: 100, vat: 20 }, { total: 200, vatTotal: null }, '40'],
    ['of the line', { quantity: 3, price: 99.99, vat: 59.99 }, { total: 299.97, vatTotal: 59.99 }, '59.99'],
    ['of the line by its rate alone', { quantity: 2, price: 100, vat: 40 }, { total: 200, vatTotal: null }, '40'],
    [
      'with nothing to tell',
      { quantity: 2, price: 100, vat: 20, vatPercent: null },
      { total: 200, vatTotal: null },
      '20',
    ],
  ])('When VAT of a line is %s, then it is that of all its pieces', (_how, line, sums, vat) => {
    const read = readSale(sale({ orderLines: [saleLine({ vatPercent: 0.25, ...line })], ...sums }))
    expect(read.lines).toMatchObject([{ vat: nok(vat) }])
  })

  test('When a platform adds up in binary fractions, then prices of whole lines are still known', () => {
    const line = saleLine({ quantity: 2, price: 199.8, vat: 39.96 })
    const read = readSale(sale({ orderLines: [line], total: 199.79999999999998, vatTotal: 39.96 }))
    expect(read.lines).toMatchObject([{ unitPrice: nok('99.9'), total: nok('199.8') }])
  })

  test('When prices are of whole lines, then so are full prices: what a piece was before is told of one', () => {
    const line = saleLine({ quantity: 2, price: 200, fullPrice: 250, discount: 50, vat: 40 })
    const read = readSale(sale({ orderLines: [line], total: 200, vatTotal: 40 }))
    expect(read.lines).toMatchObject([{ unitPrice: nok('100'), fullPrice: nok('125'), total: nok('200') }])
  })

  test('When goods come back, then their line is negative', () => {
    const line = saleLine({ quantity: -1, price: 349, vat: -69.8 })
    const read = readSale(sale({ orderLines: [line], total: -349, vatTotal: -69.8 }))
    expect(read.lines).toMatchObject([{ quantity: '-1', total: nok('-349'), vat: nok('-69.8') }])
  })

  test.each([
    ['of one piece, as it was sold for', { price: 100, fullPrice: 150, vat: 40 }],
    ['of the line, without a sign', { price: 200, fullPrice: 300, vat: 40 }],
    ['of the line, with its sign', { price: -200, fullPrice: -300, vat: -40 }],
    ['of one piece, with the sign of the line', { price: -100, fullPrice: -150, vat: -20 }],
  ])('When two pieces come back and their price is %s, then the line is worth both and negative', (_, written) => {
    const line = saleLine({ quantity: -2, vatPercent: 0.25, ...written })
    const read = readSale(sale({ orderLines: [line], total: -200, vatTotal: -40 }))
    expect(read.lines).toMatchObject([
      { quantity: '-2', unitPrice: nok('100'), fullPrice: nok('150'), total: nok('-200'), vat: nok('-40') },
    ])
  })

  test('When goods are exchanged and prices are of lines without a sign, then those that came back alone are negative', () => {
    const back = saleLine({ quantity: -2, price: 200, vat: 40 })
    const taken = saleLine({ quantity: 1, price: 250, vat: 50 })
    const coupon = saleLine({ quantity: 1, price: -50, vat: -10 })
    const read = readSale(sale({ orderLines: [back, taken, coupon], total: 0, vatTotal: 0 }))
    expect(read.lines.map(({ total, vat }) => [total.amount, vat?.amount])).toEqual([
      ['-200', '-40'],
      ['250', '50'],
      ['-50', '-10'],
    ])
  })

  test('When nothing adds up to the total, then prices are of one piece, and what came back never becomes money that came in', () => {
    const line = saleLine({ quantity: -1, price: 200, vat: 40 })
    expect(readSale(sale({ orderLines: [line], total: 200, vatTotal: 40 })).lines).toMatchObject([
      { unitPrice: nok('200'), total: nok('-200'), vat: nok('-40') },
    ])
  })

  test('When names differ in case and numbers come as text, then they are read all the same', () => {
    const { total, receiptNo, ...rest } = sale()
    expect(readSale({ ...rest, Total: '349.00', ReceiptNo: 1001 })).toMatchObject({
      total: nok('349'),
      receiptNo: '1001',
    })
  })

  test('When no customer is attached, then there is none', () => {
    expect(readSale(sale({ customer: { email: '', firstName: '', address: { city: '' } } })).customer).toBeNull()
  })

  for (const [prefix, phone, number] of [
    ['+47', '91234567', '+4791234567'],
    ['47', '91234567', '+4791234567'],
    ['0047', '91234567', '+4791234567'],
    ['+47', '4791234567', '+4791234567'],
    ['47', '0047 91234567', '+4791234567'],
    ['46', '070-123 45 67', '+46701234567'],
    ['999', '91234567', '91234567'],
  ] as const)
    test(`When a phone is written as ${prefix} and ${phone}, then it is the number ${number}, as that of a customer is`, () => {
      const customer = { phoneCountryPrefix: prefix, phone }
      expect(readSale(sale({ customer })).customer?.phone).toBe(number)
      expect(readCustomer({ customerId: 501, ...customer })?.phone).toBe(number)
    })

  test.each([
    ['receiptNo', sale({ receiptNo: '' })],
    ['createdDateTime', sale({ createdDateTime: null })],
    ['total', sale({ total: null })],
    ['store.currency', sale({ store: store({ currency: '' }), paymentLines: [] })],
    ['orderLines[0].price', sale({ orderLines: [saleLine({ price: null })] })],
    ['orderLines[0].quantity', sale({ orderLines: [saleLine({ quantity: undefined })] })],
  ])('When it lacks %s, then that is said', (name, payload) => {
    expect(() => readSale(payload)).toThrow(`the sale lacks ${name}`)
  })

  test('When an amount is no decimal, then it is refused', () => {
    expect(() => readSale(sale({ total: '1.399,50' }))).toThrow('not a decimal')
  })
})

describe('the order of an endless aisle sale', () => {
  test('When some lines say that the online store ships them, then the order is of those, and so is its total', () => {
    const order = posOrder(
      readSale(
        endlessAisle({
          orderLines: [
            saleLine({ name: 'Carried home', price: 100, quantity: 1 }),
            saleLine({ name: 'Shipped', price: 49.9, quantity: 3, shipFromOnlineStore: true }),
          ],
          total: 249.7,
        }),
      ),
    )
    expect(order.lines.map(({ name }) => name)).toEqual(['Shipped'])
    expect(order.total).toEqual(nok('149.7'))
  })

  test('When no line says so, then the order is of all', () => {
    const lines = [saleLine({ price: 100, quantity: 1 }), saleLine({ price: 49, quantity: 1 })]
    const order = posOrder(readSale(endlessAisle({ orderLines: lines, total: 149 })))
    expect(order.lines).toHaveLength(2)
    expect(order.total).toEqual(nok('149'))
  })

  test('When it is made, then it carries the payment’s reference and the four positions of shipmentInfo by name', () => {
    const order = posOrder(readSale(endlessAisle()))
    expect(order.number).toBe('EA-77')
    expect(order.transactionId).toEqual(expect.any(String))
    expect(order.fulfillment).toEqual({ stockId: '12', stockName: 'Oslo City', posId: '3', personId: '55' })
    expect(order.shipping).toEqual({
      carrierId: 'bring',
      carrierService: 'Parcel to pickup point',
      rateId: 'rate-9',
      pickupPointId: 'pickup-0050-3',
    })
  })

  test.each([
    ['lines and payments', { total: 150 }, 'lines of 349.00 NOK, a total of 150.00 NOK, payments of 349.00 NOK'],
    ['the payment', { paymentLines: [{ type: 'Card', amount: 150 }] }, 'payments of 150.00 NOK'],
    ['what came back', { total: -300, orderLines: [saleLine({ quantity: -1, price: 240 })] }, 'lines of -240.00 NOK'],
  ])('When %s do not add up to the total, then the order says so', (_, given, expected) => {
    expect(posOrder(readSale(endlessAisle(given))).contradiction).toContain(expected)
  })

  test('When cash was rounded, or a part of the sale is shipped, then nothing contradicts', () => {
    const lines = [saleLine({ price: 348.6 }), saleLine({ rowId: '2', price: 100, shipFromOnlineStore: true })]
    const cash = { orderLines: lines, total: 448.6, paymentLines: [{ type: 'Cash', amount: 449 }] }
    for (const given of [{}, cash, { paymentLines: [] }])
      expect(posOrder(readSale(endlessAisle(given))).contradiction).toBeNull()
  })

  test('When the platform gave it no number, then it is called by its receipt', () => {
    expect(posOrder(readSale(endlessAisle({ orderNo: null }))).number).toBe('1002')
  })
})
