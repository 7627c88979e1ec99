import type {
  NamedCustomer,
  SubmittedCancellation,
  SubmittedCorrection,
  SubmittedCostPrice,
  SubmittedCustomer,
  SubmittedDeletion,
  SubmittedDelivery,
  SubmittedOrder,
  SubmittedPrice,
  SubmittedPriceEnd,
  SubmittedProduct,
  SubmittedProductText,
  SubmittedSale,
  SubmittedStockCount,
  SubmittedStockLevel,
  SubmittedTransfer,
} from '../domain/catalogue/submitted.ts'
import type { Attempt, Batch, BatchResult, CallOf, Effect } from './attempt.ts'

export interface PlatformPort {
  upsertProducts(batch: Batch<SubmittedProduct>): Promise<BatchResult>
  insertProducts(batch: Batch<SubmittedProduct>): Promise<BatchResult>
  saveProductText(text: SubmittedProductText, attempt: Attempt): Promise<Effect>
  savePrices(batch: Batch<SubmittedPrice>): Promise<BatchResult>
  /** Of one currency. Links `product` by extId to productId where it was looked up. */
  saveCosts(batch: Batch<SubmittedCostPrice>): Promise<BatchResult>
  setStock(batch: Batch<SubmittedStockLevel>): Promise<BatchResult>
  countStock(count: SubmittedStockCount, attempt: Attempt): Promise<Effect>
  createDelivery(delivery: SubmittedDelivery, attempt: Attempt): Promise<Effect>
  importSale(sale: SubmittedSale, attempt: Attempt): Promise<Effect>
  createOrder(order: SubmittedOrder, attempt: Attempt): Promise<Effect>
  /** Replaces the order as long as no store has begun with it. */
  changeOrder(order: SubmittedOrder, attempt: Attempt): Promise<Effect>
  /** An order that is not there is cancelled already. */
  cancelOrder(order: SubmittedCancellation, attempt: Attempt): Promise<Effect>
  /** Reserves what the order says now, where the platform does not itself. Links `kept` by orderNo to the stock. */
  keepGoods?(order: SubmittedOrder, attempt: Attempt): Promise<Effect>
  /** Without stock: wherever goods were reserved for the order. */
  releaseGoods?(order: { orderNo: string; stockId?: string }, attempt: Attempt): Promise<Effect>
  saveCustomer(customer: SubmittedCustomer, attempt: Attempt): Promise<Effect>
  /** The product, one of its GTINs, or all of them. What is not there is deleted already. */
  deleteProduct(deletion: SubmittedDeletion, attempt: Attempt): Promise<Effect>
  /** Ends one price; others of the product in that list stay. */
  endPrice(end: SubmittedPriceEnd, attempt: Attempt): Promise<Effect>
  transferGoods(transfer: SubmittedTransfer, attempt: Attempt): Promise<Effect>
  correctStock(correction: SubmittedCorrection, attempt: Attempt): Promise<Effect>
  deleteCustomer(customer: NamedCustomer, attempt: Attempt): Promise<Effect>
  /** Only for `createOrder`; null: not there. */
  find(attempt: Attempt, call: PlatformCall): Promise<Effect | null>
}

export type PlatformCall = CallOf<'platform', PlatformPort, Exclude<keyof PlatformPort, 'find'>>
