import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { orders, sales } from '../../../src/http/submissions/resources/trade.ts'
import type { Attempt, OrdersCall } from '../../../src/ports/ports.ts'
import { faultsOf } from '../../../test/adapters/checked.ts'
import { eventually } from '../../../test/eventually.ts'
import { words } from '../../../test/words.ts'
import {
  again,
  attemptOf,
  callOf,
  createKit,
  GOODS,
  goOn,
  make,
  orderOf,
  STORE_LOCATION,
  theirId,
  updateOf,
  type VendureKit,
  type VendureShop,
} from './kit.ts'

const [TEE, CAP, LAST] = GOODS
const SHIP_TO = {
  customer: {
    email: 'kari.nordmann@example.com',
    firstName: 'Kari',
    lastName: 'Nordmann',
    phoneCountryPrefix: '47',
    phone: '91234567',
  },
  shippingAddress: { address1: 'Storgata 1', city: 'Oslo', postalCode: '0155', countryCode: 'NO' },
}
const PER = {
  ...{ customerId: 'C-1', extId: null, email: 'per@example.com', firstName: 'Per', lastName: 'Olsen' },
  ...{ companyName: null, phone: '+4799887766', address: 'Torget 1', postalCode: '7010', city: 'Trondheim' },
  countryCode: 'NO',
}
const signal = new AbortController().signal

/** What the adapter does in a Vendure shop, told to whichever shop `start` gives. */
export function vendureStories(name: string, start: () => Promise<VendureShop>): void {
  describe(`the adapter vendure, with ${name}`, () => {
    let shop: VendureShop
    let kit: VendureKit
    async function twice(call: OrdersCall, attempt = attemptOf()): Promise<void> {
      for (const _ of ['once', 'again']) await make(kit, call, attempt)
    }
    beforeAll(async () => {
      shop = await start()
      kit = await createKit(shop)
    })
    afterAll(async () => {
      await kit?.[Symbol.asyncDispose]()
      await shop?.[Symbol.asyncDispose]()
    })

    describe('orders of the POS', () => {
      test('When the shop is asked for orders, then it tells which it has, and what they cost; a cancelled one is there', async () => {
        const links = (theirId: string) => [{ destination: 'shop', kind: 'order', id: 'pos:EA-9', theirId }]
        const order = orderOf('EA-9', [{ quantity: 2 }], SHIP_TO)
        const [first, second] = [attemptOf(), attemptOf()]
        const made = theirId(await kit.orders.create(order, first))
        const off = theirId(await kit.orders.create(orderOf('EA-10', [{ quantity: 1 }], SHIP_TO), second))
        await shop.cancel(off)
        const keys = [first.key, second.key] as const
        const given = [links(made), links(off), links('999999'), []].map((one) => ({
          ...{ keys, order, givenAt: 0, links: one },
        }))
        // A POS of another store has given its order the same number.
        const alike = { keys: [first.key] as const, order, givenAt: 0, links: [...links(made), ...links(off)] }
        expect(await kit.orders.reconcile([...given, alike], { signal })).toEqual([
          { is: 'there', count: 1, amount: { amount: '698', currency: 'NOK' } },
          { is: 'there', count: 1, amount: null },
          { is: 'lacking' },
          { is: 'unknown', why: 'no id of it is known' },
          { is: 'there', count: 1, amount: { amount: '698', currency: 'NOK' } },
        ])
      })

      test('When an order was called for twice, then both that bear its key are counted, until one is cancelled', async () => {
        const order = orderOf('EA-TWICE')
        const attempt = attemptOf()
        const [made, twin] = [await kit.orders.create(order, attempt), await kit.orders.create(order, attempt)]
        const links = [{ destination: 'shop', kind: 'order', id: 'pos:EA-TWICE', theirId: theirId(made) }]
        const given = { keys: [attempt.key] as const, order, givenAt: 0, links }
        const counts = async (one: object) => (await kit.orders.reconcile([{ ...given, ...one }], { signal }))[0]
        expect(await counts({})).toMatchObject({ count: 1 })
        expect(await counts({ calledAgainSince: Date.now() - 60_000 })).toMatchObject({ count: 2 })
        await shop.cancel(theirId(twin))
        expect(await counts({ calledAgainSince: Date.now() - 60_000 })).toMatchObject({ count: 1 })
      })

      test('When an order was sold at a POS, then the shop has it paid, with its lines, address and txRef', async () => {
        const effect = await kit.orders.create(orderOf('EA-1', [{ quantity: 2 }], SHIP_TO), attemptOf())
        expect(effect.note).toMatch(/^order \S+, 1 line, 698 NOK$/)
        expect(await kit.order(theirId(effect))).toMatchObject({
          state: 'PaymentSettled',
          totalWithTax: 69_800,
          customFields: { posNumber: 'EA-1' },
          customer: { emailAddress: 'kari.nordmann@example.com' },
          shippingAddress: {
            fullName: 'Kari Nordmann',
            streetLine1: 'Storgata 1',
            postalCode: '0155',
            countryCode: 'NO',
          },
          lines: [{ quantity: 2, productVariant: { sku: TEE.sku } }],
          surcharges: [],
          payments: [{ method: 'tillbridge', amount: 69_800, state: 'Settled', transactionId: 'tx-EA-1', refunds: [] }],
        })
      })

      test('When the POS sold for less, then the order costs what was paid, and no money goes back', async () => {
        const lines = [{ price: 299.5 }, { externalSKU: CAP.sku, gtin: CAP.gtin, price: 199, rowId: '2' }]
        const effect = await kit.orders.create(orderOf('EA-2', lines, SHIP_TO), attemptOf())
        const order = await kit.order(theirId(effect))
        expect(order).toMatchObject({
          state: 'PaymentSettled',
          totalWithTax: 49_850,
          surcharges: [{ description: expect.stringMatching(/^Price at the POS: T-shirt/), priceWithTax: -4_950 }],
          payments: [
            {
              amount: 54_800,
              refunds: [{ total: 4_950, state: 'Settled', reason: expect.stringContaining('no money') }],
            },
          ],
        })
      })

      test('When the POS sold for more, what the shop does not know, and more than it has, then the total is what was paid', async () => {
        const lines = [
          { price: 400 },
          { externalSKU: 'UNKNOWN', gtin: '1', name: 'Gift wrap', price: 25, rowId: '2' },
          { externalSKU: LAST.sku, gtin: LAST.gtin, name: 'The last one', quantity: 3, price: 100, rowId: '3' },
        ]
        const effect = await kit.orders.create(orderOf('EA-3', lines, SHIP_TO), attemptOf())
        const { totalWithTax, surcharges, payments, history, state } = await kit.order(theirId(effect))
        expect([state, totalWithTax, payments.map(({ amount }) => amount)]).toEqual([
          'PaymentSettled',
          72_500,
          [44_900, 27_600],
        ])
        expect(
          surcharges.map(({ description, priceWithTax }) => [description.split(':')[1]?.trim(), priceWithTax]),
        ).toEqual([
          ['T-shirt, Black, Medium (1)', 5_100],
          ['not in stock here', 20_000],
          ['no product here', 2_500],
        ])
        expect(JSON.stringify(history.items)).toContain('Gift wrap')
      })

      test('When nothing of it is in the shop, or nobody can be written to, then no order and no draft is left', async () => {
        const before = await shop.orders()
        const unknown = orderOf('EA-4', [{ externalSKU: 'UNKNOWN', gtin: '1' }], SHIP_TO)
        await expect(kit.orders.create(unknown, attemptOf())).rejects.toMatchObject({ code: 'no-product' })
        const none = orderOf('EA-5', [{}], { customer: null })
        await expect(kit.orders.create(none, attemptOf())).rejects.toMatchObject({ code: 'no-email' })
        expect(await shop.orders()).toHaveLength(before.length)
      })

      test('When any answer on the way is lost, then it is found and finished, and is there once', async () => {
        const lines = [{ price: 300 }]
        for (const field of STEPS) {
          const order = orderOf(`EA-lost-${field}`, lines, SHIP_TO)
          const attempt = attemptOf()
          kit.proxy.lose(`{ ${field}`)
          await expect(kit.orders.create(order, attempt), field).rejects.toBeInstanceOf(UnknownOutcomeError)
          const call = { port: 'orders', method: 'create', argument: order } as const
          const found = await kit.orders.find(again(attempt), call)
          await kit.orders.create(order, again(attempt))
          await kit.orders.create(order, again(attempt))
          const orders = (await shop.orders()).filter((one) => one.customFields.posNumber === order.number)
          expect(
            orders.map(({ state, totalWithTax }) => [state, totalWithTax]),
            field,
          ).toEqual([['PaymentSettled', 30_000]])
          expect(orders[0]?.payments[0]?.refunds, field).toMatchObject([{ total: 4_900, state: 'Settled' }])
          if (found) expect(theirId(found)).toBe(orders[0]?.id)
        }
        expect(kit.proxy.lost).toBe(STEPS.length)
      })

      test('When a basket is saved for online, then it is a draft, once', async () => {
        const attempt = attemptOf()
        kit.proxy.lose('{ setDraftOrderShippingMethod(')
        const basket = orderOf('B-1', [{}], SHIP_TO)
        await expect(kit.orders.draft(basket, attempt)).rejects.toBeInstanceOf(UnknownOutcomeError)
        const effect = await kit.orders.draft(basket, again(attempt))
        expect(effect.links).toMatchObject([{ kind: 'draft', id: 'B-1' }])
        const drafts = (await shop.orders()).filter((order) => order.customFields.posNumber === 'B-1')
        expect(drafts).toMatchObject([{ state: 'Draft', lines: [{ quantity: 1 }], payments: [] }])
      })

      test('When goods of it come back and the POS has paid, then the books follow, once', async () => {
        const created = await kit.orders.create(orderOf('EA-6', [{ quantity: 2, price: 300 }], SHIP_TO), attemptOf())
        const links = async () => [{ kind: 'order', id: 'EA-6', destination: 'shop', theirId: theirId(created) }]
        await twice(callOf.noteRefund({ code: 'EA-6' }), attemptOf({ links }))
        const { payments } = await kit.order(theirId(created))
        expect(payments[0]?.refunds.map(({ total, state }) => [total, state])).toEqual([
          [9_800, 'Settled'],
          [30_000, 'Settled'],
        ])
      })
    })

    describe('orders of the shop', () => {
      /** Places a pickup order; gives what the next poll says of it. */
      async function placed(quantity = 1) {
        const { cursor } = await kit.poll(null, { signal })
        const { id, code } = await shop.place({
          lines: [{ sku: TEE.sku, quantity }],
          shipping: 'pickup',
          store: 'oslo',
        })
        return { id, code, cursor, polled: () => polled(cursor, code) }
      }

      async function polled(cursor: string, code: string) {
        const { items, more } = await kit.poll(cursor, { signal })
        return more ? [] : items.filter(({ value }) => value.orderNo === code)
      }

      test('When a pickup order is placed, then a poll gives it for its store, the same one each time', async () => {
        const order = await placed(2)
        const items = await order.polled()
        expect(items).toMatchObject([
          {
            resource: 'orders',
            theirId: order.id,
            place: 'oslo',
            value: {
              customer: {
                email: 'ola.hansen@example.com',
                firstName: 'Ola',
                lastName: 'Hansen',
                phone: '91234567',
                phoneCountryCode: '47',
              },
              orderLines: [{ gtin: TEE.gtin, price: '349', quantity: '2' }],
              paymentLines: [{ amount: '698', currency: 'NOK', type: 'card' }],
            },
          },
        ])
        expect(items[0]?.value).not.toHaveProperty('shippingAddress')
        expect(faultsOf(orders, items[0])).toEqual([])
        expect((await order.polled()).map(({ key }) => key)).toEqual(items.map(({ key }) => key))
      })

      test('a poll gives orders in the sequence of their changes, not of their ids', async () => {
        const first = await placed()
        const second = await placed()
        await second.polled()
        // Vendure on SQLite dates changes by the second.
        const placedAt = Math.floor(Date.now() / 1_000)
        await eventually(() => expect(Math.floor(Date.now() / 1_000)).toBeGreaterThan(placedAt))
        await shop.cancel(first.id)
        const { items } = await kit.poll(first.cursor, { signal })
        const codes = items.map(({ value }) => value.orderNo)
        expect(codes.filter((code) => code === first.code || code === second.code)).toEqual([second.code, first.code])
      })

      test('When it is picked, in part declined, collected and returned, then shop and money follow, each once', async () => {
        const order = await placed(3)
        const [before] = await order.polled()
        await twice(callOf.ready(order))
        await twice(callOf.decline(order))
        // A decline by the store is no change of the order by the shop.
        expect((await order.polled()).map(({ value }) => value)).toEqual([before?.value])
        await twice(callOf.collected(order))
        expect(await kit.order(order.id)).toMatchObject({
          state: 'Delivered',
          totalWithTax: 69_800,
          lines: [{ quantity: 2 }],
          payments: [{ amount: 104_700, state: 'Settled', refunds: [{ total: 34_900, state: 'Settled' }] }],
          fulfillments: [{ state: 'Delivered' }],
        })
        const { history } = await kit.order(order.id)
        expect(history.items.filter(({ isPublic, type }) => isPublic && type === 'ORDER_NOTE')).toHaveLength(1)
        expect(await order.polled()).toEqual([])

        await twice(callOf.refund(order, { orderLines: [{ quantity: 1, gtin: TEE.gtin, id: '9' }] }))
        const { payments } = await kit.order(order.id)
        expect(payments[0]?.refunds).toMatchObject([{ total: 34_900 }, { total: 34_900, state: 'Settled' }])
        const [found] = await kit.orders.search(order.code, { signal })
        expect(found).toMatchObject({
          number: order.code,
          total: '698',
          lines: [{ gtin: TEE.gtin, quantity: '2', returned: '1' }],
        })
      })

      test('When an order of the POS has its number, then goods tell the two apart; where they cannot, a person must', async () => {
        const web = await placed(1)
        const caps = [{ quantity: 1, externalSKU: CAP.sku, gtin: CAP.gtin, price: 199 }]
        const created = await kit.orders.create(orderOf(web.code, caps, SHIP_TO), attemptOf())
        const pos = theirId(created)
        expect(created.links).toEqual([{ kind: 'order', id: `pos:${web.code}`, theirId: pos }])
        const links: Attempt['links'] = async (_, ids) =>
          [
            { kind: 'order', id: web.code, destination: 'shop', theirId: web.id },
            { kind: 'order', id: `pos:${web.code}`, destination: 'shop', theirId: pos },
          ].filter(({ id }) => ids.includes(id))
        const line = (gtin: string) => ({ quantity: 1, gtin, rowId: null, status: 'Shipped' })
        const collect = (...gtins: string[]) =>
          kit.orders.collected(
            updateOf({ orderNo: web.code, status: 'Shipped', orderLines: gtins.map(line) }),
            attemptOf({ links }),
          )
        const states = async () => [(await kit.order(web.id)).state, (await kit.order(pos)).state]

        await expect(collect(LAST.gtin)).rejects.toMatchObject({ name: 'HeldError', code: 'ambiguous-order' })
        await expect(collect()).rejects.toThrow(`${web.id} (a web order), ${pos} (an order of a POS)`)
        expect(await states()).toEqual(['PaymentAuthorized', 'PaymentSettled'])
        await collect(TEE.gtin)
        expect(await states()).toEqual(['Delivered', 'PaymentSettled'])
        await collect(CAP.gtin)
        expect(await states()).toEqual(['Delivered', 'Delivered'])

        const found = await kit.orders.search(web.code, { signal, theirIds: [web.id, pos] })
        expect(found.map((order) => order.theirId).sort()).toEqual([web.id, pos].sort())
      })

      test('When the answer to a decline is lost and the goods are collected meanwhile, then money goes back once', async () => {
        const order = await placed(2)
        const attempt = attemptOf()
        kit.proxy.lose('{ cancelOrder(')
        await expect(make(kit, callOf.decline(order), attempt)).rejects.toBeInstanceOf(UnknownOutcomeError)
        await make(kit, callOf.collected(order))
        await goOn(kit, callOf.decline(order), attempt)
        expect(await kit.order(order.id)).toMatchObject({
          totalWithTax: 34_900,
          payments: [{ amount: 69_800, refunds: [{ total: 34_900 }] }],
        })
      })

      test('When nobody comes for it, then it is cancelled, and what was reserved is released', async () => {
        const order = await placed(1)
        await twice(callOf.expire(order))
        expect(await kit.order(order.id)).toMatchObject({ state: 'Cancelled', payments: [{ state: 'Cancelled' }] })
        expect(await order.polled()).toEqual([])
      })

      test("When the shop's staff cancels it, then a poll says so", async () => {
        const order = await placed(1)
        await shop.cancel(order.id)
        expect(await order.polled()).toMatchObject([
          { resource: 'cancellations', place: 'oslo', value: { orderNo: order.code } },
        ])
      })

      test('When the store sends parcels, then each is a fulfilment, once; delivered, the order is a sale', async () => {
        const { cursor } = await kit.poll(null, { signal })
        const lines = [
          { sku: TEE.sku, quantity: 2 },
          { sku: CAP.sku, quantity: 1 },
        ]
        const { id, code } = await shop.place({ lines })
        for (const [parcel, gtins] of Object.entries({ 'P-1': [TEE.gtin], 'P-2': [TEE.gtin, CAP.gtin] }))
          await twice(callOf.ship({ code }, parcel, gtins))
        const shipped = await kit.order(id)
        expect(shipped).toMatchObject({
          state: 'Shipped',
          payments: [{ state: 'Settled', amount: 89_700, refunds: [] }],
        })
        expect(shipped.fulfillments).toMatchObject([
          { state: 'Shipped', trackingCode: 'P-1' },
          { state: 'Shipped', trackingCode: 'P-2' },
        ])
        await make(kit, callOf.collected({ code }))
        const sold = await polled(cursor, code)
        expect(faultsOf(sales, sold[0])).toEqual([])
        expect(sold).toMatchObject([
          {
            resource: 'sales',
            place: null,
            completedAt: expect.stringMatching(/^\d{4}-.*Z$/),
            value: {
              salesLines: [
                { identity: TEE.gtin, price: '349', qty: '2' },
                { identity: CAP.gtin, price: '199', qty: '1' },
              ],
              paymentLines: [{ amount: '897' }],
            },
          },
        ])
      })

      test('When the number is unknown, then it is a dead letter that names it', async () => {
        await expect(make(kit, callOf.ready({ code: 'NOPE' }))).rejects.toMatchObject({
          code: 'no-such-order',
          message: expect.stringContaining('NOPE'),
        })
        expect(await kit.orders.search('NOPE', { signal })).toEqual([])
      })
    })

    describe('stock and customers', () => {
      test('When levels are told, then each location has its own; a strange article is left out, a strange place refused', async () => {
        const level = (given: object) => ({
          argument: {
            stockId: '12',
            location: STORE_LOCATION,
            sku: null,
            gtin: CAP.gtin,
            level: parseDecimal(7),
            ...given,
          },
          attempt: attemptOf(),
        })
        const results = await kit.setLevels([
          level({}),
          level({ location: 'Default Stock Location', level: parseDecimal(31) }),
          level({ gtin: '404' }),
          level({ location: 'Nowhere' }),
        ])
        expect(results).toMatchObject([
          { note: expect.stringMatching(/^7 in/) },
          { note: expect.stringMatching(/^31 in/) },
          { note: 'the shop has no such article' },
          { code: 'no-stock-location' },
        ])
        expect(await shop.stockOf(CAP.sku, STORE_LOCATION)).toMatchObject({ stockOnHand: 7 })
        expect(await shop.stockOf(CAP.sku, 'Default Stock Location')).toMatchObject({ stockOnHand: 31 })
      })

      test('When a customer changes, then there is one of it, found by e-mail address and by phone', async () => {
        const created = await kit.customers.upsert(PER, attemptOf())
        const links = async () => [{ kind: 'customer', id: 'C-1', destination: 'shop', theirId: theirId(created) }]
        const changed = { ...PER, email: 'per.olsen@example.com', lastName: null, city: 'Bergen' }
        expect(theirId(await kit.customers.upsert(changed, attemptOf({ links })))).toBe(theirId(created))
        const expected = [{ email: 'per.olsen@example.com', firstName: 'Per', lastName: 'Olsen', city: 'Bergen' }]
        const byPhone = { type: 'phone', numbers: ['+4799887766'], typed: '99887766' } as const
        expect(await kit.customers.search(byPhone, { signal })).toMatchObject(expected)
        const byEmail = { type: 'email', email: 'per.olsen@example.com' } as const
        expect(await kit.customers.search(byEmail, { signal })).toMatchObject(expected)
        expect(await kit.customers.search({ type: 'email', email: 'per@example.com' }, { signal })).toEqual([])
      })
    })

    test('When a customer is erased, then nobody of that name is shown any more, also the second time', async () => {
      const zeb = { customerId: 'C-7', email: 'zeb@example.com', firstName: 'Zeb', lastName: 'Kanari' }
      const id = theirId(await kit.customers.upsert({ ...PER, ...zeb, phone: '+4799887700' }, attemptOf()))
      const who = {
        pseudonym: 'erased-7f3a01bc',
        customerIds: ['C-7'],
        theirIds: [id],
        emails: ['zeb@example.com'],
        orders: [],
      }
      expect(await kit.customers.erase(who, attemptOf())).toEqual({
        note: '1 customer deleted; what the shop wrote into their history stays in its database',
      })
      expect(await kit.customers.erase(who, attemptOf())).toEqual({ note: '0 customers deleted' })
      expect(await kit.customers.search({ type: 'email', email: 'zeb@example.com' }, { signal })).toEqual([])
      const byPhone = { type: 'phone', numbers: ['+4799887700'], typed: '99887700' } as const
      expect(await kit.customers.search(byPhone, { signal })).toEqual([])
    })

    test('When a family shares an e-mail address, then the customer stays the first one’s, also when another of them is erased', async () => {
      const family = { ...PER, email: 'hansen@example.com', lastName: 'Hansen', phone: '+4799887711' }
      const kari = { ...family, customerId: 'C-81', firstName: 'Kari', address: 'Torget 2' }
      const ola = { ...family, customerId: 'C-82', firstName: 'Ola', address: 'Storgata 9', phone: '+4799887722' }
      const id = theirId(await kit.customers.upsert(kari, attemptOf()))
      const known = async () => [{ kind: 'customer', id: 'C-82', destination: 'shop', theirId: id }]
      // Of before, the hub may know it by a link as well.
      for (const attempt of [attemptOf(), attemptOf({ links: known })]) {
        const effect = await kit.customers.upsert(ola, attempt)
        expect(effect.note).toMatch(/is another customer’s \(C-81\), .* nothing was sent$/)
        expect(effect.links ?? []).toEqual([])
      }
      const byEmail = { type: 'email', email: 'hansen@example.com' } as const
      const hers = [{ firstName: 'Kari', address: 'Torget 2', phone: '+4799887711' }]
      expect(await kit.customers.search(byEmail, { signal })).toMatchObject(hers)

      const who = { pseudonym: 'erased-7f3a01bd', customerIds: ['C-82'], theirIds: [id], emails: [], orders: [] }
      const stays = `0 customers deleted; a customer is another one’s, and stays: ${id}`
      expect(await kit.customers.erase(who, attemptOf())).toEqual({ note: stays })
      expect(await kit.customers.search(byEmail, { signal })).toMatchObject(hers)

      const moved = await kit.customers.upsert(
        { ...ola, email: 'ola.hansen.2@example.com' },
        attemptOf({ links: known }),
      )
      expect(theirId(moved)).not.toBe(id)
      expect(await kit.customers.search(byEmail, { signal })).toMatchObject(hers)
      const forgetHer = { ...who, customerIds: ['C-81'], emails: ['hansen@example.com'] }
      expect((await kit.customers.erase(forgetHer, attemptOf())).note).toMatch(/^1 customer deleted/)
      expect(await kit.customers.search(byEmail, { signal })).toEqual([])
    })

    test('When a poll goes through all orders, then those that began at a POS are none of it', async () => {
      const { items } = await kit.poll(null, { signal })
      const fromPos = (await shop.orders()).filter(({ payments }) =>
        payments.some(({ method }) => method === 'tillbridge'),
      )
      expect(fromPos.length).toBeGreaterThan(2)
      expect(items.filter(({ theirId: id }) => fromPos.some((order) => order.id === id))).toEqual([])
    })
  })
}

/** Every step by which an order of the POS comes to be, where it was sold for less. */
const STEPS = words(`
  createDraftOrder addNoteToOrder addItemToDraftOrder setCustomerForDraftOrder transitionOrderToState
  addManualPaymentToOrder modifyOrder settleRefund
`)
