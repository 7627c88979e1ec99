import { orderEntity } from '../domain/orders/order-entity.ts'
import { keyPart } from '../domain/queue/event.ts'
import {
  customerIdentity,
  deliveryIdentity,
  endlessAisleIdentity,
  movementIdentity,
  orderIdentity,
  type ReadIdentity,
  receiptIdentity,
  refundIdentity,
  saleIdentity,
  settlementIdentity,
} from './identity.ts'
import type { Kind } from './kind.ts'
import { COUNT, RESERVATION_ENDED, RESERVATION_MADE, TRANSFER_SENT } from './known/goods.ts'
import { ORDER_FULFILLED } from './known/kinds.ts'
import { fieldsOf } from './read-field.ts'
import { HUB_KINDS, SUBMITTED_KINDS } from './submitted-kinds.ts'

const SALE = 'store, POS, receipt number, business day'

/** All 27 kinds of the spec. */
export const KINDS: readonly Kind[] = [
  known(1, 'SaleCreated', 'immutable', saleIdentity, SALE, 'the sale', 'spec'),
  known(2, 'CustomerCreated', 'versioned', customerIdentity, 'customerId', 'the customer', 'public'),
  known(3, 'CustomerUpdated', 'versioned', customerIdentity, 'customerId', 'the customer', 'public'),
  about(4, 'DeliveryItemsReceived', 'the delivery', deliveryOf),
  about(5, 'DeliveryCompleted', 'the delivery', deliveryOf),
  unknown(6, 'InvoiceCreated'),
  known(7, 'StockMovementCreated', 'immutable', movementIdentity, 'movementId', 'the article in its stock', 'spec'),
  known(8, 'OmniChannelEndlessAisleOrderCreated', 'immutable', endlessAisleIdentity, SALE, 'the order', 'spec'),
  about(9, 'OmniChannelOrderFulfilled', 'the order', (it) => orderOf(fieldsOf(ORDER_FULFILLED, it).text('orderNo'))),
  known(10, 'OmniChannelOrderRefundUpdated', 'versioned', refundIdentity, 'refund.id', 'the order', 'spec'),
  known(11, 'OmniChannelOrderUpdated', 'versioned', orderIdentity, 'order.id', 'the order', 'spec'),
  about(12, 'ProductTransferCreated', 'the transfer', transferOf),
  about(13, 'ProductTransferReceived', 'the transfer', transferOf),
  about(14, 'ProductTransferVirtualCreated', 'the transfer', transferOf),
  about(15, 'ProductTransferVirtualReceived', 'the transfer', transferOf),
  unknown(16, 'SaleExternalCreated'),
  unknown(17, 'StockAdjustmentCreated'),
  about(18, 'StockCountReconciled', 'the count', countOf),
  known(19, 'POSSettlementCreated', 'immutable', settlementIdentity, 'settlementId', 'the settlement', 'public'),
  about(20, 'StockReservationCreated', 'the order', (it) => orderOf(fieldsOf(RESERVATION_MADE, it).text('orderNo'))),
  about(21, 'StockReservationExpired', 'the order', (it) => orderOf(fieldsOf(RESERVATION_ENDED, it).text('orderNo'))),
  unknown(22, 'BankterminalReconciliationPrinted'),
  unknown(23, 'GiftCardTransactionCreated'),
  unknown(24, 'SavedForOnlineCheckoutCreated'),
  known(
    null,
    'OmniChannelSendReceiptCreated',
    'repeatable',
    receiptIdentity,
    `${SALE}, channel, recipient`,
    'the sale',
    'spec',
  ),
  known(null, 'DeliveryCreated', 'versioned', deliveryIdentity, 'orderId', 'the delivery', 'spec'),
  known(null, 'DeliveryUpdated', 'versioned', deliveryIdentity, 'orderId', 'the delivery', 'spec'),
]

const EVERY_KIND = [...KINDS, ...SUBMITTED_KINDS, ...HUB_KINDS]

export const KIND_NAMES: readonly string[] = EVERY_KIND.map(({ name }) => name)

const byName = new Map(EVERY_KIND.map((kind) => [kind.name, kind]))

/** Null: unknown; new kinds (spec, Versioning 3) are ordinary events. */
export function kindOf(name: string): Kind | null {
  return byName.get(name) ?? null
}

function known(
  number: number | null,
  name: string,
  nature: 'immutable' | 'versioned' | 'repeatable',
  identity: ReadIdentity,
  identityText: string,
  entityText: string,
  knownFrom: 'spec' | 'public',
): Kind {
  return { name, number, nature, identity, identityText, entityText, knownFrom }
}

/** Undocumented: read by the platform's usual name. */
function about(number: number, name: string, entityText: string, entity: (payload: unknown) => string | null): Kind {
  return { ...unknown(number, name), entity, entityText }
}

function orderOf(orderNo: string | null): string | null {
  return orderNo === null ? null : orderEntity(orderNo)
}

function deliveryOf(payload: unknown): string | null {
  return deliveryIdentity(payload, '')?.entity ?? null
}

function transferOf(payload: unknown): string | null {
  const id = fieldsOf(TRANSFER_SENT, payload).text('transferId')
  return id === null ? null : `transfer:${keyPart(id)}`
}

function countOf(payload: unknown): string | null {
  const id = fieldsOf(COUNT, payload).text('countId')
  return id === null ? null : countEntity(id)
}

/** Entity of a reconciled count. */
export function countEntity(countId: string): string {
  return `stock-count:${keyPart(countId)}`
}

/** Undocumented payload: no identity is guessed. */
function unknown(number: number, name: string): Kind {
  return {
    name,
    number,
    nature: 'unknown',
    identity: null,
    identityText: 'none',
    entityText: 'none',
    knownFrom: 'none',
  }
}
