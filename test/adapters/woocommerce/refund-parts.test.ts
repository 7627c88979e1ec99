import { expect, test } from 'vitest'
import { amountOf, partOf } from '../../../src/adapters/woocommerce/orders/refunds.ts'
import { ShopOrder, ShopRefund } from '../../../src/adapters/woocommerce/shop-order.ts'

interface Cost {
  total: string
  total_tax: string
  taxes: string[]
}

const CASES: [string, number, Cost][] = [
  ['25 % of 300.00', 3, { total: '240.00', total_tax: '60.00', taxes: ['60'] }],
  ['a discount that does not divide', 3, { total: '66.67', total_tax: '16.67', taxes: ['16.6675'] }],
  ['7 for 100.00 at 19 %', 7, { total: '84.03', total_tax: '15.97', taxes: ['15.9657'] }],
  ['one coin for three', 3, { total: '0.01', total_tax: '0.00', taxes: ['0.0025'] }],
  ['two rates, rounded together by the shop', 3, { total: '99.99', total_tax: '14.98', taxes: ['4.99500', '9.98500'] }],
  ['no tax', 6, { total: '200.00', total_tax: '0.00', taxes: [] }],
  ['100 in a shop without decimals', 3, { total: '80', total_tax: '20', taxes: ['20'] }],
  ['a rate of nothing, told as nothing', 2, { total: '9.99', total_tax: '0.00', taxes: [''] }],
]

test.each(CASES)(
  'When %s comes back piece by piece (%i), then net, each tax and amount add up',
  (_, quantity, cost) => {
    const { total, total_tax } = cost
    const taxes = cost.taxes.map((tax, index) => ({ id: index + 1, total: tax }))
    const line = { id: 7, name: 'T-shirt', quantity, total, total_tax, taxes, meta_data: [] }
    const order = ShopOrder.parse({ ...ORDER, line_items: [line] })
    const refunds: ShopRefund[] = []
    for (let piece = 1; piece <= quantity; piece += 1) {
      const [parsed] = order.line_items
      if (!parsed) throw new Error('The order has no line.')
      refunds.push(refundOf(partOf(parsed, 1, refunds, 'NOK')))
    }
    const sum = (amounts: string[]) => amounts.reduce((cents, amount) => cents + Math.round(Number(amount) * 100), 0)
    const lines = refunds.flatMap(({ line_items }) => line_items)
    expect(sum(lines.map((one) => one.total)) + sum([total])).toBe(0)
    expect(sum(lines.flatMap((one) => one.taxes.map((tax) => tax.total))) + sum([total_tax])).toBe(0)
    const amounts = refunds.map(({ amount }) => amount)
    expect(sum(amounts)).toBe(sum([total, total_tax]))
    // The share of each, to the coin that the shop counts in.
    const coin = total.includes('.') ? 1 : 100
    const share = sum([total, total_tax]) / quantity
    for (const amount of amounts) {
      expect(sum([amount]) % coin).toBe(0)
      expect(Math.abs(sum([amount]) - share)).toBeLessThan(quantity * coin)
    }
  },
)

const ORDER = { id: 1, number: '1', status: 'processing', currency: 'NOK', total: '0.00', meta_data: [] }

/** The refund as the shop shows it afterwards: lines below zero. */
function refundOf(part: ReturnType<typeof partOf>): ShopRefund {
  const tax = part.taxes.map(({ id, amount }) => ({ id, total: `-${amount.amount}` }))
  return ShopRefund.parse({
    id: 1,
    amount: amountOf([part], 'NOK').amount,
    line_items: [
      {
        id: 2,
        quantity: -1,
        total: `-${part.net.amount}`,
        total_tax: '0',
        taxes: tax,
        meta_data: [{ key: '_refunded_item_id', value: '7' }],
      },
    ],
  })
}
