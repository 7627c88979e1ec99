import { describe, expect, test } from 'vitest'
import type { PlacedOrder } from '../../../src/domain/orders/which-order.ts'
import type { Event } from '../../../src/domain/queue/event.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { Known } from '../../../src/flows/flow.ts'
import { orderMessages } from '../../../src/flows/messages.ts'
import { bytesOf, orderUpdate, shippedOrderUpdate } from '../../fixtures/payloads.ts'

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
  const known = { reported: parseDecimal(0), order, articleName: 'T-shirt' } as Known
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
      expect(flow).toMatchObject({ once: true, onUnknown: 'repeat', urgency: 'prompt', needsOrder: true })
      expect(flow.name).toBe(`${flow.port === 'email' ? 'email' : 'text'}-${flow.message}`)
    }
  })
})
