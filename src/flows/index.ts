import { rememberCustomer, saveCustomer, takeCustomer, upsertCustomer } from './customers.ts'
import { createDelivery } from './deliveries.ts'
import type { Flow } from './flow.ts'
import { insertProducts, saveCosts, savePrices, saveProducts, saveProductText } from './master-data.ts'
import { orderMessages } from './messages.ts'
import {
  cancelOrder,
  changeOrder,
  createOrder,
  createShipment,
  declineGoods,
  draftOrder,
  noteRefund,
  orderCollected,
  orderExpired,
  orderReady,
  refundGoods,
  submitOrder,
} from './omnichannel.ts'
import { publish } from './publish.ts'
import { emailReceipt, textReceipt } from './receipts.ts'
import { importSale } from './sales.ts'
import { countStock, publishStock, setStock } from './stock.ts'

/** Every flow there is. */
export const flows: readonly Flow[] = [
  createOrder,
  draftOrder,
  orderReady,
  orderCollected,
  declineGoods,
  orderExpired,
  createShipment,
  refundGoods,
  noteRefund,
  ...orderMessages,
  emailReceipt,
  textReceipt,
  publish,
  saveProducts,
  insertProducts,
  saveProductText,
  savePrices,
  saveCosts,
  setStock,
  countStock,
  createDelivery,
  importSale,
  submitOrder,
  changeOrder,
  cancelOrder,
  saveCustomer,
  upsertCustomer,
  rememberCustomer,
  takeCustomer,
  publishStock,
]
