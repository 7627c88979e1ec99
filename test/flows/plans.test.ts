import { describe, expect, test } from 'vitest'
import { makingEntity } from '../../src/domain/orders/order-facts.ts'
import { bookInvoice, bookReceived, bookSettlement } from '../../src/flows/back-office.ts'
import { EMPTY_CONTEXT, type EventToRoute, type Flow, type GuardName } from '../../src/flows/flow.ts'
import { releaseGoodsAfter } from '../../src/flows/master-data.ts'
import { emailReceipt, textReceipt } from '../../src/flows/messages.ts'
import { mirrorStock } from '../../src/flows/mirror.ts'
import { noteRefund, refundGoods } from '../../src/flows/orders.ts'
import { delivery, orderUpdate, receipt, settlement, shippedOrderUpdate } from '../fixtures/payloads.ts'
import { claimOf, eventOf, NOW } from '../queue/kit/parts.ts'
import { sourcesOf } from '../queue/sources.ts'

/* The plans of flows by themselves: what they make of an event before anything is asked. */

const ARTICLE = '7090012340011'

function planned(kind: string, payload: unknown, entity: string | null = 'it'): EventToRoute {
  return { kind, origin: 'platform', identity: null, entity, payload, receivedAt: 0 }
}

describe('the books', () => {
  test('when an invoice has an id, then its effect is named by it, else by its number and store; without either, the event itself is the fact', () => {
    const of = (payload: object) => {
      const [step] = bookInvoice.plan(planned('InvoiceCreated', payload))
      return step?.effect
    }
    expect(of({ invoiceId: 77, amount: 100, invoiceDate: '2026-11-20' })).toBe('booked/invoice/77')
    const byNumber = { invoiceNo: 'F-9', amount: 100 }
    expect(of(byNumber)).toBe('booked/invoice//F-9')
    expect(of({ ...byNumber, storeExtId: '101' })).toBe('booked/invoice/101/F-9')
    expect(of({ amount: 100 })).toBeUndefined()
  })

  test('when essentials cannot be read, then the step will be held, and stands in the way of nothing', () => {
    const entityOf = (payload: object) => bookSettlement.plan(planned('POSSettlementCreated', payload))[0]?.entity
    expect(entityOf(settlement())).toBe('it')
    expect(entityOf({})).toBeNull()
  })

  test('when nothing of a delivery can be read, then there is one step of it, which has no level', async () => {
    const unread = planned('DeliveryUpdated', delivery({ products: [{ gtin: ARTICLE }] }))
    const steps = bookReceived.plan(unread)
    expect(steps).toMatchObject([{ entity: null }])
    const { verdict, asked } = asking(bookReceived, 'remainingQuantity', unread, steps[0]?.part)
    expect([await verdict, asked]).toEqual([null, []])
  })
})

/** What a guard of the flow says before this step, and what it asks for that. */
function asking(flow: Flow, name: GuardName, planned: EventToRoute, part = '', given = {}) {
  const { sources, asked } = sourcesOf(given)
  const event = eventOf(planned.payload, { kind: planned.kind })
  const known = { ...EMPTY_CONTEXT, storeOf: sources.storeOf }
  const step = { ...claimOf({ part }, { event }), part, now: NOW, onlyLook: false, known, makesCall: () => false }
  const guard = flow.guards?.find((one) => one.name === name)
  return { asked, verdict: guard?.check?.(step, sources, new AbortController().signal) }
}

describe('goods that come back', () => {
  const returned = (isRefunded: boolean) =>
    planned('OmniChannelOrderRefundUpdated', {
      refund: {
        ...{ orderNo: 'A1', id: 'r1', status: 'Returned', isRefunded },
        orderLines: [{ quantity: 1, gtin: ARTICLE, id: '1' }],
      },
    })

  for (const [name, flow, isRefunded] of [
    ['refund-goods', refundGoods, false],
    ['note-refund', noteRefund, true],
  ] as const)
    test(`when ${name} is owed, then it waits for the making of its order, and counts what came back by line`, async () => {
      const plan = returned(isRefunded)
      const [step] = flow.plan(plan)
      const entities: unknown[] = []
      const deliveries = async ({ entity }: { entity?: string }) => {
        entities.push(entity)
        return []
      }
      await asking(flow, 'dependsOn', plan, step?.part, { deliveries }).verdict
      expect(entities).toEqual([makingEntity('A1')])
      const counted = await asking(flow, 'remainingQuantity', plan, step?.part).verdict
      expect(counted).toMatchObject({
        kept: expect.arrayContaining([expect.objectContaining({ kind: 'returned', id: 'A1/r1/1' })]),
      })
    })
})

describe('what the mirror keeps of stocks', () => {
  const known = { storeOf: () => ({ zone: 'Europe/Oslo' }) } as unknown as Parameters<Flow['call']>[2]
  const kept = (kind: string, payload: object) =>
    mirrorStock.call(
      { ...planned(kind, payload), id: 1, receivedAt: 0, body: Buffer.from(JSON.stringify(payload)) } as never,
      { part: '' },
      known,
    )

  test('when a count is read, then its times are those of the wall clock there', () => {
    const count = {
      stockCountId: 7,
      stockId: 12,
      stockCountTime: '2026-11-20T09:00:00Z',
      createdDateTime: '2026-11-20T10:00:00Z',
      items: [],
    }
    expect(kept('StockCountReconciled', count)).toMatchObject({
      argument: { type: 'count', count: { at: expect.stringMatching(/T1[01]:00:00/) } },
    })
  })

  for (const kind of ['StockMovementCreated', 'StockCountReconciled', 'StockReservationCreated'] as const)
    test(`when a ${kind} can be read in part only, then it waits: how much there is would be wrong in half`, () => {
      expect(() => kept(kind, { nothing: 'known' })).toThrow()
    })
})

for (const [channel, recipient, mails, texts] of [
  ['Email', 'kari@example.com', 1, 0],
  ['SMS', '47 90012345', 0, 1],
  ['e-mail', 'kari', 1, 0],
  ['Sms', 'kari@example.com', 0, 1],
  ['E-post', 'kari@example.com', 1, 0],
  ['Text message', '+47 (0) 900-12.345', 0, 1],
  [2, '47 90012345', 0, 1],
] as const)
  test(`receipts: when the channel is ${channel} and the recipient ${recipient}, then ${mails} mail and ${texts} text are planned`, () => {
    const event = planned('OmniChannelSendReceiptCreated', receipt({ channel, recipient }))
    expect([emailReceipt.plan(event), textReceipt.plan(event)].map(({ length }) => length)).toEqual([mails, texts])
  })

describe('goods that are kept for an order', () => {
  const letGo = (kind: string, payload: object) => releaseGoodsAfter.plan(planned(kind, payload)).length === 1
  const declined = { quantity: 5, gtin: '7090012349999', rowId: '2', status: 'Declined' }
  const [picked] = orderUpdate().order.orderLines
  const packedAs = (quantity: number) => ({
    status: 'Shipped',
    fulfillmentLocation: {
      ...orderUpdate().order.fulfillmentLocation,
      shipments: [{ id: 'S-1', items: [{ gtin: ARTICLE, quantity }] }],
    },
  })

  test('when parcels hold all that was not declined, then the goods are let go', () => {
    expect(letGo('OmniChannelOrderFulfilled', orderUpdate({ ...packedAs(1), orderLines: [picked, declined] }))).toBe(
      true,
    )
  })

  test('when a parcel is still to come, then they are kept', () => {
    const lines = [{ ...picked, quantity: 2 }, declined]
    expect(letGo('OmniChannelOrderFulfilled', orderUpdate({ ...packedAs(1), orderLines: lines }))).toBe(false)
    expect(letGo('OmniChannelOrderFulfilled', shippedOrderUpdate({ orderLines: [declined] }))).toBe(false)
  })

  test.each(['Rejected', 'Expired'])('when the order is %s, then they are let go, whatever is packed', (status) => {
    expect(letGo('OmniChannelOrderUpdated', orderUpdate({ status }))).toBe(true)
  })

  test('when it lists no parcels, then the step finds out whether it is fetched, but of one that is off', async () => {
    const none = (status: string) =>
      orderUpdate({ status, fulfillmentLocation: { ...orderUpdate().order.fulfillmentLocation, shipments: [] } })
    const asks = async (status: string) => {
      const { asked, verdict } = asking(releaseGoodsAfter, 'shipping', planned('OmniChannelOrderUpdated', none(status)))
      await verdict
      return asked
    }
    expect(letGo('OmniChannelOrderUpdated', none('Shipped'))).toBe(true)
    expect(await asks('Shipped')).toEqual(['isSubmittedToShip', 'isSentByRecord'])
    expect(await asks('Rejected')).toEqual([])
  })
})
