import { describe, expect, test } from 'vitest'
import { startMailbox } from '../../../sandbox/mailbox/mailbox.ts'
import { startTexts } from '../../../sandbox/texts/texts.ts'
import type { PlacedOrder } from '../../../src/domain/orders/which-order.ts'
import type { Event } from '../../../src/domain/queue/event.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { type CallContext, hasGuard } from '../../../src/flows/flow.ts'
import { orderMessages } from '../../../src/flows/messages.ts'
import { ORDER_MESSAGES } from '../../../src/ports/ports.ts'
import { onlyIn } from '../../dialect.ts'
import { eventually } from '../../eventually.ts'
import { bytesOf, endlessAisle, orderUpdate, saleLine, shippedOrderUpdate } from '../../fixtures/payloads.ts'
import { openCounter, order } from '../../http/submissions/given.ts'
import { deliveriesOf } from '../../hub.ts'
import { TEE } from '../../sandbox/platform/goods/given.ts'
import { settled } from '../days/open-store.ts'

const MESSAGES = { messages: [...ORDER_MESSAGES] }
const KARI = { email: 'kari@example.com', firstName: 'Kari', phone: '91234567', phoneCountryCode: '47' }
const GTIN = '7040000010017'

/** An update of an order that has the goods which every order of these stories has. */
const ofGoods = (orderNo: string, given: object = {}) =>
  orderUpdate({ orderNo, orderLines: [{ quantity: 1, gtin: GTIN, rowId: null, status: 'Picked' }], ...given })

/** A shop whose customers are told by mail and text what happens to their orders. */
async function openTellingShop() {
  await using opened = new AsyncDisposableStack()
  const mailbox = opened.use(await startMailbox())
  const texts = opened.use(await startTexts())
  const counter = opened.use(
    await openCounter({
      // These stories post what a store's staff does.
      config: { platform: { trustWebhooks: true } },
      destinations: {
        mail: { adapter: 'smtp', url: mailbox.smtpUrl, from: 'Nordlys <no-reply@shop.example>', ...MESSAGES },
        texts: {
          adapter: 'sms-http',
          url: `${texts.url}/messages`,
          headers: { authorization: `Bearer ${texts.apiKey}` },
          body: { to: '{{to}}', text: '{{text}}', reference: '{{key}}' },
          language: 'nb',
          ...MESSAGES,
        },
      },
    }),
  )
  const { hub } = counter
  const open = opened.move()
  return {
    ...counter,
    mailbox,
    texts,
    /** The store's staff does something with it. */
    update: (orderNo: string, given: object) => hub.post('OmniChannelOrderUpdated', ofGoods(orderNo, given)),
    done: () => settled(hub),
    /** What tells that an order is ready. */
    ready: async () => (await deliveriesOf(hub)).filter(({ flow }) => /-ready$/.test(flow)),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

test('When an order that the shop submitted is picked, twice, then its customer has one mail and one text', async () => {
  await using shop = await openTellingShop()
  expect((await shop.submit('orders', order('W-1', { customer: KARI }))).status).toBe(202)
  await shop.done()
  for (const eventId of ['pick-1', 'pick-2'])
    await shop.hub.post('OmniChannelOrderUpdated', ofGoods('W-1'), { eventId })
  await eventually(() => expect([shop.mailbox.mails().length, shop.texts.texts().length]).toEqual([1, 1]))
  await shop.done()
  expect(shop.mailbox.mails()).toMatchObject([
    { to: ['kari@example.com'], subject: expect.stringMatching(/: order W-1 is ready$/) },
  ])
  expect(shop.texts.texts()).toMatchObject([
    { to: '+4791234567', text: expect.stringMatching(/^Hei Kari! Ordre W-1 er klar til henting hos /) },
  ])
  const sent = await shop.ready()
  expect(sent).toHaveLength(2)
  for (const { id } of sent) {
    const { attempts } = (await shop.hub.admin<{ attempts: object[] }>(`deliveries/${id}`)).body
    expect(JSON.stringify(attempts)).toMatch(/Message-ID|1 part/)
    expect(JSON.stringify(attempts)).not.toMatch(/kari|91234567/i)
  }
  const logged = shop.hub.lines.map((line) => JSON.stringify(line)).join('\n')
  expect(logged).not.toMatch(/kari@example|91234567/)
})

test('When it was handed over before Picked came, then nobody is told to come, only that it is collected', async () => {
  await using shop = await openTellingShop()
  await shop.submit('orders', order('W-2', { customer: KARI }))
  await shop.done()
  await shop.update('W-2', { status: 'Shipped' })
  await shop.done()
  await shop.update('W-2', { status: 'Picked' })
  await shop.done()
  expect(shop.mailbox.mails().map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/: order W-2 is collected$/),
  ])
  expect(shop.texts.texts()).toHaveLength(1)
})

test('When goods are declined, then the customer reads which; an order without address or of nobody is left alone', async () => {
  await using shop = await openTellingShop()
  await shop.submit('orders', order('W-3', { customer: { ...KARI, phone: null } }))
  await shop.submit('orders', order('W-4', { customer: { email: 'ola@example.com', firstName: 'Ola', phone: null } }))
  await shop.done()
  const declined = [{ quantity: 1, gtin: GTIN, rowId: '1', status: 'Declined' }]
  await shop.update('W-3', { status: 'UnHandled', orderLines: declined })
  await shop.update('W-NONE', { status: 'Picked' })
  await eventually(() => expect(shop.mailbox.mails()).toHaveLength(1))
  await shop.done()
  expect(shop.mailbox.mails()).toMatchObject([{ subject: expect.stringMatching(/: goods missing from order W-3$/) }])
  expect(shop.texts.texts()).toEqual([])
})

onlyIn(['facts', 'frontsystems-v2'], 'the specification shows no lookup of the name of goods')(
  'When messages tell of a store and of goods, then they name both as the submitter does, else as the platform does',
  async () => {
    await using shop = await openTellingShop()
    const line = { price: '399.50', quantity: '1' }
    const orderLines = [
      { ...line, gtin: TEE.gtin },
      { ...line, gtin: GTIN, name: 'Genser, blå' },
      { ...line, gtin: '7000000000009' },
    ]
    const customer = { ...KARI, phone: null }
    await shop.submit('orders', order('W-5', { customer, orderLines }))
    await shop.submit('orders', order('W-6', { customer, store: { storeName: 'Hos oss' } }))
    await shop.done()
    const lines = orderLines.map(({ gtin }, index) => ({ quantity: 1, gtin, rowId: `${index}`, status: 'Declined' }))
    await shop.update('W-5', { status: 'UnHandled', orderLines: lines })
    await shop.update('W-6', { status: 'Picked' })
    await eventually(() => expect(shop.mailbox.mails()).toHaveLength(4))
    const texts = shop.mailbox.mails().map(({ text, subject }) => `${subject} ${text}`)
    const [store] = (await shop.hub.hub.storage.stores()).filter(({ number }) => number === '102')
    expect(store?.name).toBeTruthy()
    expect(texts.filter((text) => text.includes(`${store?.name} does not have 1`))).toHaveLength(3)
    for (const goods of ['1 × T-shirt', '1 × Genser, blå', '1 × 7000000000009'])
      expect(texts.filter((text) => text.includes(goods))).toHaveLength(1)
    expect(texts.filter((text) => text.includes('is waiting for you at Hos oss'))).toHaveLength(1)
  },
)

for (const whose of ['web', 'pos'] as const)
  test(`When a web order and one of a POS have one number, and goods of the ${whose} order are ready, then the customer of the web order hears of their own goods only`, async () => {
    await using shop = await openTellingShop()
    const sold = '7090012340011'
    await shop.submit('orders', order('1008', { customer: KARI }))
    await shop.hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ orderNo: '1008' }))
    await shop.done()
    const gtin = whose === 'web' ? GTIN : sold
    await shop.update('1008', { orderLines: [{ quantity: 1, gtin, rowId: null, status: 'Picked' }] })
    await shop.done()
    const reported = await shop.ready()
    expect(reported).toHaveLength(2)
    if (whose === 'web') {
      expect(shop.mailbox.mails()).toMatchObject([{ to: ['kari@example.com'] }])
      return
    }
    expect(shop.mailbox.mails()).toEqual([])
    for (const one of reported) expect(one).toMatchObject({ state: 'held', code: 'ambiguous-order' })
  })

test('When a number is ready whose web order has none of the goods, then its customer is not told, whatever comes later', async () => {
  await using shop = await openTellingShop()
  await shop.submit('orders', order('1009', { customer: KARI }))
  await shop.update('1009', { orderLines: [{ quantity: 1, gtin: '7090012340011', rowId: null, status: 'Picked' }] })
  await shop.hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ orderNo: '1009' }))
  await shop.done()
  expect([shop.mailbox.mails(), shop.texts.texts()]).toEqual([[], []])
  const reported = await shop.ready()
  expect(reported.map(({ state, code }) => `${state} ${code}`)).toEqual(Array(2).fill('held ambiguous-order'))
})

test('When both have the goods, then nobody is told, and a person sees why', async () => {
  await using shop = await openTellingShop()
  await shop.submit('orders', order('1008', { customer: KARI }))
  const orderLines = [saleLine({ gtin: GTIN, shipFromOnlineStore: true })]
  await shop.hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ orderNo: '1008', orderLines }))
  await shop.done()
  await shop.update('1008', { orderLines: [{ quantity: 1, gtin: GTIN, rowId: null, status: 'Picked' }] })
  await shop.done()
  const reported = await shop.ready()
  for (const one of reported)
    expect(one).toMatchObject({
      state: 'held',
      code: 'ambiguous-order',
      why: expect.stringContaining('several orders'),
    })
  expect(reported).toHaveLength(2)
  expect([shop.mailbox.mails(), shop.texts.texts()]).toEqual([[], []])
})

const ORDER: PlacedOrder = {
  number: 'A1',
  status: null,
  storeName: 'Oslo City',
  customer: { name: 'Kari Nordmann', email: 'kari@example.com', phone: '+4791234567' },
  lines: [{ gtin: '7090012340011', name: 'T-shirt', quantity: parseDecimal(2) }],
}

/** What each flow would do: its name, the fact that it brings about, and whom it tells what. */
function reported(payload: object, order: PlacedOrder | null = ORDER, kind = 'OmniChannelOrderUpdated') {
  const planned = { kind, origin: 'platform', identity: 'A1', entity: 'order:A1', payload, receivedAt: 0 }
  const event = { ...planned, body: bytesOf(payload) } as unknown as Event
  const known = { reported: parseDecimal(0), order, articleName: 'T-shirt' } as CallContext
  return orderMessages
    .filter(({ kinds }) => kinds.includes(kind))
    .flatMap((flow) => flow.plan(planned).map((step) => ({ flow, step, call: flow.call(event, step, known) })))
}

function names(payload: object, kind?: string): string[] {
  return reported(payload, ORDER, kind).map(({ flow, step }) => `${flow.name} ${step.effect}`)
}

describe('what customers are told about their orders', () => {
  test('When an order is picked, handed over or expired, then each way tells it, once for the fact', () => {
    const id = '0d8f8a5e-2f0c-4a4e-9a53-6d9a52a1f001'
    expect(names(orderUpdate({ id }))).toEqual([
      `email-ready order/A1@${id}/reported`,
      `text-ready order/A1@${id}/reported`,
    ])
    const both = [`email-collected order/A1@${id}/captured`, `text-collected order/A1@${id}/captured`]
    expect(names(orderUpdate({ status: 'Shipped' }))).toEqual(both)
    expect(names(orderUpdate({ status: 'Shipped' }), 'OmniChannelOrderFulfilled')).toEqual(both)
    expect(names(orderUpdate({ status: 'Expired' }))).toEqual([
      `email-expired order/A1@${id}/called-off`,
      `text-expired order/A1@${id}/called-off`,
    ])
  })

  test('When it is sent by parcel, or its status is unknown, then nobody is told to come', () => {
    expect(names(shippedOrderUpdate())).toEqual([])
    expect(names(shippedOrderUpdate({ status: 'Shipped' }))).toEqual([])
    expect(names(orderUpdate({ status: 'Teleported' }))).toEqual([])
  })

  test('They are asked for by name in config, need to know the order, and a second copy is better than none', () => {
    for (const flow of orderMessages) {
      expect(flow).toMatchObject({ atMostOnce: true, whenInDoubt: 'repeat', urgency: 'prompt' })
      expect(hasGuard(flow, 'placedOrder')).toBe(true)
      expect(flow.name).toBe(`${flow.port === 'email' ? 'email' : 'text'}-${flow.message}`)
    }
  })
})
