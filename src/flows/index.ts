import { bookings } from './back-office.ts'
import {
  deleteCustomer,
  forgetPerson,
  rememberCustomer,
  saveCustomer,
  takeCustomer,
  tellConsent,
  upsertCustomer,
} from './customers.ts'
import type { Flow } from './flow.ts'
import { goodsMoves, masterData, stockLevels } from './master-data.ts'
import { emailReceipt, orderMessages, textReceipt } from './messages.ts'
import { mirrorFacts, mirrorStock } from './mirror.ts'
import {
  createShipment,
  declineGoods,
  goodsUnpacked,
  noteRefund,
  orderCollected,
  orderExpired,
  orderReady,
  refundGoods,
} from './omnichannel/fulfilment.ts'
import { cancelOrder, changeOrder, createOrder, draftOrder, submitOrder } from './omnichannel/placement.ts'
import { orderUnread } from './omnichannel/update.ts'
import { publish, publishStock } from './publish.ts'
import { bookCost, bookDelivery, bookReceived } from './received-goods.ts'

export const flows: readonly Flow[] = [
  createOrder,
  draftOrder,
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
  ...stockLevels,
  ...goodsMoves,
  submitOrder,
  changeOrder,
  cancelOrder,
  saveCustomer,
  deleteCustomer,
  upsertCustomer,
  // New customers are created before their consents.
  tellConsent,
  rememberCustomer,
  takeCustomer,
  forgetPerson,
  publishStock,
  mirrorStock,
  mirrorFacts,
  ...bookings,
  bookReceived,
  bookCost,
  bookDelivery,
]
