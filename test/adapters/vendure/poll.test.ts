import { expect, test } from 'vitest'
import { createKit, GOODS } from './kit.ts'
import { startStandIn } from './stand-in.ts'

const [TEE] = GOODS
const PICKUP = { lines: [{ sku: TEE.sku, quantity: 1 }], shipping: 'pickup' as const, store: 'oslo' }

test('When an order says that it was changed in a year to come, then those that change afterwards are found', async () => {
  await using shop = await startStandIn()
  await using kit = await createKit(shop)
  const question = { signal: AbortSignal.timeout(20_000) }
  const { cursor } = await kit.poll(null, question)
  const first = await shop.place(PICKUP)
  for (const order of shop.standIn.orders()) order.updatedAt = '9999-12-31T23:59:59.000Z'
  const page = await kit.poll(cursor, question)
  expect(page.items).toMatchObject([{ value: { orderNo: first.code } }])
  const second = await shop.place(PICKUP)
  for (const kept of [page.cursor, '2099-01-01T00:00:00.000Z']) {
    const { items } = await kit.poll(kept, question)
    expect(items.map(({ value }) => value.orderNo)).toEqual([second.code, first.code])
  }
})

/*
 * Vendure splits the order of a shop with several sellers: it copies its lines into an order of each, in the seller's channel and the
 * default one, and keeps the whole as `Aggregate` (order-splitter.ts, read 2026-11-26).
 */
test('When an order was split among sellers, then the orders of the sellers are taken, and not the whole besides', async () => {
  await using shop = await startStandIn()
  await using kit = await createKit(shop)
  const whole = await shop.place({
    ...PICKUP,
    lines: [
      { sku: TEE.sku, quantity: 1 },
      { sku: GOODS[1].sku, quantity: 1 },
    ],
  })
  const sellers = [
    await shop.place(PICKUP),
    await shop.place({ ...PICKUP, lines: [{ sku: GOODS[1].sku, quantity: 1 }] }),
  ]
  for (const order of shop.standIn.orders()) order.type = order.id === whole.id ? 'Aggregate' : 'Seller'
  const { items } = await kit.poll(null, { signal: AbortSignal.timeout(20_000) })
  expect(items.map(({ value }) => value.orderNo)).toEqual(sellers.map(({ code }) => code))
})
