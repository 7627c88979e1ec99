import { saveCustomer } from './customers.ts'
import { createDelivery } from './deliveries.ts'
import type { Flow } from './flow.ts'
import { insertProducts, saveCosts, savePrices, saveProducts, saveProductText } from './master-data.ts'
import { createOrder, submitOrder } from './omnichannel.ts'
import { publish } from './publish.ts'
import { emailReceipt, textReceipt } from './receipts.ts'
import { importSale } from './sales.ts'
import { countStock, setStock } from './stock.ts'

/** Every flow there is. */
export const flows: readonly Flow[] = [
  createOrder,
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
  saveCustomer,
]
