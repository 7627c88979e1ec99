import { expect, test } from 'vitest'
import woocommerce from '../../../src/adapters/woocommerce/woocommerce.ts'
import type { GivenOrder } from '../../../src/ports/ports.ts'
import { startHttpPeer } from '../http/peer.ts'
import { KEY } from './shop.ts'

const given = (theirId: string): GivenOrder =>
  ({ keys: [`key-${theirId}`], links: [{ kind: 'order', id: theirId, destination: 'shop', theirId }] }) as never

test('When a plugin has changed one of the orders of POS beyond reading, then the others are told of, and that one is there', async () => {
  await using peer = await startHttpPeer()
  const order = (id: number, more: object = {}) => ({
    ...{ id, number: String(id), status: 'processing', currency: 'NOK', total: '349.00', refunds: [] },
    ...{ meta_data: [{ key: '_tillbridge_key', value: `key-${id}` }], line_items: [], ...more },
  })
  peer.play({
    status: 200,
    body: JSON.stringify([order(1), order(2, { total: '', line_items: [{ quantity: null }] })]),
  })
  const options = woocommerce.options.parse({ url: peer.address, ...KEY })
  await using shop = woocommerce.create(options, { destination: 'shop', timeout: 5_000, concurrency: 1 })
  const reconciled = await shop.ports.orders?.reconcile?.([given('1'), given('2')], {
    signal: AbortSignal.timeout(5_000),
  })
  expect(reconciled).toEqual([
    { is: 'there', count: 1, amount: { amount: '349', currency: 'NOK' } },
    { is: 'there', count: 1, amount: null },
  ])
})
