import type {
  AskedCheckout,
  AskedGiftCard,
  AskedOrder,
  AskedReceipt,
  AskedReturn,
  AskedSale,
  AskedStore,
} from './asked.ts'
import type { AskedCost, AskedDelivery, AskedReceiving } from './asked-goods.ts'
import type {
  AskedCustomer,
  AskedCustomerChange,
  AskedDecline,
  AskedImport,
  AskedOnlineOrder,
  AskedOrderReturn,
  AskedOrderStep,
} from './asked-people.ts'
import type {
  AskedAdjustment,
  AskedArrival,
  AskedCount,
  AskedRelease,
  AskedReservation,
  AskedTransfer,
} from './asked-stock.ts'

/** A deed in a few words for whoever asked for it: ids, numbers, amounts. */
export type Done = Readonly<Record<string, unknown>>

/**
 * Everything that people in stores do, and what the platform does by itself at their hands: with these, each kind of event can
 * be caused. What nobody says is chosen. What cannot be is a Refusal, and changes nothing. Each is a
 * `POST /sandbox/…` too: its name with hyphens (`sellGiftCard` is `/sandbox/sell-gift-card`).
 */
export interface Actions extends SaleActions, CustomerActions, GoodsActions, OrderActions {}

export interface SaleActions {
  /** SaleCreated and StockMovementCreated; with an invoice InvoiceCreated, with a gift card GiftCardTransactionCreated. */
  sell(asked?: AskedSale): Done
  /** SaleCreated with what came back, and StockMovementCreated. */
  returnGoods(asked?: AskedReturn): Done
  /** OmniChannelEndlessAisleOrderCreated. */
  endlessAisle(asked?: AskedOrder): Done
  /** As a sale, and OmniChannelSendReceiptCreated. */
  sendReceipt(asked?: AskedReceipt): Done
  /** SavedForOnlineCheckoutCreated. */
  saveForOnlineCheckout(asked?: AskedCheckout): Done
  /** GiftCardTransactionCreated, and SaleCreated without goods. */
  sellGiftCard(asked?: AskedGiftCard): Done
  /** SaleExternalCreated and StockMovementCreated: the web stock's. */
  importSale(asked?: AskedImport): Done
  /** BankterminalReconciliationPrinted, for each POS of the store. */
  printReconciliation(asked?: AskedStore): Done
  /** POSSettlementCreated, for each POS that sold something since. */
  closeDay(asked?: AskedStore): Done
}

export interface CustomerActions {
  /** CustomerCreated. */
  createCustomer(asked?: AskedCustomer): Done
  /** CustomerUpdated. */
  updateCustomer(asked?: AskedCustomerChange): Done
}

export interface GoodsActions {
  /** DeliveryCreated; a direct one moves its goods at once. */
  announceDelivery(asked?: AskedDelivery): Done
  /** StockMovementCreated, DeliveryUpdated, DeliveryItemsReceived; DeliveryCompleted when nothing is missing. */
  receiveDelivery(asked?: AskedReceiving): Done
  /** DeliveryUpdated. */
  changeDeliveryCost(asked?: AskedCost): Done
  /** StockCountReconciled, and StockMovementCreated where the level was another one. */
  countStock(asked?: AskedCount): Done
  /** StockAdjustmentCreated and StockMovementCreated. */
  adjustStock(asked?: AskedAdjustment): Done
  /** ProductTransferCreated, or ProductTransferVirtualCreated from or to a virtual stock; StockMovementCreated where it leaves. */
  createTransfer(asked?: AskedTransfer): Done
  /** ProductTransferReceived, or ProductTransferVirtualReceived; StockMovementCreated where it arrives. */
  receiveTransfer(asked?: AskedArrival): Done
  /** StockReservationCreated. */
  reserveStock(asked?: AskedReservation): Done
  /** StockReservationExpired, by hand. */
  releaseReservation(asked?: AskedRelease): Done
  /** StockReservationExpired: its time has run out. */
  expireReservation(asked?: AskedRelease): Done
}

export interface OrderActions {
  /** StockReservationCreated: an online order comes to a store, as by POST /api/OmniChannel. */
  placeOrder(asked?: AskedOnlineOrder): Done
  /** OmniChannelOrderUpdated (Picked): ready for pickup. */
  pickOrder(asked?: AskedOrderStep): Done
  /** OmniChannelOrderUpdated (Shipped), OmniChannelOrderFulfilled, StockMovementCreated: picked up. */
  collectOrder(asked?: AskedOrderStep): Done
  /** The same, of an order that the store ships: picked and packed. */
  packOrder(asked?: AskedOrderStep): Done
  /** OmniChannelOrderUpdated: a line, or everything (Rejected, StockReservationExpired). */
  declineOrder(asked?: AskedDecline): Done
  /** OmniChannelOrderUpdated (Expired) and StockReservationExpired. */
  expireOrder(asked?: AskedOrderStep): Done
  /** OmniChannelOrderRefundUpdated and StockMovementCreated. */
  returnOrder(asked?: AskedOrderReturn): Done
}
