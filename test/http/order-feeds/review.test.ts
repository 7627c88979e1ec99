import { describe, expect, test } from 'vitest'
import { KEY } from '../../../packages/tillbridge-adapter-woocommerce/test/kit.ts'
import { type Shop, startShop } from '../../../sandbox/shop/shop.ts'
import type { IntakeItem } from '../../../src/ports/ports.ts'
import { eventually } from '../../eventually.ts'
import { endlessAisle, saleLine } from '../../fixtures/payloads.ts'
import { deliveriesOf, keptAs, keptIn } from '../../hub.ts'
import { type Counter, openCounter, sale, shareCounter } from '../submissions/given.ts'
import { cancelItem, OWN_SHOP, orderItem, push, saleItem } from './given.ts'

const counter = shareCounter({
  destinations: {
    shop: { adapter: OWN_SHOP, intake: { stores: { Bergen: '102' }, country: 'NO' } },
    outlet: { adapter: OWN_SHOP, intake: { stores: { Bergen: '102' } } },
  },
})
const hub = () => counter().hub

function kindsOf(orderNo: string): string[] {
  return keptIn(hub())
    .filter(({ identity }) => identity === orderNo)
    .map(({ kind }) => kind)
}

const receipt = (no: number) => ({ receiptUrl: `https://shop.example/receipts/${no}` })

test('When an older state of an order comes after a newer one, then the newer one stays', async () => {
  const at = (minute: number) => ({ changedAt: `2026-11-21T10:0${minute}:00Z` })
  await push(hub(), [orderItem('R-1', receipt(1), at(1))])
  expect((await push(hub(), [orderItem('R-1', receipt(3), at(3))])).body.status).toBe('accepted')
  expect((await push(hub(), [orderItem('R-1', receipt(2), at(2))])).body).toEqual({ status: 'nothing', ids: [] })
  expect((await push(hub(), [{ ...cancelItem('R-1'), ...at(2) }])).body.status).toBe('nothing')
  // Of the same second: which came last is the best that is known.
  expect((await push(hub(), [orderItem('R-1', receipt(4), at(3))])).body.status).toBe('accepted')
  expect((await push(hub(), [orderItem('R-1', receipt(5))])).body.status).toBe('accepted')
  expect((await push(hub(), [{ ...cancelItem('R-1'), ...at(4) }])).body.status).toBe('accepted')
  expect(kindsOf('R-1').filter((kind) => kind === 'OrderChangeSubmitted')).toHaveLength(3)
})

test('When two shops give one number, then neither changes or cancels the order of the other, and a person sees it', async () => {
  await push(hub(), [orderItem('R-2')])
  const same = await push(hub(), [orderItem('R-2')], 'outlet')
  const other = await push(hub(), [orderItem('R-2', receipt(9))], 'outlet')
  const off = await push(hub(), [cancelItem('R-2')], 'outlet')
  expect(same.body.status).toBe('nothing')
  for (const { body } of [other, off]) {
    expect(body.status).toBe('quarantined')
    expect(keptAs(hub(), body.ids[0] ?? 0).problem).toContain('order R-2 was submitted by shop')
  }
  expect(kindsOf('R-2')).toEqual(['OrderSubmitted'])
})

test('When the shop deletes an order whose id is the number of another one, then that one stays, and a person sees it', async () => {
  await push(hub(), [orderItem('57', {}, { theirId: '31' })])
  const { body } = await push(hub(), [{ ...cancelItem('57'), theirId: '57' }])
  expect(body.status).toBe('quarantined')
  expect(keptAs(hub(), body.ids[0] ?? 0).problem).toContain('order 57 has the id 31')
  expect((await push(hub(), [{ ...cancelItem('57'), theirId: '31' }])).body.status).toBe('accepted')
})

test('When an older state of a customer comes after a newer one, then the newer one stays', async () => {
  const reported = (city: string, minute: number) => ({
    ...orderItem(`customer-${minute}`),
    resource: 'customers' as const,
    changedAt: `2026-11-21T10:0${minute}:00Z`,
    value: { extId: 'C-9', email: 'late@example.com', city },
  })
  const done = (count: number) =>
    eventually(async () => {
      const rows = (await deliveriesOf(hub())).filter(
        ({ flow, entity }) => flow === 'save-customer' && entity?.endsWith('C-9'),
      )
      expect(rows.filter(({ settledAt }) => settledAt !== null)).toHaveLength(count)
      return rows
    })
  await push(hub(), [reported('Voss', 3)])
  await done(1)
  await push(hub(), [reported('Oslo', 2)])
  const [late, first] = await done(2)
  expect(first?.state).toBe('delivered')
  expect(late).toMatchObject({ state: 'superseded', code: 'stale' })
})

/* A shop does not move the date of an order for each change, and two changes may be of one second. */
describe('Something else under the key of a state that was taken', () => {
  const at = { changedAt: '2026-11-21T10:01:00Z' }
  const statuses = async (...items: IntakeItem[]) => {
    const answers: (string | number)[] = []
    for (const item of items) answers.push((await push(hub(), [item])).body.status)
    return answers
  }

  test('When it is an order, then it is a change, once; the first state again changes nothing back', async () => {
    const state = (no: number) => orderItem('K-1', receipt(no), { key: 'K-1/10:01', ...at })
    expect(await statuses(state(1), state(2), state(2), state(1))).toEqual([
      'accepted',
      'accepted',
      'nothing',
      'duplicate',
    ])
    expect(kindsOf('K-1')).toEqual(['OrderSubmitted', 'OrderChangeSubmitted'])
  })

  test('When it is an order that moved, then a person sees it, once', async () => {
    const state = (place: string) => orderItem('K-2', {}, { key: 'K-2/10:01', place, ...at })
    expect(await statuses(state('Bergen'), state('101'), state('101'))).toEqual([
      'accepted',
      'quarantined',
      'duplicate',
    ])
  })

  test('When an order is off and placed in one second, then its cancellation, told again, is one', async () => {
    const off = { ...cancelItem('K-3'), key: 'K-3/10:01', ...at }
    expect(await statuses(off, orderItem('K-3', {}, at), off, off)).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'nothing',
    ])
    expect(kindsOf('K-3')).toEqual(['OrderCalledOff', 'OrderSubmitted', 'OrderCancelSubmitted'])
  })

  test('When it is a sale, then it is a conflict, which is told; the same again is no other one', async () => {
    const state = (price: number) => {
      const lines = { salesLines: [{ identity: '7040000010017', price, qty: 1 }], paymentLines: [{ amount: price }] }
      return saleItem('K-4', lines, { key: 'K-4/10:01', ...at })
    }
    expect(await statuses(state(1), state(2), state(2), state(1))).toEqual([
      'accepted',
      'conflict',
      'conflict',
      'duplicate',
    ])
  })

  test('When it is a customer, then the hub learns what it says now', async () => {
    const state = (city: string) => {
      const value = { extId: 'K-5', email: 'kari@example.com', city }
      return { ...orderItem('K-5'), resource: 'customers' as const, key: 'K-5/10:01', value, ...at }
    }
    expect(await statuses(state('Oslo'), state('Voss'), state('Voss'))).toEqual(['accepted', 'accepted', 'duplicate'])
  })
})

/* A POS's order 1008, which the hub creates in a shop under a number of the shop's own, and the web order that the shop calls 1008. */

const NUMBER = '1008'
const SECRET = 'secret-of-the-webhooks'
const ARTICLE = { sku: 'TEE-BLK-M', globalUniqueId: '7090012340011' }

type Pos = Counter & { shop: Shop; createdId: string }

async function openPos(): Promise<Pos> {
  await using opened = new AsyncDisposableStack()
  let next: string | null = null
  const numbering = (id: number) => {
    const number = next ?? `S-${id}`
    next = NUMBER
    return number
  }
  const products = [{ name: 'T-shirt', price: '349', ...ARTICLE }]
  const shop = opened.use(await startShop({ ...KEY, products, numbering }))
  const adapter = { adapter: 'woocommerce', url: shop.url, ...KEY, webhookSecret: SECRET, intake: { country: 'NO' } }
  const counter = opened.use(
    await openCounter({ destinations: { shop: adapter }, config: { platform: { trustWebhooks: true } } }),
  )
  shop.sendWebhooksTo({ url: `${counter.hub.url}/intake/shop`, secret: SECRET })
  const orderLines = [saleLine({ externalSKU: ARTICLE.sku, shipFromOnlineStore: true })]
  await counter.hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ orderNo: NUMBER, orderLines }))
  const created = await eventually(async () => {
    const [link] = await counter.hub.hub.storage.links('shop', 'order', [`pos:${NUMBER}`])
    return link ?? false
  })
  const open = opened.move()
  return { ...counter, shop, createdId: created.theirId, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The sales that were taken: their orders, and what the platform is told of their customers. */
function sold({ hub }: Counter) {
  return keptIn(hub)
    .filter(({ kind }) => kind === 'SaleSubmitted')
    .map(({ body }) => JSON.parse(body.toString()).orderNo)
}

test('When a shop completes its own order 1008, then it is a sale, though a POS has an order 1008, whose sale is the platform’s', async () => {
  await using the = await openPos()
  await the.shop.setStatus(Number(the.createdId), 'completed')
  const web = await the.shop.placeOrder({ lines: [{ sku: ARTICLE.sku }] })
  expect(web.number).toBe(NUMBER)
  await the.shop.setStatus(web.id, 'completed')
  await eventually(() => the.shop.webhooksSettled())
  expect(sold(the)).toEqual([NUMBER])
})

test('When the shop or its ERP submits the sale of the web order 1008, then it is taken where its id, or its sender, says which it is', async () => {
  await using the = await openPos()
  const { key: shopKey } = await the.keyOf('shop')
  const refused = [
    await the.submit('sales', sale(NUMBER)),
    await the.submit('sales', sale(NUMBER), { as: shopKey }),
    await the.submit('sales', sale(NUMBER, { theirId: the.createdId }), { as: shopKey }),
    await the.submit('sales', sale(NUMBER, { theirId: the.createdId, endlessAisle: false })),
  ]
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422])
  expect(await the.submit('sales', sale(NUMBER, { theirId: '77', part: 'a' }), { as: shopKey })).toMatchObject({
    status: 202,
  })
  expect(await the.submit('sales', sale(NUMBER, { endlessAisle: false, part: 'b' }))).toMatchObject({ status: 202 })
  expect(sold(the)).toEqual([NUMBER, NUMBER])
})
