import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { openCounter, product } from '../../http/submissions/given.ts'
import { deliveriesOf } from '../../hub.ts'
import { TEE } from '../../sandbox/platform/goods/given.ts'

const GTIN = '7090000009999'
/** All that a platform asks of a product that comes by itself. */
const WHOLE = {
  ...{ number: 'NEW', variant: '1', groupName: 'Knitwear', color: 'Blue', season: 'AW26', brand: 'Nordlys' },
  productSizes: [{ gtin: GTIN, label: 'M' }],
}
const DELIVERY = { extRef: 'PO-1', storeNo: '101', insertAsConfirmed: false, orderLines: [{ gtin: GTIN, qty: 2 }] }

test('When price, stock and delivery of a new product are submitted before it in the same minute, then all of them arrive', async () => {
  await using the = await openCounter()
  const { hub, submit } = the
  await hub.admin('destinations/platform/pause', {})
  const said = [
    await submit('prices', [{ list: 'Club', gtin: GTIN, price: '99.00' }]),
    await submit('stock-adjustments', [{ stockNo: '101', gtin: GTIN, quantity: 3 }]),
    await submit('goods-deliveries', [DELIVERY]),
    await submit('products', [product('NEW-1', WHOLE)]),
  ]
  expect(said.map(({ status, text }) => [status, text])).toEqual(said.map(({ text }) => [202, text]))
  await hub.admin('destinations/platform/resume', {})
  await eventually(async () => {
    const rows = await deliveriesOf(hub)
    expect(rows.map(({ flow, state }) => `${flow} ${state}`).sort()).toEqual([
      'create-delivery delivered',
      'save-prices delivered',
      'save-products delivered',
      'set-stock delivered',
    ])
  }, 30_000)
})

test('When no product is on its way, then what is refused ends once another delivery got through after it', async () => {
  await using the = await openCounter()
  const rows = async () =>
    (await deliveriesOf(the.hub)).filter(({ flow }) => flow === 'create-delivery').toSorted((a, b) => a.id - b.id)
  await the.submit('goods-deliveries', [DELIVERY])
  // A refusal that names no field may be answered to whatever is sent.
  await eventually(async () => expect(await rows()).toMatchObject([{ state: 'waiting', tries: 1, code: 'http-400' }]))
  await the.submit('goods-deliveries', [{ ...DELIVERY, extRef: 'PO-2', orderLines: [{ gtin: TEE.gtin, qty: 2 }] }])
  await eventually(async () => expect(await rows()).toMatchObject([{ state: 'dead' }, { state: 'delivered' }]))
})
