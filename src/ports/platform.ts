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
import type { Attempt, Batch, BatchResult, Effect } from './attempt.ts'

export interface PlatformPort {
  upsertProducts(batch: Batch<SubmittedProduct>): Promise<BatchResult>
  insertProducts(batch: Batch<SubmittedProduct>): Promise<BatchResult>
  saveProductText(text: SubmittedProductText, attempt: Attempt): Promise<Effect>
  savePrices(batch: Batch<SubmittedPrice>): Promise<BatchResult>
  /** Cost prices of one currency; links `product` by extId to the platform's productId where it had to be asked for. */
  saveCosts(batch: Batch<SubmittedCostPrice>): Promise<BatchResult>
  setStock(batch: Batch<SubmittedStockLevel>): Promise<BatchResult>
  countStock(count: SubmittedStockCount, attempt: Attempt): Promise<Effect>
  createDelivery(delivery: SubmittedDelivery, attempt: Attempt): Promise<Effect>
  importSale(sale: SubmittedSale, attempt: Attempt): Promise<Effect>
  createOrder(order: SubmittedOrder, attempt: Attempt): Promise<Effect>
  /** The whole order in place of what is there, as long as no store has begun with it. */
  changeOrder(order: SubmittedOrder, attempt: Attempt): Promise<Effect>
  /** The order disappears from the tills, once the platform has said so. An order that is known not to be there (any more) is cancelled already. */
  cancelOrder(order: SubmittedCancellation, attempt: Attempt): Promise<Effect>
  /** Goods are kept in the stock of the order, as many as it says now. Only of a platform that keeps none by itself. Links `kept` by orderNo to the stock. */
  keepGoods?(order: SubmittedOrder, attempt: Attempt): Promise<Effect>
  /** Goods of an order are not kept any more, where the order was placed, or, if that is not told, wherever goods were kept for it. */
  releaseGoods?(order: { orderNo: string; stockId?: string }, attempt: Attempt): Promise<Effect>
  saveCustomer(customer: SubmittedCustomer, attempt: Attempt): Promise<Effect>
  /** The product, or one of its GTINs, or all of them. What is known not to be there (any more) is deleted already. */
  deleteProduct(deletion: SubmittedDeletion, attempt: Attempt): Promise<Effect>
  /** A price of a list ends now; other prices that the product has there stay. */
  endPrice(end: SubmittedPriceEnd, attempt: Attempt): Promise<Effect>
  transferGoods(transfer: SubmittedTransfer, attempt: Attempt): Promise<Effect>
  correctStock(correction: SubmittedCorrection, attempt: Attempt): Promise<Effect>
  deleteCustomer(customer: NamedCustomer, attempt: Attempt): Promise<Effect>
  /** Only for `createOrder`: the order that an earlier attempt created; null: there is none. */
  find(attempt: Attempt, call: PlatformCall): Promise<Effect | null>
}

export type PlatformCall =
  | { port: 'platform'; method: 'upsertProducts' | 'insertProducts'; argument: SubmittedProduct }
  | { port: 'platform'; method: 'savePrices'; argument: SubmittedPrice }
  | { port: 'platform'; method: 'saveCosts'; argument: SubmittedCostPrice }
  | { port: 'platform'; method: 'setStock'; argument: SubmittedStockLevel }
  | { port: 'platform'; method: 'saveProductText'; argument: SubmittedProductText }
  | { port: 'platform'; method: 'countStock'; argument: SubmittedStockCount }
  | { port: 'platform'; method: 'createDelivery'; argument: SubmittedDelivery }
  | { port: 'platform'; method: 'importSale'; argument: SubmittedSale }
  | { port: 'platform'; method: 'createOrder' | 'changeOrder'; argument: SubmittedOrder }
  | { port: 'platform'; method: 'keepGoods'; argument: SubmittedOrder }
  | { port: 'platform'; method: 'cancelOrder'; argument: SubmittedCancellation }
  | { port: 'platform'; method: 'releaseGoods'; argument: { orderNo: string; stockId?: string } }
  | { port: 'platform'; method: 'saveCustomer'; argument: SubmittedCustomer }
  | { port: 'platform'; method: 'deleteProduct'; argument: SubmittedDeletion }
  | { port: 'platform'; method: 'endPrice'; argument: SubmittedPriceEnd }
  | { port: 'platform'; method: 'transferGoods'; argument: SubmittedTransfer }
  | { port: 'platform'; method: 'correctStock'; argument: SubmittedCorrection }
  | { port: 'platform'; method: 'deleteCustomer'; argument: NamedCustomer }
