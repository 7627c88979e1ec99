import { describe, expect, test } from 'vitest'
import type { IntakeItem } from '../../../src/ports/ports.ts'
import { eventually } from '../../eventually.ts'
import { deliveriesOf, keptAs } from '../../hub.ts'
import { cancelItem, OWN_SHOP, orderItem, push, saleItem } from '../order-feeds/given.ts'
import { order, shareCounter } from './given.ts'

const counter = shareCounter({
  destinations: { shop: { adapter: OWN_SHOP, intake: { stores: { Bergen: '102' }, country: 'NO' } } },
})
const hub = () => counter().hub

/** Retention drops all payloads, once nothing is owed any more; the events stay. */
async function dropPayloads(): Promise<void> {
  await eventually(async () => {
    for (const { settledAt } of await deliveriesOf(hub())) expect(settledAt).not.toBeNull()
  })
  const { storage } = hub().hub
  for (let left = (await storage.payloadKinds(0, 1_000)).map(({ id }) => id); left.length > 0; )
    left = left.slice((await storage.dropPayloads(left)).seen)
}

async function pushed(item: IntakeItem) {
  const { status, ids } = (await push(hub(), [item])).body
  return { status, problem: ids[0] === undefined ? null : keptAs(hub(), ids[0]).problem }
}

/** The kinds of all that was taken about an order; what is in quarantine is about nothing. */
async function kindsOf(orderNo: string): Promise<string[]> {
  return (await hub().hub.storage.events({ entity: `order:${orderNo}` })).map(({ kind }) => kind)
}

describe('An order whose payload is not kept any more', () => {
  test('When the shop completes it, then it was submitted to a store all the same: it is no second sale', async () => {
    await push(hub(), [orderItem('G-1')])
    await dropPayloads()
    expect(await pushed(saleItem('G-1'))).toMatchObject({ status: 'nothing' })
  })

  test('When the shop changes or cancels it, then a person sees that, and nothing says that it was never placed', async () => {
    await push(hub(), [orderItem('G-2')])
    await dropPayloads()
    const at = { changedAt: '2026-11-21T10:01:00Z' }
    for (const item of [
      orderItem('G-2', { receiptUrl: 'https://shop.example/2' }, at),
      { ...cancelItem('G-2'), ...at },
    ])
      expect(await pushed(item)).toMatchObject({
        status: 'quarantined',
        problem: expect.stringMatching(/^order G-2 was submitted, and what it said is not kept any more/),
      })
    expect(await kindsOf('G-2')).toEqual(['OrderSubmitted'])
  })

  test('When its system changes or cancels it by /v1, then it is told why not, and others learn nothing', async () => {
    const { submit, keyOf } = counter()
    await submit('orders', order('G-3'))
    await dropPayloads()
    const answers = [
      await submit('orders/G-3', order('G-3'), { method: 'PUT' }),
      await submit('orders/G-3', '', { method: 'DELETE' }),
    ]
    for (const { status, body } of answers) expect([status, body.code]).toEqual([409, 'order-not-kept'])
    const { key } = await keyOf('oms', 'orders')
    expect((await submit('orders/G-3', '', { method: 'DELETE', as: key })).status).toBe(403)
  })

  test('When it was cancelled and is submitted again, then it is refused as one that was cancelled', async () => {
    const { submit } = counter()
    await submit('orders', order('G-4'))
    await submit('orders/G-4', '', { method: 'DELETE' })
    await dropPayloads()
    const again = await submit('orders', order('G-4'))
    expect(again.text).toContain('order G-4 was cancelled before')
    expect((await submit('orders/G-4', order('G-4'), { method: 'PUT' })).body.code).toBe('order-cancelled')
  })

  test('When it was called off before it was placed, then the older word that it was placed is nothing still', async () => {
    const at = (minute: number) => ({ changedAt: `2026-03-02T10:0${minute}:00Z` })
    await push(hub(), [{ ...cancelItem('G-5'), ...at(2) }])
    await dropPayloads()
    expect(await pushed(orderItem('G-5', {}, at(1)))).toMatchObject({ status: 'nothing' })
  })
})
