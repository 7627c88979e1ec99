import { describe, expect, test } from 'vitest'
import { KINDS, kindOf, SUBMITTED_KINDS } from '../../../src/platform/payloads/kinds.ts'
import {
  customer,
  delivery,
  endlessAisle,
  orderUpdate,
  otherCase,
  pulledSettlement,
  receipt,
  refundUpdate,
  sale,
  settlement,
  shippedOrderUpdate,
  stockMovement,
  store,
} from '../../fixtures/payloads.ts'
import { words } from '../../words.ts'

/** Spec "Events", as it numbers them; the last three stand below the numbers. */
const EVENTS = words(`
  SaleCreated CustomerCreated CustomerUpdated DeliveryItemsReceived DeliveryCompleted InvoiceCreated
  StockMovementCreated OmniChannelEndlessAisleOrderCreated OmniChannelOrderFulfilled
  OmniChannelOrderRefundUpdated OmniChannelOrderUpdated ProductTransferCreated ProductTransferReceived
  ProductTransferVirtualCreated ProductTransferVirtualReceived SaleExternalCreated StockAdjustmentCreated
  StockCountReconciled POSSettlementCreated StockReservationCreated StockReservationExpired
  BankterminalReconciliationPrinted GiftCardTransactionCreated SavedForOnlineCheckoutCreated
`)
const UNNUMBERED = ['OmniChannelSendReceiptCreated', 'DeliveryCreated', 'DeliveryUpdated']

/** A real payload of each kind whose identity is known, with what the hub must read in it. */
const SALE_KEY = '101/3/1001/2026-11-20'
const ORDER = '0d8f8a5e-2f0c-4a4e-9a53-6d9a52a1f001'
const REFUND = '5b1f6a44-93a3-4e39-8f6c-9b8b8c1de002'
const KNOWN: [kind: string, payload: unknown, key: string, entity: string][] = [
  ['SaleCreated', sale(), SALE_KEY, `sale:${SALE_KEY}`],
  ['CustomerCreated', customer(), '4711', 'customer:4711'],
  ['CustomerUpdated', customer(), '4711', 'customer:4711'],
  ['StockMovementCreated', stockMovement(), '48151623', 'stock:12:7090012340011'],
  ['OmniChannelEndlessAisleOrderCreated', endlessAisle(), '101/3/1002/2026-11-20', 'order:EA-77'],
  ['OmniChannelOrderRefundUpdated', refundUpdate(), REFUND, 'order:A1'],
  ['OmniChannelOrderUpdated', orderUpdate(), ORDER, 'order:A1'],
  ['POSSettlementCreated', settlement(), '3001', 'settlement:3001'],
  ['OmniChannelSendReceiptCreated', receipt(), `${SALE_KEY}/email/053fd6013801`, `sale:${SALE_KEY}`],
  ['DeliveryCreated', delivery(), '90210', 'delivery:90210'],
  ['DeliveryUpdated', delivery(), '90210', 'delivery:90210'],
]

describe('the table of kinds', () => {
  test('When the spec names an event, then the table has it under its number, and nothing else', () => {
    const said = [...EVENTS.map((name, index) => [index + 1, name]), ...UNNUMBERED.map((name) => [null, name])]
    expect(KINDS.map(({ number, name }) => [number, name])).toEqual(said)
    expect(KINDS).toHaveLength(27)
  })

  test('When a kind has an identity, then it says of what and from where, and its nature; else it claims nothing', () => {
    for (const kind of KINDS) {
      const known = kind.identity !== null
      expect([kind.nature !== 'unknown', kind.identityText !== 'none', kind.knownFrom !== 'none'], kind.name).toEqual([
        known,
        known,
        known,
      ])
    }
    expect(KINDS.filter(({ identity }) => identity).map(({ name }) => name)).toEqual(KNOWN.map(([name]) => name))
  })

  test('When the spec shows no payload of an event, then no identity is guessed', () => {
    const notShown = [2, 3, 4, 5, 6, 9, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24]
    for (const { number, name, knownFrom } of KINDS)
      if (number !== null && notShown.includes(number)) expect(knownFrom, name).not.toBe('spec')
  })

  test('When facts happen once, then they are immutable; when about a thing that changes, versioned; when people repeat them, repeatable', () => {
    const of = (nature: string) => KINDS.filter((kind) => kind.nature === nature).map(({ name }) => name)
    expect(of('immutable')).toEqual([
      'SaleCreated',
      'StockMovementCreated',
      'OmniChannelEndlessAisleOrderCreated',
      'POSSettlementCreated',
    ])
    expect(of('repeatable')).toEqual(['OmniChannelSendReceiptCreated'])
    expect(of('versioned')).toHaveLength(6)
  })

  test('When a kind is new to the hub, then it has none of this', () => {
    expect(kindOf('SomethingNewCreated')).toBeNull()
    expect(kindOf('toString')).toBeNull()
  })
})

describe('identities', () => {
  test.each(KNOWN)('When %s arrives, then its identity and its entity are read', (kind, payload, key, entity) => {
    expect(kindOf(kind)?.identity?.(payload, 'platform')).toMatchObject({ key, entity })
  })

  test.each(KNOWN)('When %s comes with other case in its names, then it has the same identity', (kind, payload) => {
    const read = kindOf(kind)?.identity
    expect(read?.(otherCase(payload), 'platform')).toEqual(read?.(payload, 'platform'))
  })

  test.each(KNOWN)('When %s lacks what it takes, then it has none', (kind) => {
    const read = kindOf(kind)?.identity
    for (const thin of [{}, [], null, 'text', 7, { order: null, refund: [], sendReceipt: 1, store: 'x' }])
      expect(read?.(thin, 'platform')).toBeNull()
  })

  test.each([
    ['receiptNo', sale({ receiptNo: '' })],
    ['createdDateTime', sale({ createdDateTime: null })],
    ['store', sale({ store: undefined })],
    ['posId', sale({ store: store({ posId: null }) })],
  ])('When a sale has no %s, then it has no identity', (_, payload) => {
    expect(kindOf('SaleCreated')?.identity?.(payload, 'platform')).toBeNull()
  })

  test('When two sales differ in store, POS, receipt or day, then they are two', () => {
    const keys = [
      sale(),
      sale({ receiptNo: '1002' }),
      sale({ createdDateTime: '2027-11-20T14:03:27' }),
      sale({ store: store({ posId: 4 }) }),
      sale({ store: store({ storeExtId: '102' }) }),
    ].map((payload) => keyOf('SaleCreated', payload))
    expect(new Set(keys).size).toBe(5)
    expect(keyOf('SaleCreated', sale({ createdDateTime: '2026-11-20T23:59:59', total: 1 }))).toBe(keys[0])
  })

  test('When a store has no number of its own, then its name stands in', () => {
    expect(keyOf('SaleCreated', sale({ store: store({ storeExtId: '' }) }))).toBe('Oslo%20City/3/1001/2026-11-20')
  })

  test('When numbers come as text, then they are the same', () => {
    expect(keyOf('StockMovementCreated', stockMovement({ movementId: ' 48151623 ' }))).toBe('48151623')
    expect(keyOf('SaleCreated', sale({ receiptNo: 1001, store: store({ posId: '3' }) }))).toBe(SALE_KEY)
  })

  test('When a receipt is sent, then its key tells channel and recipient apart, and shows nobody', () => {
    const given = [
      receipt(),
      receipt({ channel: 'SMS', recipient: '47 90012345' }),
      receipt({ recipient: 'o@example.com' }),
    ]
    const keys = given.map((payload) => keyOf('OmniChannelSendReceiptCreated', payload))
    expect(new Set(keys).size).toBe(3)
    for (const key of keys) expect(key).toMatch(/^101\/3\/1001\/2026-11-20\/(email|sms)\/[0-9a-f]{12}$/)
    expect(keyOf('OmniChannelSendReceiptCreated', receipt({ recipient: 'Kari.Nordmann@Example.com' }))).toBe(keys[0])
  })

  test('When an order has no GUID, then its number stands in; when it has no number, then its GUID', () => {
    expect(kindOf('OmniChannelOrderUpdated')?.identity?.(orderUpdate({ id: null }), 'platform')).toMatchObject({
      key: 'A1',
    })
    const nameless = kindOf('OmniChannelOrderUpdated')?.identity?.(orderUpdate({ orderNo: '' }), 'platform')
    expect(nameless).toMatchObject({ key: ORDER, entity: `order:${ORDER}` })
  })

  test('When an order, its refund and its endless aisle sale are about one number, then they are one entity', () => {
    const entities = [
      kindOf('OmniChannelOrderUpdated')?.identity?.(shippedOrderUpdate({ orderNo: 'EA-77' }), 'platform'),
      kindOf('OmniChannelOrderRefundUpdated')?.identity?.(refundUpdate({ orderNo: 'EA-77' }), 'platform'),
      kindOf('OmniChannelEndlessAisleOrderCreated')?.identity?.(endlessAisle(), 'platform'),
    ].map((identity) => identity?.entity)
    expect(entities).toEqual(['order:EA-77', 'order:EA-77', 'order:EA-77'])
  })

  test('When an endless aisle sale has no order number yet, then it is about the sale', () => {
    const early = endlessAisle({ orderNo: null })
    expect(kindOf('OmniChannelEndlessAisleOrderCreated')?.identity?.(early, 'platform')?.entity).toMatch(/^sale:/)
  })

  test('When a settlement is pulled, then it is the same as pushed, and so are its facts', () => {
    const read = kindOf('POSSettlementCreated')?.identity
    expect(read?.(pulledSettlement(), 'platform')).toEqual(read?.(settlement(), 'platform'))
    expect(read?.(settlement(), 'platform')?.facts).toEqual(['18250.5', '2026-11-20T21:05:00', '101'])
  })

  test('When a fact happens once, then amount, time and store are read; a thing that changes has none', () => {
    expect(kindOf('SaleCreated')?.identity?.(sale(), 'platform')?.facts).toEqual(['349', '2026-11-20T14:03:27', '101'])
    expect(kindOf('StockMovementCreated')?.identity?.(stockMovement(), 'platform')?.facts).toEqual([
      '-1',
      '2026-11-20T14:03:28',
      '12',
    ])
    expect(kindOf('OmniChannelOrderUpdated')?.identity?.(orderUpdate(), 'platform')?.facts).toBeNull()
  })
})

/** A line of each kind as /v1 hands it on, with what the hub must read in it. */
const SUBMITTED: [kind: string, payload: unknown, key: string, entity: string][] = [
  ['ProductSubmitted', { extId: 'P 1/2' }, 'P%201%2F2', 'product:P%201%2F2'],
  ['ProductTextSubmitted', { extId: 'P1' }, 'P1', 'product:P1'],
  [
    'PriceSubmitted',
    { list: 'Retail', gtin: '7090', validFrom: '2026-12-01' },
    'Retail/gtin%3D7090/2026-12-01',
    'price:Retail/gtin%3D7090/2026-12-01',
  ],
  [
    'CostPriceSubmitted',
    { currency: 'NOK', productExtId: 'P1' },
    'NOK/productExtId%3DP1',
    'cost:NOK/productExtId%3DP1',
  ],
  ['StockLevelSubmitted', { stockId: 12, gtin: '7090' }, '12/7090', 'level:12/7090'],
  ['StockCountSubmitted', { stockId: 12 }, '12', 'count:12'],
  ['DeliverySubmitted', { extRef: 'PO-1' }, 'erp/PO-1', 'delivery:erp/PO-1'],
  ['SaleSubmitted', { saleGuid: 'g-1', orderNo: 'W-1' }, 'g-1', 'order:W-1'],
  ['OrderSubmitted', { orderNo: 'A1' }, 'A1', 'order:A1'],
  ['OrderChangeSubmitted', { orderNo: 'A1' }, 'A1', 'order:A1'],
  ['OrderCancelSubmitted', { orderNo: 'A1' }, 'A1', 'order:A1'],
  ['CustomerSubmitted', { extId: 'C1' }, 'C1', 'customer:C1'],
  ['TransferSubmitted', { extRef: 'T-1' }, 'erp/T-1', 'transfer:erp/T-1'],
  ['CorrectionSubmitted', { extRef: 'C-1' }, 'erp/C-1', 'correction:erp/C-1'],
  ['PriceEndSubmitted', { list: 'Retail', gtin: '7090' }, 'Retail/gtin%3D7090/', 'price:Retail/gtin%3D7090/'],
  ['ProductDeletionSubmitted', { extId: 'P1', gtin: '7090' }, 'P1/7090', 'product:P1'],
  ['CustomerDeletionSubmitted', { extId: 'C1' }, 'C1', 'customer:C1'],
]

describe('kinds that own systems submit', () => {
  test("When /v1 takes a kind, then it is the hub's own, with an identity, and is none of the platform's", () => {
    expect(SUBMITTED.map(([name]) => name)).toEqual(SUBMITTED_KINDS.map(({ name }) => name))
    for (const { name, number, identity, knownFrom } of SUBMITTED_KINDS) {
      expect([number, identity === null, knownFrom, kindOf(name)?.name], name).toEqual([null, false, 'hub', name])
      expect(KINDS.map((kind) => kind.name)).not.toContain(name)
    }
  })

  for (const [kind, payload, key, entity] of SUBMITTED)
    test(`When ${kind} is submitted, then its identity and its entity are read`, () => {
      expect(kindOf(kind)?.identity?.(payload, 'erp')).toEqual({ key, entity, facts: null })
      expect(kindOf(kind)?.identity?.({}, 'erp')).toBeNull()
    })

  test('When a fact happens once, then it is immutable; what the own system keeps changing is versioned', () => {
    const once = SUBMITTED_KINDS.filter(({ nature }) => nature === 'immutable').map(({ name }) => name)
    expect(once).toEqual([
      'DeliverySubmitted',
      'SaleSubmitted',
      'OrderSubmitted',
      'OrderCancelSubmitted',
      'TransferSubmitted',
      'CorrectionSubmitted',
    ])
    expect(SUBMITTED_KINDS.filter(({ nature }) => nature === 'versioned')).toHaveLength(11)
  })

  test('When two systems submit a delivery under one reference, then they are two; a sale is one', () => {
    const from = (kind: string, payload: unknown) =>
      ['erp', 'wms'].map((system) => kindOf(kind)?.identity?.(payload, system)?.key)
    expect(new Set(from('DeliverySubmitted', { extRef: 'PO-1' })).size).toBe(2)
    expect(new Set(from('SaleSubmitted', { saleGuid: 'g-1' })).size).toBe(1)
  })

  test('When a price names its product otherwise, or holds from another day, then it is another', () => {
    const prices = [{ gtin: '1' }, { productExtId: '1' }, { productId: 1 }, { gtin: '1', validFrom: '2027-01-01' }]
    const keys = prices.map((price) => kindOf('PriceSubmitted')?.identity?.({ list: 'Retail', ...price }, 'erp')?.key)
    expect(new Set(keys).size).toBe(4)
  })
})

function keyOf(kind: string, payload: unknown): string | undefined {
  return kindOf(kind)?.identity?.(payload, 'platform')?.key
}
