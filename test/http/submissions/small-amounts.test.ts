import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { deliveriesOf } from '../../hub.ts'
import { product, shareCounter } from './given.ts'

const counter = shareCounter()

test('when a sum in binary left 0.00000000000000005551 where nothing should be, then what was taken is sent as it was', async () => {
  const { status } = await counter().submit('products', [product('S-1', { price: 0.1 + 0.2 - 0.3, cost: 1e-40 })])
  expect(status).toBe(202)
  await eventually(async () => {
    const all = await deliveriesOf(counter().hub)
    expect(all.map(({ state, why }) => ({ state, why }))).toEqual([{ state: 'delivered', why: null }])
  })
})
