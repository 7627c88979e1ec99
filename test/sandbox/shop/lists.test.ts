import { describe, expect, test } from 'vitest'
import { COAT, givenShop, paidOrder, SHIRT, SHIRT_M } from './given.ts'

describe('finding orders', () => {
  test('when there are more than a page holds, then the headers say so and link to the neighbours', async () => {
    await using shop = await givenShop()
    for (let count = 0; count < 5; count++) await shop.post('/orders', paidOrder())
    const ids = shop.orders().map(({ id }) => id)

    const answer = await shop.get('/orders?per_page=2&page=2&order=asc&orderby=id&_fields=id')

    expect(answer.json).toEqual([{ id: ids[2] }, { id: ids[3] }])
    expect(answer.headers).toMatchObject({ 'x-wp-total': '5', 'x-wp-totalpages': '3' })
    const link = (page: number) =>
      `${shop.url}/wp-json/wc/v3/orders?per_page=2&page=${page}&order=asc&orderby=id&_fields=id`
    expect(answer.headers.link).toBe(`<${link(1)}>; rel="prev", <${link(3)}>; rel="next"`)
    expect((await shop.get('/orders?per_page=2&page=9')).json).toEqual([])
  })

  test('when orders are asked for by date, then the bounds are outside, on the clock that was asked for', async () => {
    let now = Date.parse('2026-03-01T11:00:00Z')
    await using shop = await givenShop({ now: () => now, timeZone: 'Europe/Oslo' })
    for (let count = 0; count < 3; count++) {
      await shop.post('/orders', paidOrder({ transaction_id: `T-${count}` }))
      now += 60_000
    }
    const found = async (query: string) => {
      const { json } = await shop.get(`/orders?order=asc&_fields=transaction_id&${query}`)
      return (json as { transaction_id: string }[]).map(({ transaction_id }) => transaction_id)
    }

    expect(await found('after=2026-03-01T12:00:00')).toEqual(['T-1', 'T-2'])
    expect(await found('after=2026-03-01T11:00:00Z')).toEqual(['T-1', 'T-2'])
    expect(await found('after=2026-03-01T11:00:00&dates_are_gmt=true')).toEqual(['T-1', 'T-2'])
    expect(await found('before=2026-03-01T11:02:00&dates_are_gmt=true')).toEqual(['T-0', 'T-1'])
    expect(await found('modified_after=2026-03-01T12:01:00')).toEqual(['T-2'])
    // The site's offset is added to a time with a zone, as WordPress does it: an hour too late.
    expect(await found('after=2026-03-01T10:00:00Z&dates_are_gmt=true')).toEqual(['T-1', 'T-2'])
  })

  test('when orders are searched, then by transaction, e-mail, address, product and id; not by meta data or notes', async () => {
    await using shop = await givenShop()
    await shop.post('/orders', paidOrder({ customer_note: 'A1', line_items: [{ product_id: COAT }] }))
    const id = shop.orders()[0]?.id
    const hits = async (search: string) => ((await shop.get(`/orders?search=${search}`)).json as unknown[]).length

    for (const search of ['t-1', 'ada@', 'ADA', 'rain', id]) expect(await hits(String(search))).toBe(1)
    for (const search of ['A1', '_till_order', 'reduced', 'nobody']) expect(await hits(search)).toBe(0)
  })
})

describe('finding products', () => {
  const skus = (json: unknown) => (json as { sku: string }[]).map(({ sku }) => sku)

  test('when products are listed, then without variations, with paging headers', async () => {
    await using shop = await givenShop()

    const answer = await shop.get('/products?order=asc&per_page=2')

    expect(skus(answer.json)).toEqual(['COAT', 'SHIRT'])
    expect(answer.headers).toMatchObject({ 'x-wp-total': '3', 'x-wp-totalpages': '2' })
  })

  test('when SKUs are asked for, then variations come too, in any case, each exact', async () => {
    await using shop = await givenShop()

    expect(skus((await shop.get('/products?order=asc&sku=coat,SHIRT-M,NONE')).json)).toEqual(['COAT', 'SHIRT-M'])
    expect((await shop.get('/products?sku=SHIRT-M')).json).toMatchObject([
      { id: SHIRT_M, type: 'variation', parent_id: SHIRT, name: 'Shirt - M', price: '299.00', stock_quantity: 3 },
    ])
    expect((await shop.get('/products?sku=COA')).json).toEqual([])
    expect(skus((await shop.get('/products?sku=COAT,%20SHIRT-M')).json)).toEqual(['COAT'])
  })

  test('when GTINs are asked for, then products and variations with them come', async () => {
    await using shop = await givenShop()

    const answer = await shop.get('/products?order=asc&global_unique_id=7038010000010,7038010000034')

    expect(skus(answer.json)).toEqual(['COAT', 'SHIRT-L'])
  })
})
