import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { type DialectStore, inEveryDialect } from './dialect-given.ts'

const TEE = 'TEE-BLK-M'
const FETCHED = { shipping: { method: 'pickup_location', location: 'Oslo City' } } as const
const SENT = { meta: { store: '102' } } as const

/** What the platform tells of, as the books of the ERP have it. */
const BOOKED: [
  what: string,
  kind: string,
  book: string,
  act: (actions: DialectStore['platform']['actions']) => unknown,
][] = [
  [
    'goods come back over the counter',
    'SaleCreated',
    'sale',
    ({ returnGoods }) => returnGoods({ store: '101', sku: TEE }),
  ],
  ['goods leave a stock', 'StockMovementCreated', 'movement', ({ sell }) => sell({ store: '101', sku: 'BEANIE-RED' })],
  ['a stock is counted', 'StockCountReconciled', 'count', ({ countStock }) => countStock({ stock: '102', sku: TEE })],
  [
    'goods go elsewhere',
    'ProductTransferCreated',
    'transfer',
    ({ createTransfer }) => createTransfer({ from: '101', to: '102' }),
  ],
  [
    'somebody buys a gift card',
    'GiftCardTransactionCreated',
    'giftCard',
    ({ sellGiftCard }) => sellGiftCard({ store: '101' }),
  ],
  [
    'a business buys by invoice',
    'InvoiceCreated',
    'invoice',
    ({ sell }) => sell({ store: '102', sku: TEE, payment: 'invoice' }),
  ],
]

/** The nearest records of the public documentation: a transfer has no id, and a gift card no currency. */
const WITHOUT = ['ProductTransferCreated', 'GiftCardTransactionCreated']

inEveryDialect((dialect, opened) => {
  const isKnown = (kind: string) =>
    opened().platform.isShown(kind) && !(dialect === 'frontsystems-v2' && WITHOUT.includes(kind))

  /** What of a kind waits for a person, because nobody shows what it looks like. */
  async function unread(kind: string): Promise<number> {
    const { body } = await opened().hub.admin<{ events: object[] }>(`events?kind=${kind}&state=quarantined`)
    return body.events.length + (await opened().rows('state=held')).filter((one) => one.kind === kind).length
  }

  describe('what the platform tells', () => {
    for (const [name, kind, book, act] of BOOKED)
      test(`When ${name} (${kind}), then it is booked (${book}), or held where nobody shows what it looks like`, async () => {
        const before = (await opened().booked(book)).length
        expect(await unread(kind)).toBe(0)
        act(opened().platform.actions)
        await opened().quiet()
        const news = (await opened().booked(book)).length - before
        if (isKnown(kind)) expect([news > 0, await unread(kind)]).toEqual([true, 0])
        else expect([news, (await unread(kind)) > 0]).toEqual([0, true])
      })

    test('When goods of a delivery are received, then that is booked once, by whichever of its events can be read', async () => {
      const { platform } = opened()
      platform.actions.announceDelivery({ stock: '101', sku: TEE, quantity: 5, cost: 80 })
      await opened().quiet()
      platform.actions.receiveDelivery({ part: true })
      await opened().quiet()
      expect(await opened().booked('received')).toHaveLength(1)
    })

    test('When a customer wants the receipt by mail or as a text, then it is sent', async () => {
      const { platform, mailbox, texts } = opened()
      platform.actions.sendReceipt({ store: '101', channel: 'Email' })
      platform.actions.sendReceipt({ store: '101', channel: 'SMS' })
      await opened().quiet()
      expect([mailbox.mails().length, texts.texts().length]).toEqual([1, 1])
    })

    test('When a POS adds a customer, then the shop has an account, or the event is held where nobody shows it', async () => {
      const { platform, shop } = opened()
      platform.actions.createCustomer({ store: '101', firstName: 'Tuva', email: 'tuva@example.com' })
      await opened().quiet()
      const accounts = shop.customers().filter(({ email }) => email === 'tuva@example.com')
      expect(accounts).toHaveLength(isKnown('CustomerCreated') ? 1 : 0)
      if (!isKnown('CustomerCreated')) expect(await unread('CustomerCreated')).toBeGreaterThan(0)
    })

    test('When a store sends an online order, then the shop has the parcel and the payment', async () => {
      const number = await placed(SENT)
      opened().platform.actions.packOrder({ orderNo: number })
      await opened().quiet()
      expect(fateOf(number)).toMatchObject({ status: 'completed', refunds: [] })
    })

    test.each([
      ['declines', (orderNo: string) => opened().platform.actions.declineOrder({ orderNo })],
      ['does not fetch in time', (orderNo: string) => opened().platform.actions.expireOrder({ orderNo })],
    ])('When an order comes to nothing (somebody %s), then the customer has the money back', async (_, end) => {
      const number = await placed(FETCHED)
      end(number)
      await opened().quiet()
      const { status, refunds } = fateOf(number)
      expect([status, refunds.length > 0 || status === 'cancelled']).toEqual([
        expect.stringMatching(/refunded|cancelled/),
        true,
      ])
    })

    test('When all of it was told, then nothing is dead', async () => {
      expect(await opened().rows('state=dead')).toEqual([])
    })
  })

  /** An order of the shop that the store has. */
  async function placed(how: object): Promise<string> {
    const { number } = await opened().shop.placeOrder({ lines: [{ sku: TEE, quantity: 2 }], ...how })
    await eventually(() =>
      opened()
        .platform.onlineOrders()
        .some(({ body }) => body.orderNo === number),
    )
    await opened().quiet()
    return number
  }

  function fateOf(wanted: string) {
    const found = opened()
      .shop.orders()
      .find(({ number }) => number === wanted)
    if (!found) throw new Error(`The shop has no order ${wanted}.`)
    return found
  }
})
