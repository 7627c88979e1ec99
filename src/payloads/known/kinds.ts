import type { Shape } from './from.ts'
import {
  ADJUSTMENT,
  COUNT,
  DELIVERY,
  DELIVERY_NOT_SHOWN,
  MOVEMENT,
  RESERVATION_ENDED,
  RESERVATION_MADE,
  TRANSFER_RECEIVED,
  TRANSFER_SENT,
} from './goods.ts'
import { CUSTOMER, NEW_CUSTOMER, ORDER_FULFILLED, ORDER_UPDATE, REFUND_UPDATE } from './orders.ts'
import {
  BASKET,
  ENDLESS_AISLE,
  GIFT_CARD,
  INVOICE,
  RECEIPT,
  SALE,
  SALE_FROM_OUTSIDE,
  SETTLEMENT,
  TERMINAL,
} from './sales.ts'

/** The fields that the hub reads of each of the 27 kinds, and where they are known from. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  SaleCreated: SALE,
  CustomerCreated: NEW_CUSTOMER,
  CustomerUpdated: CUSTOMER,
  DeliveryItemsReceived: DELIVERY_NOT_SHOWN,
  DeliveryCompleted: DELIVERY_NOT_SHOWN,
  InvoiceCreated: INVOICE,
  StockMovementCreated: MOVEMENT,
  OmniChannelEndlessAisleOrderCreated: ENDLESS_AISLE,
  OmniChannelOrderFulfilled: ORDER_FULFILLED,
  OmniChannelOrderRefundUpdated: REFUND_UPDATE,
  OmniChannelOrderUpdated: ORDER_UPDATE,
  ProductTransferCreated: TRANSFER_SENT,
  ProductTransferReceived: TRANSFER_RECEIVED,
  ProductTransferVirtualCreated: TRANSFER_SENT,
  ProductTransferVirtualReceived: TRANSFER_RECEIVED,
  SaleExternalCreated: SALE_FROM_OUTSIDE,
  StockAdjustmentCreated: ADJUSTMENT,
  StockCountReconciled: COUNT,
  POSSettlementCreated: SETTLEMENT,
  StockReservationCreated: RESERVATION_MADE,
  StockReservationExpired: RESERVATION_ENDED,
  BankterminalReconciliationPrinted: TERMINAL,
  GiftCardTransactionCreated: GIFT_CARD,
  SavedForOnlineCheckoutCreated: BASKET,
  OmniChannelSendReceiptCreated: RECEIPT,
  DeliveryCreated: DELIVERY,
  DeliveryUpdated: DELIVERY,
}

/** The fields that the hub reads of a kind; null: it knows nothing of it. */
export function shapeOf(kind: string): Shape | null {
  return Object.hasOwn(SHAPES, kind) ? (SHAPES[kind] ?? null) : null
}

/** Kinds with a field that is guessed, in the order of the spec. */
export const GUESSED_KINDS: readonly string[] = Object.entries(SHAPES)
  .filter(([, { fields }]) => Object.values(fields).some(({ from }) => from === 'guess'))
  .map(([kind]) => kind)
