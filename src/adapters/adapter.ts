import type { z } from 'zod'
import type { Instant } from '../domain/instant.ts'
import type { Link } from '../domain/link.ts'
import type { TillOrder } from '../domain/order.ts'
import type { Sale } from '../domain/sale.ts'
import type {
  SubmittedCostPrice,
  SubmittedCustomer,
  SubmittedDelivery,
  SubmittedOrder,
  SubmittedPrice,
  SubmittedProduct,
  SubmittedProductText,
  SubmittedSale,
  SubmittedStockCount,
  SubmittedStockLevel,
} from '../domain/submitted.ts'

/** What an adapter is told about the attempt that it carries out. */
export interface Attempt {
  /** Names the effect for ever: it survives retry, replay, renaming and rerouting. Send it as the idempotency key. */
  key: string
  /** How the last try ended: there was `none`, it `failed` for certain, or it is `open` (it may have had its effect). */
  previous: 'none' | 'failed' | 'open'
  /** When the first try of this delivery began; null on the first. */
  firstTriedAt: Instant | null
  /** Aborted when the lane's timeout is over: stop, and throw. */
  signal: AbortSignal
  /** What this destination is known to call our things, by kind (`order` …) and our ids. */
  links(kind: string, ids: string[]): Promise<Link[]>
}

/** What a successful effect leaves behind. */
export interface Effect {
  /** Ids that came back, without the destination: the worker adds it. */
  links?: Omit<Link, 'destination'>[]
  /** A short fact for the timeline (`202 Accepted`). No secret, no personal data. */
  note?: string
}

/** The raw event, for a system that wants everything (a bus, a warehouse, the retailer's own service). */
export interface PublishedEvent {
  kind: string
  /** The body as the platform sent it: UTF-8 JSON, unchanged. */
  body: Uint8Array
  /** When the hub took it. */
  receivedAt: Instant
}

export interface PublishPort {
  publish(event: PublishedEvent, attempt: Attempt): Promise<Effect>
  /** Whether the effect of this key is already there. Only for systems that do not deduplicate by key themselves. */
  find?(attempt: Attempt): Promise<Effect | null>
}

/** Orders of an online shop or OMS. */
export interface OrdersPort {
  /** Creates a paid order. The effect links `order` by the order's number to the system's own id. */
  create(order: TillOrder, attempt: Attempt): Promise<Effect>
  /** The order that an earlier attempt of this key created, made whole if it was left half done; null: there is none. */
  find?(attempt: Attempt): Promise<Effect | null>
}

/** A message to a customer: a digital receipt. */
export interface ReceiptMessage {
  type: 'receipt'
  sale: Sale
  /** An e-mail address, or a phone number with its country prefix. */
  to: string
  /** The customer's name, as the till has it. */
  name: string | null
}

interface EmailPort {
  send(message: ReceiptMessage, attempt: Attempt): Promise<Effect>
  find?(attempt: Attempt): Promise<Effect | null>
}

export interface TextsPort {
  send(message: ReceiptMessage, attempt: Attempt): Promise<Effect>
  find?(attempt: Attempt): Promise<Effect | null>
}

/** One effect of a call that carries several. All attempts of a call share one signal. */
export interface BatchItem<Argument> {
  argument: Argument
  attempt: Attempt
}

export type Batch<Argument> = readonly BatchItem<Argument>[]

/**
 * What became of each of a batch, in its order: an effect, or the error that it alone ended with. A RefusedTogetherError
 * says that which one is at fault is not known: those that have it are sent again in halves. What is thrown holds for all.
 */
export type BatchResult = (Effect | Error)[]

/** The platform as a destination: what own systems submit is carried there. */
export interface PlatformPort {
  /** Creates or updates products. */
  upsertProducts(batch: Batch<SubmittedProduct>): Promise<BatchResult>
  /** Creates those that are new and leaves the others as they are. */
  insertProducts(batch: Batch<SubmittedProduct>): Promise<BatchResult>
  /** Description and images, nothing else. */
  saveProductText(text: SubmittedProductText, attempt: Attempt): Promise<Effect>
  /** Prices of one list. */
  savePrices(batch: Batch<SubmittedPrice>): Promise<BatchResult>
  /** Cost prices of one currency; links `product` by extId to the platform's productId where it had to be asked for. */
  saveCosts(batch: Batch<SubmittedCostPrice>): Promise<BatchResult>
  /** Levels of one stock. */
  setStock(batch: Batch<SubmittedStockLevel>): Promise<BatchResult>
  /** A complete count: what is not in it becomes 0. */
  countStock(count: SubmittedStockCount, attempt: Attempt): Promise<Effect>
  /** Links `delivery` by extRef to the platform's order id. */
  createDelivery(delivery: SubmittedDelivery, attempt: Attempt): Promise<Effect>
  /** Obtains or creates the customer first. Links `sale` by saleGuid, `customer` by extId. */
  importSale(sale: SubmittedSale, attempt: Attempt): Promise<Effect>
  /** Links `order` by orderNo to the platform's order id. */
  createOrder(order: SubmittedOrder, attempt: Attempt): Promise<Effect>
  /** Links `customer` by extId to the platform's customer id. */
  saveCustomer(customer: SubmittedCustomer, attempt: Attempt): Promise<Effect>
  /** The order that an earlier attempt created; null: there is none. Only for `createOrder`. */
  find(attempt: Attempt, call: Call): Promise<Effect | null>
}

/** Everything a flow may need of an outside system. An adapter gives the ports that its system can serve. */
export interface Ports {
  publish?: PublishPort
  orders?: OrdersPort
  email?: EmailPort
  texts?: TextsPort
  platform?: PlatformPort
}

export type PortName = keyof Ports

/** One call on a port, as data: what a flow decides and the worker carries out (or records, with `dryRun`). */
export type Call =
  | { port: 'publish'; method: 'publish'; argument: PublishedEvent }
  | { port: 'orders'; method: 'create'; argument: TillOrder }
  | { port: 'email'; method: 'send'; argument: ReceiptMessage }
  | { port: 'texts'; method: 'send'; argument: ReceiptMessage }
  | PlatformCall

/** Those of the first group are carried out for several at once. */
export type PlatformCall =
  | { port: 'platform'; method: 'upsertProducts' | 'insertProducts'; argument: SubmittedProduct }
  | { port: 'platform'; method: 'savePrices'; argument: SubmittedPrice }
  | { port: 'platform'; method: 'saveCosts'; argument: SubmittedCostPrice }
  | { port: 'platform'; method: 'setStock'; argument: SubmittedStockLevel }
  | { port: 'platform'; method: 'saveProductText'; argument: SubmittedProductText }
  | { port: 'platform'; method: 'countStock'; argument: SubmittedStockCount }
  | { port: 'platform'; method: 'createDelivery'; argument: SubmittedDelivery }
  | { port: 'platform'; method: 'importSale'; argument: SubmittedSale }
  | { port: 'platform'; method: 'createOrder'; argument: SubmittedOrder }
  | { port: 'platform'; method: 'saveCustomer'; argument: SubmittedCustomer }

/**
 * What the hub lends an adapter.
 * @public for adapters of the operator's own
 */
export interface AdapterContext {
  /** The operator's name of the destination. */
  destination: string
  /** The lane's timeout in milliseconds: what the adapter sets on its sockets. */
  timeout: number
  /** How many calls the lane makes at once: how many connections are worth keeping. */
  concurrency: number
}

/** A destination's adapter at work. Disposing it closes every socket it opened. */
export interface AdapterInstance extends AsyncDisposable {
  ports: Ports
}

/** One kind of outside system. */
export interface Adapter<Options extends z.ZodObject = z.ZodObject> {
  name: string
  /** Keys that an operator writes under the destination. Secrets are marked with `secret()` of lib/secret.ts. */
  options: Options
  create(options: z.output<Options>, context: AdapterContext): AdapterInstance
}

/** Gives an adapter its types; the adapter's file exports the result as its default. */
export function defineAdapter<Options extends z.ZodObject>(adapter: Adapter<Options>): Adapter<Options> {
  return adapter
}
