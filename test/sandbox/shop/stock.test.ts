import { expect, test } from 'vitest'
import { COAT, givenShop, SHIRT, SHIRT_M } from './given.ts'

const level = (id: number, stock_quantity: number | string) => ({ id, manage_stock: true, stock_quantity })

test('When stock is written in a batch, then each item has its own answer, and the bad one leaves the others alone', async () => {
  await using shop = await givenShop()
  const answer = await shop.post('/products/batch', { update: [level(COAT, 4), level(999, 1), level(SHIRT_M, 1)] })
  expect([answer.status, answer.json]).toMatchObject([
    200,
    {
      update: [
        { id: COAT, stock_quantity: 4, manage_stock: true },
        { id: 999, error: { code: 'woocommerce_rest_product_invalid_id' } },
        { id: SHIRT_M, error: { code: 'woocommerce_rest_invalid_product_id' } },
      ],
    },
  ])
})

test('When a variation is written below its product, then it has its stock; below another, it is not there', async () => {
  await using shop = await givenShop()
  const answer = await shop.post(`/products/${SHIRT}/variations/batch`, { update: [level(SHIRT_M, 9)] })
  expect(answer.json).toMatchObject({ update: [{ id: SHIRT_M, stock_quantity: 9 }] })
  const other = await shop.post(`/products/${COAT}/variations/batch`, { update: [level(SHIRT_M, 1)] })
  expect(other.json).toMatchObject({ update: [{ error: { code: 'woocommerce_rest_product_variation_invalid_id' } }] })
})

test('When the stock of a product is not managed, then a quantity alone is not kept', async () => {
  await using shop = await givenShop()
  const [gloves] = shop.products().filter(({ sku }) => sku === 'GLOVES')
  await shop.post('/products/batch', { update: [{ id: gloves?.id, stock_quantity: 5 }] })
  expect(shop.products().find(({ sku }) => sku === 'GLOVES')?.stock).toBeNull()
})

test('When there are more than a hundred in a batch, or nobody asks, then all of it is refused', async () => {
  await using shop = await givenShop()
  const update = Array.from({ length: 101 }, () => level(COAT, 1))
  expect((await shop.post('/products/batch', { update })).json).toMatchObject({
    code: 'woocommerce_rest_request_entity_too_large',
    data: { status: 413 },
  })
  expect((await shop.as(null, '/products/batch', 'POST')).json).toMatchObject({ code: 'woocommerce_rest_cannot_batch' })
  expect(shop.products().find(({ id }) => id === COAT)?.stock).toBe(10)
})
