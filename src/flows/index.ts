import {
  bookAdjustment,
  bookCount,
  bookGiftCard,
  bookInvoice,
  bookMovement,
  bookReservation,
  bookSale,
  bookSettlement,
  bookTerminal,
  bookTransfer,
} from './back-office.ts'
import { tellConsent } from './consents.ts'
import { deleteCustomer, rememberCustomer, saveCustomer, takeCustomer, upsertCustomer } from './customers.ts'
import { createDelivery } from './deliveries.ts'
import type { Flow } from './flow.ts'
import { forgetPerson } from './forget-person.ts'
import { keepGoods, releaseGoods, releaseGoodsAfter } from './goods-keeping.ts'
import { goodsMoves } from './goods-moves.ts'
import { masterData } from './master-data.ts'
import { orderMessages } from './messages.ts'
import { mirrorFacts, mirrorStock } from './mirror.ts'
import { orderCollected } from './omnichannel/collected.ts'
import { declineGoods } from './omnichannel/declined.ts'
import { orderExpired } from './omnichannel/expired.ts'
import { createOrder, draftOrder } from './omnichannel/made.ts'
import { orderReady } from './omnichannel/ready.ts'
import { noteRefund, refundGoods } from './omnichannel/returned.ts'
import { createShipment, goodsUnpacked } from './omnichannel/shipped.ts'
import { cancelOrder, changeOrder, submitOrder } from './omnichannel/submitted.ts'
import { orderUnread } from './order-unread.ts'
import { publish } from './publish.ts'
import { publishStock } from './publish-stock.ts'
import { emailReceipt, textReceipt } from './receipts.ts'
import { bookCost, bookDelivery, bookReceived } from './received-goods.ts'
import { importSale } from './sales.ts'
import { countStock, setStock } from './stock.ts'

export { NOTHING_KNOWN } from './nothing-known.ts'

/** Every flow there is. */
export const flows: readonly Flow[] = [
  createOrder,
  draftOrder,
  // Goods that the store does not have are taken off before the rest is said to be ready, and paid.
  declineGoods,
  orderReady,
  orderCollected,
  orderExpired,
  createShipment,
  goodsUnpacked,
  refundGoods,
  noteRefund,
  orderUnread,
  ...orderMessages,
  emailReceipt,
  textReceipt,
  publish,
  ...masterData,
  setStock,
  countStock,
  createDelivery,
  ...goodsMoves,
  importSale,
  submitOrder,
  changeOrder,
  cancelOrder,
  keepGoods,
  releaseGoods,
  releaseGoodsAfter,
  saveCustomer,
  deleteCustomer,
  upsertCustomer,
  // Whoever is new there is made before their consents are told.
  tellConsent,
  rememberCustomer,
  takeCustomer,
  forgetPerson,
  publishStock,
  mirrorStock,
  mirrorFacts,
  bookSale,
  bookInvoice,
  bookSettlement,
  bookReceived,
  bookCost,
  bookDelivery,
  bookMovement,
  bookCount,
  bookAdjustment,
  bookTransfer,
  bookGiftCard,
  bookTerminal,
  bookReservation,
]
