import { expect, test } from 'vitest'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { attemptOf, createKit, GOODS, returnOf, type VendureKit } from './kit.ts'
import { type StandInShop, startStandIn } from './stand-in.ts'

/*
 * Vendure rounds the price of one piece, and that of the line from what it was before (order-line.entity.ts, proratedUnitPriceWithTax
 * and proratedLinePriceWithTax, read 2026-11-26): three for 200.00 are 66.67 each.
 */

const [TEE] = GOODS

/** An order of three pieces, delivered and paid by card, of which the line costs so much. */
async function delivered(shop: StandInShop, proratedLinePriceWithTax: number) {
  const { id, code } = await shop.place({ lines: [{ sku: TEE.sku, quantity: 3 }] })
  const order = shop.standIn.orders().find((one) => one.id === id)
  const [line, payment] = [order?.lines[0], order?.payments[0]]
  if (!order || !line || !payment) throw new Error('There is no such order.')
  order.lines = [
    { ...line, proratedUnitPriceWithTax: Math.round(proratedLinePriceWithTax / 3), proratedLinePriceWithTax },
  ]
  Object.assign(payment, { state: 'Settled', amount: proratedLinePriceWithTax })
  order.state = 'Delivered'
  return { code, payment }
}

test('When a line does not divide into coins, then its sale is what was paid, to the coin', async () => {
  await using shop = await startStandIn()
  await using kit = await createKit(shop)
  const { code } = await delivered(shop, 10_000)
  const { items } = await kit.poll(null, { signal: AbortSignal.timeout(20_000) })
  expect(items).toMatchObject([
    {
      resource: 'sales',
      value: {
        orderNo: code,
        salesLines: [
          { identity: TEE.gtin, price: '33.33', qty: '2' },
          { identity: TEE.gtin, price: '33.34', qty: '1' },
        ],
        paymentLines: [{ amount: '100' }],
      },
    },
  ])
})

test('When all pieces of such a line come back, one after the other, then what was paid is refunded, and no step is refused', async () => {
  await using shop = await startStandIn()
  await using kit = await createKit(shop)
  const { code, payment } = await delivered(shop, 20_000)
  for (const refundId of ['R-1', 'R-2', 'R-3']) await comesBack(kit, code, refundId)
  expect(payment.refunds.map(({ total }) => total)).toEqual([6_667, 6_667, 6_666])
  // A fourth is one too many.
  await expect(comesBack(kit, code, 'R-4')).rejects.toMatchObject({ code: 'nothing-to-refund' })
})

async function comesBack(kit: VendureKit, code: string, refundId: string): Promise<void> {
  const refund = returnOf(code, { id: refundId })
  const [line] = refund.lines
  if (!line) throw new Error('The fixture names no line.')
  await kit.orders.refund({ refund, line, quantity: parseDecimal(1) }, attemptOf())
}
