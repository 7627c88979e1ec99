import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RetryLaterError, UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { Attempt, OrdersCall } from '../../../src/ports/ports.ts'
import {
  again,
  attemptOf,
  callOf,
  createKit,
  GOODS,
  goOn,
  make,
  type Named,
  orderOf,
  theirId,
  type VendureKit,
  type VendureShop,
} from './kit.ts'

const [TEE] = GOODS
const BUYER = { customer: { email: 'kari.nordmann@example.com', firstName: 'Kari', lastName: 'Nordmann' } }

/** `links`: of an order of a POS. */
interface Placed extends Named {
  id: string
  links?: Attempt['links']
}

/** A step that the hub tells the shop of. */
interface Step {
  what: string
  begin: (kit: VendureKit) => Promise<Placed>
  call: (order: Placed) => OrdersCall
  first: string
  request: string
  there: object
}

const STEPS: Step[] = [
  {
    what: 'a message that the goods lie ready',
    begin: placed,
    call: callOf.ready,
    first: '{ addNoteToOrder(',
    request: '{ addNoteToOrder(',
    there: { history: { items: [{ type: 'ORDER_NOTE', isPublic: true }] } },
  },
  {
    what: 'a collection',
    begin: placed,
    call: callOf.collected,
    first: '{ settlePayment(',
    request: '{ transitionFulfillmentToState(',
    there: { state: 'Delivered', payments: [{ state: 'Settled' }], fulfillments: [{ state: 'Delivered' }] },
  },
  {
    what: 'a parcel',
    begin: placed,
    call: (order) => callOf.ship(order, 'P-9'),
    first: '{ settlePayment(',
    request: '{ addFulfillmentToOrder(',
    there: { payments: [{ state: 'Settled' }], fulfillments: [{ state: 'Shipped', trackingCode: 'P-9' }] },
  },
  {
    what: 'goods that the store declined',
    begin: inPart,
    call: callOf.decline,
    first: '{ cancelOrder(',
    request: '{ cancelOrder(',
    there: { totalWithTax: TEE.price, payments: [{ refunds: [{ total: TEE.price, state: 'Settled' }] }] },
  },
  {
    what: 'an order that nobody came for',
    begin: placed,
    call: callOf.expire,
    first: '{ cancelOrder(',
    request: '{ cancelOrder(',
    there: { state: 'Cancelled', payments: [{ state: 'Cancelled' }] },
  },
  {
    what: 'a return that the shop is to pay',
    begin: collected,
    call: callOf.refund,
    first: '{ refundOrder(',
    request: '{ refundOrder(',
    there: { payments: [{ refunds: [{ total: TEE.price, state: 'Settled' }] }] },
  },
  {
    what: 'a return that the POS has paid, of an order paid online',
    begin: collected,
    call: callOf.noteRefund,
    first: '{ addNoteToOrder(',
    request: '{ addNoteToOrder(',
    there: { payments: [{ refunds: [] }], history: { items: [{ type: 'ORDER_NOTE', isPublic: false }] } },
  },
  {
    what: 'a return that the POS has paid, of an order paid there',
    begin: soldAtPos,
    call: callOf.noteRefund,
    first: '{ refundOrder(',
    request: '{ refundOrder(',
    there: { payments: [{ refunds: [{ total: TEE.price, state: 'Settled' }] }] },
  },
]

/** What becomes of effects that nobody knows of, and of a payment service that refuses, told to whichever shop `start` gives. */
export function vendureFailureStories(name: string, start: () => Promise<VendureShop>): void {
  describe(`the adapter vendure down, with ${name}`, () => {
    let shop: VendureShop
    let kit: VendureKit
    beforeAll(async () => {
      shop = await start()
      kit = await createKit(shop)
    })
    afterAll(async () => {
      await kit?.[Symbol.asyncDispose]()
      await shop?.[Symbol.asyncDispose]()
    })

    test('money that was refunded in part is not followed by the rest while a call may still take effect', async () => {
      const order = await inPart(kit)
      const attempt = attemptOf(order.links && { links: order.links })
      const call = callOf.refund(order)
      if (call.method !== 'refund') throw new Error('It is another call.')
      await make(kit, call, attempt)
      const inDoubt = { ...again(attempt, { links: attempt.links }), mayStillLand: true }
      // All of it is back: nothing is left that would have to be made a second time.
      expect(await kit.orders.find(inDoubt, call)).toMatchObject({ links: [{ kind: 'refund' }] })
      const more = { ...call, argument: { ...call.argument, quantity: parseDecimal(2) } }
      await expect(kit.orders.find(inDoubt, more)).rejects.toMatchObject({ code: 'may-still-land' })
    })

    describe('an effect of which nobody knows', () => {
      test.each(STEPS)(
        'When $what was cut off and is invalidated, then a look finds nothing and makes nothing',
        async ({ begin, call, first }) => {
          const order = await begin(kit)
          const attempt = attemptOf(order.links && { links: order.links })
          const before = await kit.order(order.id)
          kit.proxy.cut(first)
          await expect(make(kit, call(order), attempt)).rejects.toBeInstanceOf(UnknownOutcomeError)
          expect(await goOn(kit, call(order), attempt, { invalidated: true })).toBeNull()
          expect(await kit.order(order.id)).toEqual(before)
        },
      )

      test.each(STEPS)('When the answer to $what was lost, then a look finds it, and makes it whole', async (step) => {
        const { begin, call, request, there } = step
        const order = await begin(kit)
        const attempt = attemptOf(order.links && { links: order.links })
        kit.proxy.lose(request)
        await expect(make(kit, call(order), attempt)).rejects.toBeInstanceOf(UnknownOutcomeError)
        const found = await goOn(kit, call(order), attempt, { invalidated: true })
        expect(found).toMatchObject({ note: expect.stringMatching(/^found there: /) })
        expect(await kit.order(order.id)).toMatchObject(there)
        await goOn(kit, call(order), attempt)
        expect(await kit.order(order.id)).toMatchObject(there)
      })

      test('When a collection broke off after the money was taken, then the next try goes on, and takes it once', async () => {
        const order = await placed(kit)
        const attempt = attemptOf()
        kit.proxy.lose('{ settlePayment(')
        await expect(make(kit, callOf.collected(order), attempt)).rejects.toBeInstanceOf(UnknownOutcomeError)
        await goOn(kit, callOf.collected(order), attempt)
        expect(await kit.order(order.id)).toMatchObject({
          state: 'Delivered',
          payments: [{ state: 'Settled', amount: TEE.price }],
        })
      })
    })

    describe('a payment service that refuses', () => {
      const goods: [string, (order: Placed) => OrdersCall, object][] = [
        ['are collected', callOf.collected, { state: 'Delivered' }],
        ['leave in a parcel', (order) => callOf.ship(order, 'P-7'), { state: 'Shipped' }],
      ]
      test.each(goods)(
        'When the goods %s and the money cannot be taken, then it is never told as done; paid by hand, it goes on',
        async (_, call, done) => {
          const order = await placed(kit)
          const attempt = attemptOf()
          shop.refuse('settlePayment')
          for (const one of [attempt, again(attempt, { previous: 'failed' })])
            await expect(make(kit, call(order), one)).rejects.toMatchObject({
              name: 'PermanentError',
              code: 'payment-not-taken',
              message: expect.stringContaining(`order ${order.code} costs 349 NOK, and 349 NOK of it was not taken`),
            })
          expect(await kit.order(order.id)).toMatchObject({ payments: [{ state: 'Error' }], fulfillments: [] })
          await shop.payByHand(order.id)
          await make(kit, call(order), again(attempt, { previous: 'failed' }))
          expect(await kit.order(order.id)).toMatchObject(done)
        },
      )

      test('When nobody comes and the reserved money is not released, then it is asked again until it is', async () => {
        const order = await placed(kit)
        const attempt = attemptOf()
        for (const one of [attempt, again(attempt, { previous: 'failed' })]) {
          shop.refuse('cancelPayment')
          await expect(make(kit, callOf.expire(order), one)).rejects.toMatchObject({
            name: 'RetryLaterError',
            code: 'vendure-cancel-payment-error',
            message: expect.stringContaining(`did not release 349 NOK of order ${order.code}`),
          })
        }
        const effect = await make(kit, callOf.expire(order), again(attempt, { previous: 'failed' }))
        expect(effect.note).toContain('reserved money released')
        expect(await kit.order(order.id)).toMatchObject({ state: 'Cancelled', payments: [{ state: 'Cancelled' }] })
      })

      const refunds: [string, (kit: VendureKit) => Promise<Placed>, (order: Placed) => OrdersCall][] = [
        ['a return', collected, callOf.refund],
        ['goods that the store declined', inPart, callOf.decline],
        ['goods that were declined before the rest is collected', declinedFirst, callOf.collected],
      ]
      test.each(refunds)(
        'When the refund of %s fails, then it is not told as paid back, and is made anew',
        async (_, begin, call) => {
          const order = await begin(kit)
          const attempt = attemptOf()
          shop.refuse('createRefund')
          const refused = make(kit, call(order), attempt)
          await expect(refused).rejects.toBeInstanceOf(RetryLaterError)
          await expect(refused).rejects.toMatchObject({
            code: 'vendure-refund-failed',
            message: expect.stringContaining(`349 NOK of order ${order.code}`),
          })
          const effect = await make(kit, call(order), again(attempt, { previous: 'failed' }))
          expect(effect.note).toContain('Settled')
          const { payments } = await kit.order(order.id)
          expect(payments[0]?.refunds).toMatchObject([
            { total: TEE.price, state: 'Failed' },
            { total: TEE.price, state: 'Settled' },
          ])
        },
      )
    })
  })
}

/** A pickup order of one T-shirt, or more: its money is reserved. */
async function placed({ shop }: VendureKit, quantity = 1): Promise<Placed> {
  return await shop.place({ lines: [{ sku: TEE.sku, quantity }], shipping: 'pickup', store: 'oslo' })
}

async function collected(kit: VendureKit): Promise<Placed> {
  const order = await placed(kit)
  await make(kit, callOf.collected(order))
  return order
}

/** One of two has left in a parcel, so that the money of both is taken. */
async function inPart(kit: VendureKit): Promise<Placed> {
  const order = await placed(kit, 2)
  await make(kit, callOf.ship(order, 'P-1'))
  return order
}

/** One of two was declined while the money is reserved. */
async function declinedFirst(kit: VendureKit): Promise<Placed> {
  const order = await placed(kit, 2)
  await make(kit, callOf.decline(order))
  return order
}

let sold = 0

/** An order that was sold and paid at a POS. */
async function soldAtPos(kit: VendureKit): Promise<Placed> {
  sold += 1
  const code = `EA-T${process.pid}-${sold}`
  const created = await kit.orders.create(orderOf(code, [{}], BUYER), attemptOf())
  const link = { kind: 'order', id: `pos:${code}`, destination: 'shop', theirId: theirId(created) }
  return { id: link.theirId, code, links: async (_, ids) => [link].filter(({ id }) => ids.includes(id)) }
}
