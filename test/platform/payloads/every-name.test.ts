import { describe, expect, test } from 'vitest'
import { emailReceipt } from '../../../src/flows/messages.ts'
import { basketOrder } from '../../../src/flows/placement.ts'
import { readChangedAt, readConsent, readCustomer, readDeleted } from '../../../src/platform/payloads/customer.ts'
import {
  readDelivery,
  readMovement,
  readReservation,
  readStockAdjustment,
  readStockCount,
  readTransfer,
} from '../../../src/platform/payloads/goods.ts'
import { storeRefOf } from '../../../src/platform/payloads/kinds.ts'
import { locationOf, type PayloadField, type Shape } from '../../../src/platform/payloads/known/from.ts'
import { SHAPES } from '../../../src/platform/payloads/known/kinds.ts'
import { readOrderReturn, readOrderUpdate } from '../../../src/platform/payloads/order-update.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import {
  readFiscal,
  readGiftCardTransaction,
  readInvoice,
  readSettlement,
  readTerminalReconciliation,
} from '../../../src/platform/payloads/settlement.ts'
import { NAMED } from '../../fixtures/named-payloads.ts'
import { bytesOf, pulledSettlement } from '../../fixtures/payloads.ts'

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

describe.each(Object.entries(SHAPES))('%s', (kind, shape) => {
  const payloads = NAMED.filter(({ kinds }) => kinds.includes(kind)).map(({ payload }) => plain(payload))

  test('When a payload that was written from the documents is read, then its reader takes it', () => {
    expect(READERS).toHaveProperty(kind)
    expect(payloads).not.toEqual([])
    expect(resultOf(kind, payloads[0])).not.toHaveProperty('failed')
  })

  test.each(Object.entries(shape.fields).flatMap(([field, { names }]) => names.map((name) => ({ field, name }))))(
    'When $name has another name, then $field is read otherwise',
    ({ field, name }) => {
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
    },
  )
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
