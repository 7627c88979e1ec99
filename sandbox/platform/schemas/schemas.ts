import { z } from 'zod'
import { Delivery } from './deliveries.ts'
import { ProductTransfer, StockAdjustment, StockCount } from './goods.ts'
import { OrderUpdate, RefundUpdate } from './orders.ts'
import { StockMovement } from './parts.ts'
import { Customer } from './people.ts'
import { StockReservation } from './reservations.ts'
import {
  EndlessAisle,
  GiftCardTransaction,
  Invoice,
  Receipt,
  Reconciliation,
  Sale,
  SavedBasket,
  Settlement,
} from './sales.ts'

/** The payload of each kind; where the spec and the facts show none, the shape is the sandbox's own. */
const PAYLOADS: Readonly<Record<string, z.ZodType>> = {
  SaleCreated: Sale,
  CustomerCreated: Customer,
  CustomerUpdated: Customer,
  DeliveryItemsReceived: Delivery,
  DeliveryCompleted: Delivery,
  InvoiceCreated: Invoice,
  StockMovementCreated: StockMovement,
  OmniChannelEndlessAisleOrderCreated: EndlessAisle,
  OmniChannelOrderFulfilled: OrderUpdate,
  OmniChannelOrderRefundUpdated: RefundUpdate,
  OmniChannelOrderUpdated: OrderUpdate,
  ProductTransferCreated: ProductTransfer,
  ProductTransferReceived: ProductTransfer,
  ProductTransferVirtualCreated: ProductTransfer,
  ProductTransferVirtualReceived: ProductTransfer,
  SaleExternalCreated: Sale,
  StockAdjustmentCreated: StockAdjustment,
  StockCountReconciled: StockCount,
  POSSettlementCreated: Settlement,
  StockReservationCreated: StockReservation,
  StockReservationExpired: StockReservation,
  BankterminalReconciliationPrinted: Reconciliation,
  GiftCardTransactionCreated: GiftCardTransaction,
  SavedForOnlineCheckoutCreated: SavedBasket,
  OmniChannelSendReceiptCreated: Receipt,
  DeliveryCreated: Delivery,
  DeliveryUpdated: Delivery,
}

/** The JSON Schema of a kind's payload; null: there is no such kind. */
export function schemaOf(kind: string): object | null {
  const payload = PAYLOADS[kind]
  return payload ? { ...z.toJSONSchema(payload, { target: 'draft-4' }), title: kind } : null
}
