import { expect, test } from 'vitest'
import { asking } from '../../cli/run.ts'
import { keptIn, startTestHub } from '../../hub.ts'
import { shareOnlineStore } from './online-given.ts'

const SAVED = 'SavedForOnlineCheckoutCreated'

const opened = shareOnlineStore()
const kept = () => keptIn(opened().hub).filter(({ kind }) => kind === SAVED)

test('When a basket is saved for the online checkout, then the shop has one unpaid order with a link to pay it', async () => {
  const store = opened()
  const { total } = store.platform.actions.saveForOnlineCheckout({
    store: '101',
    lines: [{ sku: 'COAT-NVY-M' }, { sku: 'SOCKS-GRY', quantity: 3 }],
  })
  await store.quiet()
  // Nothing in its payload names the basket: the same again is known by the name of the event alone.
  for (const { transportKey, body } of kept()) await store.hub.post(SAVED, body, { eventId: `${transportKey}` })
  await store.quiet()

  const drafts = store.shop.orders().filter(({ status }) => status === 'pending')
  expect(drafts).toMatchObject([
    { datePaid: null, transactionId: '', lines: [{ sku: 'COAT-NVY-M' }, { sku: 'SOCKS-GRY', quantity: 3 }] },
  ])
  expect(drafts.map(({ total: asked, currency }) => `${asked} ${currency}`)).toEqual([total])
  expect(JSON.stringify(drafts[0]?.notes)).toContain(`${store.shop.url}/checkout/order-pay/${drafts[0]?.id}/`)
})

test('When no destination can keep a draft, then the event is kept as unrouted, and people see it', async () => {
  const store = opened()
  store.platform.actions.saveForOnlineCheckout({ store: '101' })
  await store.quiet()
  const body = kept().at(-1)?.body ?? ''
  await using hub = await startTestHub({
    destinations: { mail: { adapter: 'smtp', url: 'smtp://127.0.0.1:9', from: 'no-reply@nordlys.example' } },
  })
  expect((await hub.post(SAVED, body)).status).toBe(202)
  expect(keptIn(hub).map(({ state }) => state)).toEqual(['unrouted'])
  const { out, code } = await asking(hub)('events', 'list', '--state', 'unrouted')
  expect(code).toBe(0)
  expect(out).toContain(SAVED)
})
