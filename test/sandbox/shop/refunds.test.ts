import { describe, expect, test } from 'vitest'
import { COAT, givenShop } from './given.ts'

const TAXES = { pricesIncludeTax: false, country: 'NO', rates: [{ name: 'MVA', percent: '25' }] }

/** A shop with one order: two coats for 100.00 each and tax on top, paid by card. */
async function givenOrder(changes: Record<string, unknown> = {}) {
  const shop = await givenShop({ taxes: TAXES })
  const line_items = [{ product_id: COAT, quantity: 2, subtotal: '200.00', total: '200.00' }]
  const { json } = await shop.post('/orders', {
    payment_method: 'sandbox_card',
    set_paid: true,
    line_items,
    ...changes,
  })
  const { id, line_items: lines } = json as { id: number; line_items: { id: number }[] }
  return { ...shop, path: `/orders/${id}/refunds`, id, lineId: lines[0]?.id ?? 0, order: () => shop.orders()[0] }
}

describe('what is refused', () => {
  test('when it is more than what is left, then it is 500, and nothing is kept', async () => {
    await using shop = await givenOrder()
    await shop.post(shop.path, { amount: '200.00' })
    const answer = await shop.post(shop.path, { amount: '50.01' })
    expect(answer).toMatchObject(refusal(500, 'woocommerce_rest_cannot_create_order_refund', 'Invalid refund amount.'))
    expect(shop.order()?.refunds).toHaveLength(1)
  })

  test.each([
    ['', 'The payment gateway for this order does not exist.'],
    ['tillbridge', 'The payment gateway for this order does not exist.'],
    ['bacs', 'The payment gateway for this order does not support automatic refunds.'],
  ])('when it was paid by "%s", then only a refund without money goes through', async (payment_method, message) => {
    await using shop = await givenOrder({ payment_method })
    expect(await shop.post(shop.path, { amount: '10.00' })).toMatchObject(
      refusal(500, 'woocommerce_rest_cannot_create_order_refund', message),
    )
    expect((await shop.post(shop.path, { amount: '10.00', api_refund: false })).status).toBe(201)
    expect(shop.order()?.refunds).toMatchObject([{ amount: '10.00', paidBack: false }])
  })
})

test('when the shop dies between the save and the payment, then the refund is there without money and without meta data', async () => {
  await using shop = await givenOrder()
  shop.faults.next('error-500-after-save', { method: 'POST' })
  const answer = await shop.post(shop.path, { amount: '10.00', reason: 'Why', meta_data: [{ key: 'k', value: 'v' }] })
  expect(answer).toMatchObject(refusal(500, 'internal_server_error'))
  expect((await shop.get(shop.path)).json).toMatchObject([{ reason: 'Why', refunded_payment: false, meta_data: [] }])
})

function refusal(status: number, code: string, message?: string) {
  return { status, json: { code, ...(message && { message }), data: { status } } }
}
