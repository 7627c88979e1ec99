import { describe, expect, test } from 'vitest'
import { emailReceipt } from '../../../src/flows/messages.ts'
import { basketOrder } from '../../../src/flows/orders.ts'
import { evaluate } from '../../../src/lib/jsonata.ts'
import { readChangedAt, readConsent, readCustomer, readDeleted } from '../../../src/platform/payloads/customer.ts'
import {
  readDelivery,
  readMovement,
  readReservation,
  readStockAdjustment,
  readStockCount,
  readTransfer,
} from '../../../src/platform/payloads/goods.ts'
import { KINDS, storeRefOf } from '../../../src/platform/payloads/kinds.ts'
import { SHAPES } from '../../../src/platform/payloads/known/kinds.ts'
import { mapped } from '../../../src/platform/payloads/mapping/mapping.ts'
import { readOrderReturn, readOrderUpdate } from '../../../src/platform/payloads/order-update.ts'
import { locationOf, type PayloadField, type Shape } from '../../../src/platform/payloads/read-field.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import {
  readFiscal,
  readGiftCardTransaction,
  readInvoice,
  readSettlement,
  readTerminalReconciliation,
} from '../../../src/platform/payloads/settlement.ts'
import { readable, unreadOf, unreadText } from '../../../src/platform/payloads/unread.ts'
import { NAMED } from '../../fixtures/named-payloads.ts'
import { bytesOf, pulledSettlement, sale, stockMovement } from '../../fixtures/payloads.ts'

/* Every name that the hub looks for stands in a payload that does not come from it, and what is read there is used. */

const READERS: Readonly<Record<string, (payload: unknown) => unknown>> = {
  SaleCreated: readSale,
  SaleExternalCreated: readSale,
  OmniChannelEndlessAisleOrderCreated: readSale,
  OmniChannelSendReceiptCreated: readReceipt,
  SavedForOnlineCheckoutCreated: basketOrder,
  CustomerCreated: (payload) => ofCustomer('CustomerCreated', payload),
  CustomerUpdated: (payload) => ofCustomer('CustomerUpdated', payload),
  DeliveryCreated: readDelivery,
  DeliveryUpdated: readDelivery,
  DeliveryItemsReceived: readDelivery,
  DeliveryCompleted: readDelivery,
  InvoiceCreated: readInvoice,
  StockMovementCreated: readMovement,
  OmniChannelOrderUpdated: readOrderUpdate,
  OmniChannelOrderFulfilled: readOrderUpdate,
  OmniChannelOrderRefundUpdated: readOrderReturn,
  ProductTransferCreated: readTransfer,
  ProductTransferReceived: readTransfer,
  ProductTransferVirtualCreated: readTransfer,
  ProductTransferVirtualReceived: readTransfer,
  StockAdjustmentCreated: readStockAdjustment,
  StockCountReconciled: readStockCount,
  POSSettlementCreated: readSettlement,
  StockReservationCreated: readReservation,
  StockReservationExpired: readReservation,
  BankterminalReconciliationPrinted: readTerminalReconciliation,
  GiftCardTransactionCreated: readGiftCardTransaction,
}

/** Read for the place of an event alone, by which it finds its destination. */
const OF_PLACE = ['storeId', 'countryCode']

describe.each([...SHAPES])('%s', (kind, shape) => {
  const payloads = NAMED.filter(({ kinds }) => kinds.includes(kind)).map(({ payload }) => plain(payload))

  test('When a payload that was written from the documents is read, then its reader takes it', () => {
    expect(READERS).toHaveProperty(kind)
    expect(payloads).not.toEqual([])
    expect(resultOf(kind, payloads[0])).not.toHaveProperty('failed')
  })

  for (const { field, name } of Object.entries(shape.fields).flatMap(([field, { names }]) =>
    names.map((name) => ({ field, name })),
  ))
    test(`When ${name} has another name, then ${field} is read otherwise`, () => {
      const changed = payloads.filter((payload) => {
        const other = structuredClone(payload)
        if (!rename(other, shape, field, name)) return false
        const [before, after] = [resultOf(kind, payload), resultOf(kind, other)]
        if (JSON.stringify(before) !== JSON.stringify(after)) return true
        const { list, name: own } = locationOf(field)
        const ofPlace = list === null && OF_PLACE.includes(own)
        return ofPlace && JSON.stringify(storeRefOf(kind, payload)) !== JSON.stringify(storeRefOf(kind, other))
      })
      expect(changed.length, `${kind}: a payload of NAMED with ${name}, which makes a difference`).toBeGreaterThan(0)
    })
})

/** What a reader makes of it, or why it makes nothing of it. */
function resultOf(kind: string, payload: unknown): unknown {
  try {
    return { read: READERS[kind]?.(structuredClone(payload)) }
  } catch (error) {
    return { failed: String(error) }
  }
}

function ofCustomer(kind: string, payload: unknown): unknown {
  return [readCustomer(payload), readChangedAt(kind, payload), readDeleted(payload), readConsent(payload)]
}

function readReceipt(payload: unknown): unknown {
  const event = { kind: 'OmniChannelSendReceiptCreated', body: bytesOf(payload) } as Parameters<
    typeof emailReceipt.call
  >[0]
  const planned = { ...event, payload, origin: 'platform', identity: null, entity: null, receivedAt: 0 }
  return [emailReceipt.plan(planned), emailReceipt.call(event, { part: '' }, null as never)]
}

/** Gives the field another name wherever it stands: in the payload, or in each row of its list. Whether it stood anywhere. */
function rename(payload: unknown, shape: Shape, field: string, name: string): boolean {
  const { list } = locationOf(field)
  const places = list === null ? [payload] : rowsOf(payload, shape, list)
  const names = name.split('.')
  const last = names.pop() ?? ''
  const holders = places.map((place) => names.reduce(at, place))
  return holders.filter((holder) => renameKey(holder, last)).length > 0
}

function rowsOf(payload: unknown, shape: Shape, list: string): unknown[] {
  const outer = locationOf(list).list
  const places = outer === null ? [payload] : rowsOf(payload, shape, outer)
  const known: PayloadField | undefined = shape.fields[list]
  return places.flatMap((place) => {
    const found = known?.names.map((name) => name.split('.').reduce(at, place)).find(Array.isArray)
    return found ?? []
  })
}

function at(value: unknown, name: string): unknown {
  const key = keyOf(value, name)
  return key === undefined ? undefined : (value as Record<string, unknown>)[key]
}

function renameKey(holder: unknown, name: string): boolean {
  const key = keyOf(holder, name)
  if (key === undefined) return false
  const record = holder as Record<string, unknown>
  record[`${key}Renamed`] = record[key]
  delete record[key]
  return true
}

function keyOf(value: unknown, name: string): string | undefined {
  return Object.keys(Object(value)).find((key) => key.toLowerCase() === name.toLowerCase())
}

/** As it comes over the wire: what is undefined is not there. */
function plain(payload: object): unknown {
  return JSON.parse(JSON.stringify(payload))
}

test('when a settlement has a fiscal report, then its number, its counters and its counts are read', () => {
  const SAFT_ZReport = {
    reportID: '17',
    registerID: '421',
    reportReceiptNum: 40,
    reportReturnNum: '2',
    reportReturnAmnt: -349,
    reportTrainingAmnt: 120,
    reportGrandTotalSales: 10_500.5,
    reportGrandTotalReturn: '500.50',
    reportGrandTotalSalesNet: 10_000,
  }
  expect(readFiscal(pulledSettlement({ SAFT_ZReport }))).toEqual({
    number: '17',
    registerId: '421',
    counters: { sales: '10500.5', returns: '500.5', net: '10000' },
    counts: { receipts: 40, returns: 2 },
    returned: '349',
    training: '120',
  })
})

test('when a part of it cannot be read, then the rest is, and the settlement is none the worse', () => {
  const SAFT_ZReport = {
    reportID: '17',
    reportReceiptNum: 1.5,
    reportGrandTotalSales: '10.500,50',
    reportReturnNum: {},
  }
  expect(readFiscal(pulledSettlement({ SAFT_ZReport }))).toEqual({
    number: '17',
    registerId: null,
    counters: { sales: null, returns: null, net: null },
    counts: { receipts: null, returns: null },
    returned: null,
    training: null,
  })
  for (const nothing of [undefined, null, 'none', 7]) expect(readFiscal({ SAFT_ZReport: nothing })).toBeNull()
})

describe('the table of what is read of each kind', () => {
  test('When the spec names a kind, then the table says what is read of it, and what cannot be done without', () => {
    expect([...SHAPES.keys()]).toEqual(KINDS.map(({ name }) => name))
    for (const [kind, { fields, essentials, ifThere = [] }] of [...SHAPES]) {
      expect(essentials.length, kind).toBeGreaterThan(0)
      for (const name of [...essentials.flat(), ...ifThere]) expect(fields, kind).toHaveProperty([name])
      for (const name of Object.keys(fields)) {
        const { list } = locationOf(name)
        if (list !== null) expect(fields[list]?.is, `${kind}.${name}`).toBe('list')
      }
    }
  })

  test('When nobody shows a payload (spec, Events 7), then each of its fields is a guess, unless public facts name it', () => {
    const notShown = [4, 5, 6, 9, 12, 13, 14, 15, 16, 17, 20, 21, 22, 23, 24]
    for (const { number, name } of KINDS) {
      const from = new Set(Object.values(SHAPES.get(name)?.fields ?? {}).map((field) => field.from))
      if (number !== null && notShown.includes(number)) expect([...from], name).toEqual(['guess'])
      else if ([2, 3, 19].includes(number ?? 0)) expect([...from], name).toEqual(['public'])
    }
  })
})

describe('what cannot be read', () => {
  test.each([
    ['not there', { quantity: undefined }, 'quantity could not be read (quantity: not there)'],
    ['empty', { quantity: '' }, 'quantity could not be read (quantity: empty)'],
    ['of another type', { quantity: { value: 1 } }, 'quantity could not be read (quantity: an object, not a number)'],
    ['no number', { quantity: '12,50' }, 'quantity could not be read (quantity: a text, not a number)'],
    ['no time', { createdDateTime: 'soon' }, 'at could not be read (createdDateTime: a text, not a time)'],
    [
      'none of two',
      { gtin: null, sku: [] },
      'gtin or sku could not be read (gtin: not there, sku: a list, not a text)',
    ],
  ])('When an essential is %s, then it is named with what stands there, and no value of it', (_, given, expected) => {
    const event = { kind: 'StockMovementCreated', body: bytesOf(stockMovement(given)) }
    expect(() => readable(event)).toThrow(
      expect.objectContaining({
        name: 'HeldError',
        code: 'unreadable-field',
        message: expect.stringContaining(expected),
      }),
    )
  })

  test('When a row of many cannot be read, then the first such row is named', () => {
    const lines = Array.from({ length: 9 }, (_, index) => ({ gtin: '7', quantity: index < 4 ? 1 : null, price: 1 }))
    const unread = unreadOf('SaleCreated', sale({ orderLines: lines }))
    expect(unreadText('SaleCreated', unread)).toContain(
      'lines.quantity of row 5 could not be read (quantity: not there)',
    )
    expect(unread).toHaveLength(1)
  })
})

describe('the nearest records of the public API', () => {
  test('When a count comes as the API keeps its counts, then it is read, and an article that was counted in two places is one', () => {
    const countDetails = [
      { gtin: '7090012340011', externalSku: 'TEE-BLK-M', qty: 8, isValid: true, device: 'A' },
      { gtin: '7090012340028', externalSku: 'TEE-BLK-L', qty: 1, isValid: true, device: 'A' },
      { gtin: '7090012340011', externalSku: 'TEE-BLK-M', qty: 2.5, isValid: true, device: 'B' },
    ]
    const payload = { stockCountId: 8_001, dateCounted: '2026-11-20T06:00:00', extStockId: '101', countDetails }
    expect(unreadOf('StockCountReconciled', payload)).toEqual([])
    expect(readStockCount(payload)).toMatchObject({
      countId: '8001',
      stockNo: '101',
      countedAt: '2026-11-20T06:00:00',
      items: [
        { gtin: '7090012340011', quantity: '10.5' },
        { gtin: '7090012340028', quantity: '1' },
      ],
    })
  })

  test('When a row of a count is called not valid, then nobody knows whether it counts, until config says which do', () => {
    const countDetails = [
      { gtin: '7090012340011', qty: 8, isValid: true },
      { gtin: '7090012340028', qty: 1, isValid: false },
    ]
    const payload = { stockCountId: 8_001, dateCounted: '2026-11-20T06:00:00', stockId: 12, countDetails }
    expect(unreadText('StockCountReconciled', unreadOf('StockCountReconciled', payload))).toContain(
      'items of row 2 could not be read (isValid is false: whether such a row counts is not known)',
    )
    const mappings = { StockCountReconciled: { items: 'countDetails[isValid]' } }
    const read = mapped({ kind: 'StockCountReconciled', subscription: 'all' }, payload, mappings, evaluate)
    expect(unreadOf('StockCountReconciled', read)).toEqual([])
    expect(readStockCount(read).items).toMatchObject([{ gtin: '7090012340011', quantity: '8' }])
  })

  test('When a gift card comes in place of what happened with it, then its balance is not booked as a transaction', () => {
    const kind = 'GiftCardTransactionCreated'
    const place = { storeNo: '101', currency: 'NOK', createdDateTime: '2026-11-20T14:03:27' }
    const card = { id: 7, token: 'T', amount: 350, initialAmount: 600, issueSaleId: 7_001, ...place }
    expect(unreadText(kind, unreadOf(kind, card))).toContain('transactionId or amount could not be read (initialAmount')
    expect(unreadOf(kind, { ...card, transactionId: 930_001, amount: -250 })).toEqual([])
    // What the API books on a card has no currency, and no store: that stays held.
    const booked = unreadOf(kind, { id: 930_001, saleId: 7_001, amount: -250, comment: '' })
    expect(booked.map(({ fields }) => fields[0])).toEqual(['at', 'currency', 'storeNo'])
  })
})
