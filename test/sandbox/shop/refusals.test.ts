import { describe, expect, test } from 'vitest'
import { COAT, givenShop, paidOrder } from './given.ts'

describe('who may ask', () => {
  test('when the secret is wrong, then it says so, whatever is asked', async () => {
    await using shop = await givenShop()

    for (const path of ['/orders', '/no-such-thing'])
      expect(await shop.as('ck_example:wrong', path)).toMatchObject(
        refusal(401, 'woocommerce_rest_authentication_error', 'Consumer secret is invalid.'),
      )
  })

  test('when there is no key or an unknown one, then each act is refused in its own words', async () => {
    await using shop = await givenShop()

    for (const credentials of [null, 'ck_other:cs_example']) {
      expect(await shop.as(credentials, '/orders')).toMatchObject(refusal(401, 'woocommerce_rest_cannot_view'))
      expect(await shop.as(credentials, '/orders', 'POST')).toMatchObject(
        refusal(401, 'woocommerce_rest_cannot_create'),
      )
      expect(await shop.as(credentials, '/orders/1', 'PUT')).toMatchObject(refusal(401, 'woocommerce_rest_cannot_edit'))
      expect(await shop.as(credentials, `/products/${COAT}`)).toMatchObject(
        refusal(401, 'woocommerce_rest_cannot_view'),
      )
    }
    expect(shop.orders()).toEqual([])
  })

  test('when the key may only read, then it cannot write', async () => {
    await using shop = await givenShop({ permissions: 'read' })

    expect((await shop.get('/orders')).status).toBe(200)
    expect(await shop.post('/orders', paidOrder())).toMatchObject(
      refusal(401, 'woocommerce_rest_authentication_error', 'The API key provided does not have write permissions.'),
    )
  })
})

describe('wrong parameters', () => {
  test('when the body is broken JSON, then that is refused', async () => {
    await using shop = await givenShop()

    expect(await shop.post('/orders', '{"set_paid":')).toMatchObject(refusal(400, 'rest_invalid_json'))
  })

  test('when the body is not called JSON, then an empty order is made of it', async () => {
    await using shop = await givenShop()

    const answer = await shop.post('/orders', paidOrder(), { 'content-type': 'text/plain' })

    expect(answer.status).toBe(201)
    expect(shop.orders()).toMatchObject([{ status: 'pending', total: '0.00', lines: [] }])
  })
})

describe('orders that the shop does not take', () => {
  test('when a coupon is unknown, then the refused order stays as a draft that no list shows', async () => {
    await using shop = await givenShop()

    const answer = await shop.post('/orders', paidOrder({ coupon_lines: [{ code: 'SUMMER' }] }))

    const [draft] = shop.orders()
    expect(answer).toMatchObject(refusal(400, 'woocommerce_rest_invalid_coupon', 'Coupon "summer" does not exist!'))
    expect(answer.json).toMatchObject({ data: { new_draft_order_id: draft?.id } })
    expect(draft).toMatchObject({ status: 'checkout-draft', datePaid: null })
    expect((await shop.get('/orders')).json).toEqual([])
    expect((await shop.get('/orders?status=checkout-draft')).json).toMatchObject([{ id: draft?.id }])
  })
})

function refusal(status: number, code: string, message?: string) {
  return { status, json: { code, ...(message === undefined ? {} : { message }), data: { status } } }
}
