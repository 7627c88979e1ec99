import { describe, expect, test } from 'vitest'
import { makingEntity } from '../../src/domain/orders/order-facts.ts'
import { bookInvoice, bookings, bookReceived, bookSettlement } from '../../src/flows/back-office.ts'
import { customers } from '../../src/flows/customers.ts'
import { type CallContext, type Flow, withoutRestated } from '../../src/flows/flow.ts'
import { releaseGoodsAfter } from '../../src/flows/master-data.ts'
import { emailReceipt, textReceipt } from '../../src/flows/messages.ts'
import { mirrorStock } from '../../src/flows/mirror.ts'
import { noteRefund, orderCollected, orderFlows, refundGoods } from '../../src/flows/orders.ts'
import { accountsOf, settlementOf } from '../domain/accounting/journal-kit.ts'
import { customer, delivery, orderUpdate, receipt, sale, settlement, shippedOrderUpdate } from '../fixtures/payloads.ts'
import { eventOf, NOW } from '../queue/kit/parts.ts'
import { ARTICLE, asking, called, planned, RELEASED } from './plan-kit.ts'

/* The plans of flows by themselves: what they make of an event before anything is asked. */

describe('the books', () => {
  const flowOf = (name: string) => bookings.find((flow) => flow.name === name)

  test('when a sale has no POS or no number, then its effect is named by what it says, with its receipt or order; without these it has none', () => {
    const of = (payload: object) => flowOf('book-sale')?.plan(planned('SaleCreated', payload))[0]?.effect
    const { posId: _, ...store } = sale().store
    const bare = { ...sale(), store, orderNo: null }
    expect(of(sale())).toMatch(/^booked\/sale\/(?!receipt|order)/)
    expect(of(bare)).toMatch(/^booked\/sale\/receipt\/101\/1001\/[0-9a-f]+$/)
    expect(of({ ...bare, store: { storeName: 'Oslo City' } })).toMatch(/^booked\/sale\/receipt\/Oslo%20City\/1001\//)
    expect(of({ ...bare, orderNo: 'A1' })).toMatch(/^booked\/sale\/order\/101\/A1\/[0-9a-f]+$/)
    expect(of({ ...bare, receiptNo: null })).toBeUndefined()
    expect(of({ ...bare, total: 1 })).not.toBe(of(bare))
  })

  test('when goods are moved, then what was sent is of the stock that it left, at that time, and what was received of the other', () => {
    const times = { createdDateTime: '2026-11-20T09:00:00', receivedDateTime: '2026-11-21T09:00:00' }
    const products = [{ gtin: ARTICLE, quantity: 1, quantityReceived: 1 }]
    const transfer = { transferId: 'T-1', fromStockId: 12, toStockId: 13, ...times, products }
    const of = (kind: string) => called(flowOf('book-transfer'), kind, transfer)?.argument
    expect(of('ProductTransferCreated')).toMatchObject({
      step: 'sent',
      virtual: false,
      stockId: '12',
      day: '2026-11-20',
    })
    expect(of('ProductTransferVirtualReceived')).toMatchObject({
      step: 'received',
      virtual: true,
      stockId: '13',
      day: '2026-11-21',
    })
  })

  describe('when a settlement', () => {
    const record = (given: object, known: Partial<CallContext> = {}) =>
      called(bookSettlement, 'POSSettlementCreated', settlement(), {
        settlement: { ...settlementOf({ NetTotal: 100, paid: [['Card', 'Visa', 112.5]] }), ...given },
        ...known,
      })?.argument

    test('can be booked, then it has its day and, where there are accounts, its journal', () => {
      expect(record({})).toMatchObject({ day: '2026-11-20', journal: null, stockId: null, released: null })
      const balanced = settlementOf({ NetTotal: 100, paid: [['Card', 'Visa', 100]] })
      expect(record(balanced, { accounts: accountsOf() })).toMatchObject({ journal: { difference: { amount: '0' } } })
    })

    test('does not balance, then it is held until a person lets it go, and there is an account for the difference', () => {
      const held = { name: 'HeldError', code: 'unbalanced' }
      const message = 'the settlement does not balance: debit is 12.50 NOK more than credit'
      expect(() => record({}, { accounts: accountsOf() })).toThrow(expect.objectContaining({ ...held, message }))
      const without = `${message}. It was let go, but there is no account to book the difference on: add accounts.differences`
      const { differences: _, ...accounts } = accountsOf()
      expect(() => record({}, { accounts, released: RELEASED })).toThrow(
        expect.objectContaining({ ...held, message: without }),
      )
      const closing = { account: '1999', text: 'Difference, let go by Ola: I asked', amount: { amount: '-12.5' } }
      expect(record({}, { accounts: accountsOf(), released: RELEASED })).toMatchObject({
        journal: { lines: [{}, {}, closing], difference: { amount: '0' } },
      })
    })

    const nowhere = { storeNo: null, storeId: null, posId: null }
    test.each<[string, object, object]>([
      ['names no payments', { payments: null }, { name: 'PermanentError', code: 'thin-settlement' }],
      [
        'does not say when it was',
        { to: null, settledAt: null },
        { message: 'the settlement does not say when: DateTimeTo and SettlementTimeStamp could not be read' },
      ],
      [
        'does not say where it was',
        nowhere,
        {
          code: 'unreadable-field',
          message: 'the settlement does not say where: StoreNo, StoreId and POSID could not be read',
        },
      ],
    ])('%s, then it is not booked', (_, given, error) => {
      expect(() => record(given)).toThrow(expect.objectContaining(error))
    })
  })

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

describe('what other systems keep of customers', () => {
  const [upsert, consents, take, erase] = ['upsert-customer', 'tell-consent', 'take-customer', 'erase-person'].map(
    (name) => customers.find((flow) => flow.name === name),
  )
  const gone = { customerId: 4711, customerExtId: 'X-1', deleted: true }

  test('when a customer is deleted, then the directory drops it, and other systems are told of consents that it revoked', () => {
    expect(upsert?.plan(planned('CustomerUpdated', gone))).toMatchObject([
      { part: '', subject: 'customer-ext:X-1' },
      { part: 'drop', subject: 'customer-ext:X-1', to: ['directory'], force: true },
    ])
    const drop = { port: 'customers', method: 'drop', argument: { customerId: '4711' } }
    expect(called(upsert, 'CustomerUpdated', gone, {}, 'drop')).toEqual(drop)
    expect(called(upsert, 'CustomerUpdated', gone)).toBe(null)
    expect(consents?.plan(planned('CustomerUpdated', gone))).toMatchObject([{ subject: 'customer-ext:X-1' }])
    expect(called(consents, 'CustomerUpdated', gone)).toBe(null)
    const revoked = { ...gone, agreedSendEmail: false, agreedSendSMS: true }
    expect(called(consents, 'CustomerUpdated', revoked)?.argument).toMatchObject({
      ...{ customerId: '4711', agreedSendEmail: false, agreedSendSms: null },
    })
  })

  test('when it says when it was changed, then that is its version, unless that is no time, or of the day after tomorrow', () => {
    const versionOf = (updatedDateTime: string, receivedAt = NOW) =>
      upsert?.plan({ ...planned('CustomerUpdated', customer({ updatedDateTime })), receivedAt })[0]?.version
    expect(versionOf('2026-11-20T14:01:00')).toBe(Date.parse('2026-11-20T14:01:00Z'))
    expect(versionOf('2026-11-21T12:00:00')).toBe(NOW + 86_400_000)
    for (const odd of ['2026-11-21T12:00:01', '1970-01-01T00:00:00', 'lately']) expect(versionOf(odd)).toBe(null)
  })

  test('when it cannot be read, then it is refused by name; a submitted one has no empty fields', () => {
    const bad = (message: string) => expect.objectContaining({ name: 'PermanentError', code: 'bad-customer', message })
    expect(() => called(upsert, 'CustomerUpdated', {})).toThrow(
      bad('the customer lacks customerId, or says nothing besides it'),
    )
    expect(() => called(consents, 'CustomerUpdated', {})).toThrow(
      bad('the customer lacks customerId, or says nothing of consents'),
    )
    const empty = { companyName: '', address: '', postalCode: '', city: '', countryCode: '', lastName: '' }
    const submitted = { extId: 'C-1', email: 'Kari@Example.com', firstName: 'Kari', phone: '90012345', ...empty }
    expect(called(take, 'CustomerSubmitted', { ...submitted, phoneCountryPrefix: '47' })?.argument).toEqual({
      ...{ customerId: null, extId: 'C-1', email: 'kari@example.com', firstName: 'Kari', phone: '+4790012345' },
      ...{ lastName: null, companyName: null, address: null, postalCode: null, city: null, countryCode: null },
    })
  })

  test('when the key of an erasure is gone, then nobody can be told of it, and its pseudonym is named', () => {
    const notice = { person: 'P-1', sealed: { shop: '…' } }
    const message = 'whom P-1 stands for is not known any more: the key of this notice is gone'
    expect(() => called(erase, 'PersonErased', notice, { notice: null })).toThrow(
      expect.objectContaining({ code: 'notice-over', message }),
    )
    const told = { customerIds: ['4711'] } as unknown as NonNullable<CallContext['notice']>
    expect(called(erase, 'PersonErased', notice, { notice: told })?.argument).toBe(told)
  })

  test('when a later one says some of it anew, then that is left out, an address and a phone as a whole', () => {
    const event = eventOf({ extId: 'C-1', firstName: 'Kari', address: 'Torget 1', city: 'Oslo', phone: '90012345' })
    const left = (later: object) => {
      const after = withoutRestated(event, later, ['extId'])
      return after === event ? 'all' : after && JSON.parse(Buffer.from(after.body).toString())
    }
    expect(left({ extId: 'C-1', lastName: 'Nordmann', city: undefined })).toBe('all')
    expect(left({ countryCode: 'NO' })).toEqual({ extId: 'C-1', firstName: 'Kari', phone: '90012345' })
    expect(left({ firstName: '', phoneCountryPrefix: '47' })).toEqual({
      extId: 'C-1',
      address: 'Torget 1',
      city: 'Oslo',
    })
    expect(left({ firstName: 'Ola', city: 'Bergen', phone: null })).toBe(null)
  })
})

describe('an order that contradicts what was done before', () => {
  const [line] = orderUpdate().order.orderLines
  const shipped = (...orderLines: object[]) => orderUpdate({ status: 'Shipped', orderLines })
  const collected = (payload: object, prior: string[], more: Partial<CallContext> = {}) =>
    called(orderCollected, 'OmniChannelOrderUpdated', payload, { prior, isSent: false, ...more })
  const declined = ['order/A1/declined/1/1']

  test('when the customer has a line that was declined, then a person is asked, unless that person has said so, or it is declined still', () => {
    expect(collected(shipped(line ?? {}), [])).toMatchObject({ method: 'collected', argument: { number: 'A1' } })
    const message = expect.stringMatching(
      /^the store says that the customer has the line 1 of order A1, which it had declined/,
    )
    expect(() => collected(shipped(line ?? {}), declined)).toThrow(
      expect.objectContaining({ name: 'HeldError', code: 'contradiction', message }),
    )
    expect(collected(shipped(line ?? {}), declined, { released: RELEASED })).toMatchObject({ method: 'collected' })
    const off = { ...line, quantity: 1, status: 'Declined' }
    const other = { ...line, rowId: '2', gtin: '7090012349999' }
    expect(collected(shipped(other), declined)).toMatchObject({ method: 'collected' })
    expect(collected(shipped(off, other), declined)).toMatchObject({ method: 'collected' })
    expect(collected(shipped(line ?? {}, off), declined)).toMatchObject({ method: 'collected' })
    expect(() => collected(shipped(line ?? {}, off), ['order/A1/declined/1/2'])).toThrow('the line 1 of order A1')
  })

  test('when a parcel is named with other contents than before, or twice, then a person is asked', () => {
    const flow = orderFlows.find(({ name }) => name === 'create-shipment')
    const parcels = (...quantities: number[]) => {
      const shipments = quantities.map((quantity) => ({ id: 'S-1', items: Array(quantity).fill({ gtin: ARTICLE }) }))
      return shippedOrderUpdate({ fulfillmentLocation: { stockId: 12, shipments } })
    }
    const ship = (payload: object, known: Partial<CallContext> = {}) =>
      called(flow, 'OmniChannelOrderUpdated', payload, known, 'S-1')
    expect(ship(parcels(1))).toMatchObject({ method: 'ship', argument: { parcel: { id: 'S-1' } } })
    expect(() => ship(parcels(1, 2))).toThrow('the parcel S-1 of order A1 is named several times')
    expect(ship(parcels(1, 2), { released: RELEASED })?.argument).toMatchObject({
      parcel: { items: [{ quantity: '3' }] },
    })
    expect(ship(parcels(1, 1))?.argument).toMatchObject({ parcel: { items: [{ quantity: '1' }] } })
    const before = { prior: ['order/A1/packed/S-1/abc'] }
    expect(() => ship(parcels(1), before)).toThrow('was announced before with other contents')
    expect(ship(parcels(1), { ...before, released: RELEASED })).toMatchObject({ method: 'ship' })
    expect(ship(parcels(1), { prior: ['order/A1/packed/S-11/abc'] })).toMatchObject({ method: 'ship' })
  })

  test('when money was given back by the POS after the shop had done so, then a person is asked', () => {
    const refund = { orderNo: 'A1', id: 'r1', status: 'Returned', isRefunded: true }
    const lines = [{ quantity: 1, gtin: ARTICLE, id: '1' }]
    const note = (known: Partial<CallContext>, orderLines = lines) =>
      called(noteRefund, 'OmniChannelOrderRefundUpdated', { refund: { ...refund, orderLines } }, known, '1')
    expect(note({})).toMatchObject({ method: 'noteRefund', argument: { quantity: '1' } })
    const all = { reported: '1' as CallContext['reported'] }
    expect(note(all)).toBe(null)
    expect(() => note({ ...all, paid: true })).toThrow('the customer may have it twice')
    expect(note({ ...all, paid: true, released: RELEASED })).toBe(null)
    expect(note({ paid: true })).toMatchObject({ method: 'noteRefund' })
  })
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
