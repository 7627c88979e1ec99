import { expect, test } from 'vitest'
import { type ConnectedShop, startConnected } from './intake-given.ts'

/*
 * The answer of WooCommerce rounds what a line costs and its tax each by itself, to the decimals that the shop shows
 * (`get_order_item_data` in class-wc-rest-orders-v2-controller.php; issues 8328, 10121 and 25720; read 2026-11-26), while `price` and
 * `taxes` are told as they are. With "Round tax at subtotal level" both halves of a line may be rounded up.
 */

interface Said {
  quantity: number
  total: string
  total_tax: string
  price: number
  tax: string
}

/** The goods of a sale of one line, as a shop says it whose settings round so. */
async function soldLine(it: ConnectedShop, { tax, ...said }: Said, total: string) {
  const { id } = await it.shop.placeOrder({ lines: [{ sku: 'TEE-BLK-M' }] })
  await it.shop.setStatus(id, 'completed')
  await it.handedOver()
  const request = it.came.at(-1)
  if (!request) throw new Error('No webhook came.')
  const order = JSON.parse(Buffer.from(request.body).toString())
  Object.assign(order, { total })
  Object.assign(order.line_items[0], { ...said, taxes: [{ id: 1, total: tax, subtotal: tax }] })
  const body = Buffer.from(JSON.stringify(order))
  return (await it.intake.read?.({ ...request, body }))?.[0]?.value
}

const CASES: [string, Said, string, object[]][] = [
  [
    'no decimals, and tax rounded at the subtotal',
    { quantity: 3, total: '38', total_tax: '5', price: 12.5, tax: '4.5' },
    '42',
    [{ price: '14', qty: '3' }],
  ],
  [
    'no decimals, and tax rounded in each line',
    { quantity: 3, total: '38', total_tax: '4', price: 12.5, tax: '4.5' },
    '42',
    [{ price: '14', qty: '3' }],
  ],
  [
    'decimals, and tax rounded at the subtotal',
    { quantity: 1, total: '44.63', total_tax: '5.36', price: 44.625, tax: '5.355' },
    '49.98',
    [{ price: '49.98', qty: '1' }],
  ],
  [
    'prices without tax, and a tax rounded up in its line',
    { quantity: 3, total: '10', total_tax: '3', price: 3.3333333333333335, tax: '2.5' },
    '13',
    [
      { price: '4.33', qty: '2' },
      { price: '4.34', qty: '1' },
    ],
  ],
]

test.each(CASES)('When a shop has %s, then its lines cost what the customer paid', async (_, said, total, lines) => {
  await using it = await startConnected()
  const sale = await soldLine(it, said, total)
  expect(sale).toMatchObject({ salesLines: lines, paymentLines: [{ amount: total }] })
})

test('When a plugin says another tax than the rates make, then that is the tax', async () => {
  await using it = await startConnected()
  const said = { quantity: 1, total: '80.00', total_tax: '0.00', price: 80, tax: '20' }
  expect(await soldLine(it, said, '80.00')).toMatchObject({ salesLines: [{ price: '80' }] })
})
