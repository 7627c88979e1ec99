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

  test('when the key stands in the query, then it counts', async () => {
    await using shop = await givenShop()

    const answer = await shop.as(null, '/orders?consumer_key=ck_example&consumer_secret=cs_example')

    expect(answer.status).toBe(200)
  })

  test('when the key may only read, then it cannot write', async () => {
    await using shop = await givenShop({ permissions: 'read' })

    expect((await shop.get('/orders')).status).toBe(200)
    expect(await shop.post('/orders', paidOrder())).toMatchObject(
      refusal(401, 'woocommerce_rest_authentication_error', 'The API key provided does not have write permissions.'),
    )
  })
})

describe('what is not there', () => {
  test('when no route fits, then the answer is 404 in JSON', async () => {
    await using shop = await givenShop()

    for (const path of ['/no-such-thing', '/orders/abc', '/orders/1/other']) {
      const answer = await shop.get(path)
      expect(answer).toMatchObject(refusal(404, 'rest_no_route'))
      expect(answer.headers['content-type']).toBe('application/json; charset=UTF-8')
    }
  })

  test('when an id is unknown, then reading is 404 and writing 400', async () => {
    await using shop = await givenShop()

    expect(await shop.get('/orders/9')).toMatchObject(refusal(404, 'woocommerce_rest_shop_order_invalid_id'))
    expect(await shop.put('/orders/9', {})).toMatchObject(refusal(400, 'woocommerce_rest_shop_order_invalid_id'))
    expect(await shop.get('/orders/9/notes')).toMatchObject(refusal(404, 'woocommerce_rest_shop_order_invalid_id'))
    expect(await shop.post('/orders/9/notes', { note: 'Hello' })).toMatchObject(
      refusal(404, 'woocommerce_rest_order_invalid_id'),
    )
    expect(await shop.get('/products/9')).toMatchObject(refusal(404, 'woocommerce_rest_product_invalid_id'))
  })
})

describe('wrong parameters', () => {
  test.each([
    ['/orders?per_page=101', 'per_page', 'per_page must be between 1 (inclusive) and 100 (inclusive)'],
    ['/products?per_page=0', 'per_page', 'per_page must be between 1 (inclusive) and 100 (inclusive)'],
    ['/orders?page=0', 'page', 'page must be greater than or equal to 1'],
    ['/orders?page=two', 'page', 'page is not of type integer.'],
    ['/orders?order=up', 'order', 'order is not one of asc and desc.'],
    ['/orders?after=2026-03-01', 'after', 'Invalid date.'],
    ['/orders?orderby=total', 'orderby', 'orderby is not one of date, id, include, title, slug, and modified.'],
    ['/orders?dates_are_gmt=maybe', 'dates_are_gmt', 'dates_are_gmt is not of type boolean.'],
  ])('when %s is asked, then %s is refused', async (path, parameter, message) => {
    await using shop = await givenShop()

    const answer = await shop.get(path)

    expect(answer).toMatchObject(refusal(400, 'rest_invalid_param', `Invalid parameter(s): ${parameter}`))
    expect(answer.json).toMatchObject({
      data: { params: { [parameter]: message }, details: { [parameter]: { message } } },
    })
  })

  test.each([
    [{ line_items: [{ product_id: COAT, total: 10 }] }, 'line_items', 'line_items[0][total] is not of type string.'],
    [
      { line_items: [{ product_id: COAT, quantity: 0.5 }] },
      'line_items',
      'line_items[0][quantity] is not of type integer.',
    ],
    [{ billing: { first_name: null } }, 'billing', 'billing[first_name] is not of type string.'],
    [{ billing: { email: '' } }, 'billing', 'Invalid email address.'],
    [{ transaction_id: 7 }, 'transaction_id', 'transaction_id is not of type string.'],
    [{ set_paid: 'maybe' }, 'set_paid', 'set_paid is not of type boolean.'],
    [{ meta_data: [{ key: 7, value: 1 }] }, 'meta_data', 'meta_data[0][key] is not of type string.'],
    [{ line_items: { product_id: COAT } }, 'line_items', 'line_items is not of type array.'],
  ])('when an order has %j, then it is refused and none is made', async (changes, parameter, message) => {
    await using shop = await givenShop()

    const answer = await shop.post('/orders', paidOrder(changes))

    expect(answer).toMatchObject(refusal(400, 'rest_invalid_param', `Invalid parameter(s): ${parameter}`))
    expect(answer.json).toMatchObject({ data: { params: { [parameter]: message } } })
    expect(shop.orders()).toEqual([])
  })

  test('when status or currency is none of the shop, then both are named', async () => {
    await using shop = await givenShop()

    const answer = await shop.post('/orders', paidOrder({ status: 'paid', currency: 'XXL' }))

    expect(answer).toMatchObject(refusal(400, 'rest_invalid_param', 'Invalid parameter(s): status, currency'))
  })

  test('when parameters are unknown, then they are ignored: meta data is no filter', async () => {
    await using shop = await givenShop()
    await shop.post('/orders', paidOrder())

    const answer = await shop.get('/orders?meta_key=_till_order&meta_value=other&surprise=1')

    expect(answer).toMatchObject({ status: 200, json: [{ status: 'processing' }] })
  })

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
  test.each([
    [{ id: 5 }, 'woocommerce_rest_shop_order_exists'],
    [{ customer_id: 5 }, 'woocommerce_rest_invalid_customer_id'],
    [{ line_items: [{ quantity: 1, total: '5.00' }] }, 'woocommerce_rest_required_product_reference'],
    [{ line_items: [{ id: 5, quantity: 1 }] }, 'woocommerce_rest_invalid_item_id'],
    [{ shipping_lines: [{ method_title: 'Post', total: '5.00' }] }, 'woocommerce_rest_invalid_shipping_item'],
    [{ fee_lines: [{ total: '5.00' }] }, 'woocommerce_rest_invalid_fee_item'],
  ])('when an order has %j, then it is refused with %s', async (changes, code) => {
    await using shop = await givenShop()

    expect(await shop.post('/orders', paidOrder(changes))).toMatchObject(refusal(400, code))
    expect(shop.orders()).toEqual([])
  })

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

  test('when a note has no text, then the parameter is missed', async () => {
    await using shop = await givenShop()
    await shop.post('/orders', paidOrder())

    const answer = await shop.post(`/orders/${shop.orders()[0]?.id}/notes`, {})

    expect(answer).toMatchObject(refusal(400, 'rest_missing_callback_param', 'Missing parameter(s): note'))
  })
})

function refusal(status: number, code: string, message?: string) {
  return { status, json: { code, ...(message === undefined ? {} : { message }), data: { status } } }
}
