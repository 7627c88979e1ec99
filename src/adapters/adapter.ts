import type { z } from 'zod'
import type { BookingName, Bookings } from '../domain/bookings.ts'
import type { CustomerQuery } from '../domain/customer-query.ts'
import type { CustomerRecord } from '../domain/customer-record.ts'
import type { FoundOrder } from '../domain/found-order.ts'
import type { Instant } from '../domain/instant.ts'
import type { Link } from '../domain/link.ts'
import type { MirrorFact } from '../domain/mirror.ts'
import type { Decimal } from '../domain/money.ts'
import type { TillOrder } from '../domain/order.ts'
import type { OrderLineUpdate, OrderReturn, OrderUpdate, Shipment } from '../domain/order-update.ts'
import type { PlacedOrder } from '../domain/placed-order.ts'
import type { Sale } from '../domain/sale.ts'
import type {
  NamedCustomer,
  SubmittedCancellation,
  SubmittedConsent,
  SubmittedCorrection,
  SubmittedCostPrice,
  SubmittedCustomer,
  SubmittedDeletion,
  SubmittedDelivery,
  SubmittedOrder,
  SubmittedPoints,
  SubmittedPrice,
  SubmittedPriceEnd,
  SubmittedProduct,
  SubmittedProductText,
  SubmittedRedemption,
  SubmittedSale,
  SubmittedStockCount,
  SubmittedStockLevel,
  SubmittedTransfer,
  SubmittedVoucher,
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
  /** UTF-8 JSON: of a webhook, the body as the platform sent it, unchanged. */
  body: Uint8Array
  /** The platform did not send it: the hub wrote it in the form of a webhook, of what it read in the platform's lists. */
  pulled?: true
  /** When the hub took it. */
  receivedAt: Instant
}

export interface PublishPort {
  publish(event: PublishedEvent, attempt: Attempt): Promise<Effect>
  /** Whether the effect of this key is already there. Only for systems that do not deduplicate by key themselves. */
  find?(attempt: Attempt): Promise<Effect | null>
}

/**
 * Orders of an online shop or OMS: each method is one effect. What the system cannot do is left out, and nothing is owed to
 * it then. An order is known by its number; `attempt.links('order', idsOfOrder(number))` gives the system's own ids, where the
 * hub knows them: of orders that it created there, and of those that the system submitted. There may be several (a web order,
 * and one of a till): then the goods tell which is meant, or it throws a HeldError (domain/which-order.ts).
 */
export interface OrdersPort {
  /** Creates a paid order. The effect links `order` by `idOfTillOrder` to the system's own id. */
  create?(order: TillOrder, attempt: Attempt): Promise<Effect>
  /** Keeps a basket for the customer to pay online: a draft order, or a link to a cart. Links `draft` by its number. */
  draft?(basket: TillOrder, attempt: Attempt): Promise<Effect>
  /** It lies ready in the store: the customer can be told. */
  ready?(order: OrderUpdate, attempt: Attempt): Promise<Effect>
  /** The customer has it: the payment can be captured. */
  collected?(order: OrderUpdate, attempt: Attempt): Promise<Effect>
  /** The store declined goods: the customer is informed, and what was reserved for them is given back. */
  decline?(declined: DeclinedGoods, attempt: Attempt): Promise<Effect>
  /** Nobody fetched it in time: the order is off. */
  expire?(order: OrderNumber, attempt: Attempt): Promise<Effect>
  /** The store has sent a parcel. Links `shipment` by its id. */
  ship?(parcel: SentParcel, attempt: Attempt): Promise<Effect>
  /** Goods came back in a store, and the shop must give the money back. Links `refund`. */
  refund?(returned: ReturnedGoods, attempt: Attempt): Promise<Effect>
  /** Goods came back in a store, which gave the money back: to be noted, not to be paid again. */
  noteRefund?(returned: ReturnedGoods, attempt: Attempt): Promise<Effect>
  /** Orders with this number, for a till that waits (spec, "Order lookup in an external OMS"). None: not found. */
  search?(number: string, question: Question): Promise<FoundOrder[]>
  /**
   * Whether the effect of an earlier, uncertain attempt of this key and call is there (made whole if it was left half done);
   * null: it is not. Throws a PermanentError `cannot-find` for a call whose effect cannot be looked for.
   */
  find?(attempt: Attempt, call: Call): Promise<Effect | null>
}

/** What an order is known by: its number, and where several have that, its goods. */
export interface OrderNumber {
  number: string
  /** As the event has them; none: it names none. */
  lines: OrderLineUpdate[]
}

/** So many of a line that the store does not have, besides those that this system was told of before. */
export interface DeclinedGoods {
  order: OrderUpdate
  line: OrderLineUpdate
  quantity: Decimal
}

export interface SentParcel {
  order: OrderUpdate
  parcel: Shipment
}

/** So many of a line that came back, besides those that this system was told of before. */
export interface ReturnedGoods {
  refund: OrderReturn
  line: OrderLineUpdate
  quantity: Decimal
}

/** Customers of a CRM or online shop. */
export interface CustomersPort {
  /** Creates or updates. Links `customer` by the platform's customerId to the system's own id. */
  upsert?(customer: CustomerRecord, attempt: Attempt): Promise<Effect>
  /** Keeps who bought something, for lookups: what is known already is filled up, not replaced. */
  remember?(batch: Batch<CustomerRecord>): Promise<BatchResult>
  /** Keeps who was imported, for lookups: what is given replaces what was known. */
  take?(batch: Batch<CustomerRecord>): Promise<BatchResult>
  /** Customers with exactly this e-mail address or phone number, for a till that waits. */
  search?(query: CustomerQuery, question: Question): Promise<CustomerRecord[]>
  find?(attempt: Attempt, call: Call): Promise<Effect | null>
}

/** A question of a till: nobody waits for the answer after the signal. */
export interface Question {
  signal: AbortSignal
  /** Of an order: what the system itself calls those of the number that the hub knows (a web order, one of a till). */
  theirIds?: string[]
}

/** The stock of an online shop. */
export interface StockPort {
  /** Levels, each of one article in one stock. */
  setLevels?(batch: Batch<StockLevel>): Promise<BatchResult>
  /**
   * What the shop itself says that it has at one of its locations now, a page at a time (null: the first page, and the last
   * one's `next`). Only what it counts.
   */
  readLevels?(location: string, page: string | null, question: Question): Promise<LevelPage>
  find?(attempt: Attempt, call: Call): Promise<Effect | null>
}

export interface LevelPage {
  /** Known by one of the two at least. */
  levels: { gtin: string | null; sku: string | null; level: Decimal }[]
  /** Names the next page; null: this was the last one. */
  next: string | null
}

/** How many of an article can be sold: a level, not a difference. */
export interface StockLevel {
  /** Where from, in the destination's own word (its `stocks` and `channels` in config). */
  location: string
  gtin: string
  sku: string | null
  level: Decimal
}

/** A message to a customer: a digital receipt. */
export interface ReceiptMessage {
  type: 'receipt'
  sale: Sale
  /** An e-mail address, or a phone number with its country prefix. */
  to: string
  /** The customer's name, as the till has it. */
  name: string | null
  /** XML of print lines, as it came (spec, "receiptFormatted"); null where it is empty. */
  formatted: string | null
  /** Of the receipt, as it came (spec, "signatureInfo"); null where there is none. */
  signature: { signature: string; keyVersion: string | null } | null
}

/** What customers can be told about their order, where a destination is to (`messages` in config). */
export const ORDER_MESSAGES = ['ready', 'collected', 'declined', 'expired'] as const
export type OrderMessageType = (typeof ORDER_MESSAGES)[number]

/** A message to a customer about an online order. */
export interface OrderMessage {
  type: OrderMessageType
  order: PlacedOrder
  /** Of a declined message: what the store does not have. */
  goods: { name: string | null; gtin: string | null; quantity: Decimal } | null
  /** An e-mail address, or a phone number in E.164. */
  to: string
  name: string | null
}

export type CustomerMessage = ReceiptMessage | OrderMessage

interface EmailPort {
  send(message: CustomerMessage, attempt: Attempt): Promise<Effect>
  find?(attempt: Attempt, call: Call): Promise<Effect | null>
}

export interface TextsPort {
  send(message: CustomerMessage, attempt: Attempt): Promise<Effect>
  find?(attempt: Attempt, call: Call): Promise<Effect | null>
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

/**
 * An ERP, accounts, or what BI reads: each method takes records of one kind, one or several at once. A record may come twice
 * (after a crash, or because nobody answered): `attempt.key` is the same then. What the system cannot do is left out.
 */
export type BackOfficePort = {
  [Name in BookingName]?: (batch: Batch<Bookings[Name]>) => Promise<BatchResult>
} & {
  /** Whether the record of an earlier, uncertain attempt of this key is there; null: it is not. */
  find?(attempt: Attempt, call: Call): Promise<Effect | null>
}

/** The hub's own copy of platform facts: later ones take the place of earlier ones, in whatever order they come. */
export interface MirrorPort {
  save(batch: Batch<MirrorFact>): Promise<BatchResult>
  find?(attempt: Attempt, call: Call): Promise<Effect | null>
}

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
  /** The whole order in place of what is there, as long as no store has begun with it. */
  changeOrder(order: SubmittedOrder, attempt: Attempt): Promise<Effect>
  /** It disappears from the tills, when the platform has said so. One that is known not to be there (any more) is cancelled already. */
  cancelOrder(order: SubmittedCancellation, attempt: Attempt): Promise<Effect>
  /** Goods are kept in the stock of the order, as many as it says now. Only of a platform that keeps none by itself. Links `kept` by orderNo to the stock. */
  keepGoods?(order: SubmittedOrder, attempt: Attempt): Promise<Effect>
  /** None of them are kept any more, where the order was placed, or, if that is not told, wherever goods were kept for it. */
  releaseGoods?(order: { orderNo: string; stockId?: string }, attempt: Attempt): Promise<Effect>
  /** Links `customer` by extId to the platform's customer id. */
  saveCustomer(customer: SubmittedCustomer, attempt: Attempt): Promise<Effect>
  /** The product, or one of its GTINs, or all of them. What is known not to be there (any more) is deleted already. */
  deleteProduct(deletion: SubmittedDeletion, attempt: Attempt): Promise<Effect>
  /** A price of a list ends now; other prices that the product has there stay. */
  endPrice(end: SubmittedPriceEnd, attempt: Attempt): Promise<Effect>
  /** Links `transfer` by extRef to the platform's id. */
  transferGoods(transfer: SubmittedTransfer, attempt: Attempt): Promise<Effect>
  correctStock(correction: SubmittedCorrection, attempt: Attempt): Promise<Effect>
  /** One that is known not to be there (any more) is deleted already. */
  deleteCustomer(customer: NamedCustomer, attempt: Attempt): Promise<Effect>
  noteConsent(consent: SubmittedConsent, attempt: Attempt): Promise<Effect>
  bookBonus(points: SubmittedPoints, attempt: Attempt): Promise<Effect>
  /** Nothing is taken off a card that has less than that left, or that the platform cannot tell of. */
  redeemGiftCard(redemption: SubmittedRedemption, attempt: Attempt): Promise<Effect>
  redeemVoucher(voucher: SubmittedVoucher, attempt: Attempt): Promise<Effect>
  /**
   * Only for `createOrder`: the order that an earlier attempt created; null: there is none. And for `createDelivery`: null where
   * it may be sent again, a PermanentError `cannot-find` where it may not.
   */
  find(attempt: Attempt, call: Call): Promise<Effect | null>
}

/** Everything a flow may need of an outside system. An adapter gives the ports that its system can serve. */
export interface Ports {
  publish?: PublishPort
  orders?: OrdersPort
  customers?: CustomersPort
  stock?: StockPort
  email?: EmailPort
  texts?: TextsPort
  platform?: PlatformPort
  backOffice?: BackOfficePort
  mirror?: MirrorPort
}

export type PortName = keyof Ports

/** One call on a port, as data: what a flow decides and the worker carries out (or records, with `dryRun`). */
export type Call =
  | { port: 'publish'; method: 'publish'; argument: PublishedEvent }
  | OrdersCall
  | { port: 'customers'; method: 'upsert' | 'remember' | 'take'; argument: CustomerRecord }
  | { port: 'stock'; method: 'setLevels'; argument: StockLevel }
  | { port: 'email'; method: 'send'; argument: CustomerMessage }
  | { port: 'texts'; method: 'send'; argument: CustomerMessage }
  | { port: 'mirror'; method: 'save'; argument: MirrorFact }
  | BackOfficeCall
  | PlatformCall

export type BackOfficeCall = {
  [Name in BookingName]: { port: 'backOffice'; method: Name; argument: Bookings[Name] }
}[BookingName]

export type OrdersCall =
  | { port: 'orders'; method: 'create' | 'draft'; argument: TillOrder }
  | { port: 'orders'; method: 'ready' | 'collected'; argument: OrderUpdate }
  | { port: 'orders'; method: 'decline'; argument: DeclinedGoods }
  | { port: 'orders'; method: 'expire'; argument: OrderNumber }
  | { port: 'orders'; method: 'ship'; argument: SentParcel }
  | { port: 'orders'; method: 'refund' | 'noteRefund'; argument: ReturnedGoods }

/** Those of the first group are carried out for several at once. */
type PlatformCall =
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
  | { port: 'platform'; method: 'noteConsent'; argument: SubmittedConsent }
  | { port: 'platform'; method: 'bookBonus'; argument: SubmittedPoints }
  | { port: 'platform'; method: 'redeemGiftCard'; argument: SubmittedRedemption }
  | { port: 'platform'; method: 'redeemVoucher'; argument: SubmittedVoucher }

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
  intake?: Intake
  /** It takes many records of the books in one call gladly: they wait a moment for each other. */
  gathers?: true
  /**
   * Looks at the system for `doctor` and `check --online`: whether it is reached, knows our key, grants what the ports need, and
   * is laid out as config says. Changes nothing there, sends nobody anything, and ends when the signal is aborted. Rejects as a
   * call does where it gets no further; whoever asks uses `lookAt` (examine.ts), which makes a finding of that.
   */
  examine?(question: Question): Promise<Examined[]>
}

/** One thing that an adapter looked at in its system. */
export interface Examined {
  /**
   * What was looked at, as a noun that all adapters share: `connection`, `credentials`, `rights`, `version`, `clock`, `channel`,
   * `folder …`, `table …`.
   */
  what: string
  /** `note`: worth knowing, and nobody needs to act. `unknown`: it could not be asked. */
  state: 'ok' | 'note' | 'problem' | 'unknown'
  /** What was found, in a sentence without secrets. */
  says: string
  /** What a person does about it. */
  todo?: string
}

/** How an own system hands its orders, sales and customers over: it pushes them (`verify`, `read`), or is asked (`poll`). */
export interface Intake {
  /**
   * Whether the system itself sent this request to `/intake/{destination}`: from the raw body, in constant time. Without it,
   * the hub takes none.
   */
  verify?(request: IntakeRequest): boolean
  /**
   * What a verified request says; nothing: it is none of ours (a ping). It may ask the system, within seconds: what a signature does
   * not cover (a topic in a header) proves nothing. Throws an Error that says why it cannot be read.
   */
  read?(request: IntakeRequest): IntakeItem[] | Promise<IntakeItem[]>
  /** What is new since the cursor that the last poll gave (null: the first); a page at a time. */
  poll?(cursor: string | null, question: Question): Promise<IntakePage>
  /**
   * A page has been taken, durably: what became of each of its items, in their order. Its cursor is kept after this; before
   * that, the same page may come again.
   */
  taken?(page: IntakePage, ends: readonly IntakeEnd[], question: Question): Promise<void>
}

export interface IntakePage {
  items: IntakeItem[]
  cursor: string
  more: boolean
}

/** What became of an item. `refused`: it says nothing that can be taken, and `faults` why. */
export interface IntakeEnd {
  status: 'accepted' | 'duplicate' | 'conflict' | 'quarantined' | 'nothing' | 'refused'
  faults: readonly string[]
}

export interface IntakeRequest {
  /** In lower case. */
  headers: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  body: Uint8Array
}

/**
 * One thing that an own system hands over: what `POST /v1/{resource}` takes. An order that the hub has seen is a change
 * where it says something else than before, and nothing else.
 */
export interface IntakeItem {
  /** `cancellations`: an order that is off. Of master data, stock and deliveries, the value is a line of NDJSON of `/v1`. */
  resource: 'orders' | 'cancellations' | 'sales' | 'customers' | IntakeLine
  /** What cannot be taken is refused, and `taken` says why: it is not kept in quarantine. */
  refusable?: true
  /** What the adapter itself finds wrong with it: it is not taken. */
  faults?: readonly string[]
  /** What names this state of it for ever, so that it counts once: its id and when it was changed. */
  key: string
  /** The system's own id of the order, for the link to its number; null: they are the same. */
  theirId: string | null
  /** Its store in the system's own word (of a pickup location, for example): `intake.stores` in config says which it is. */
  place: string | null
  /** The object, in the form of /v1, without the store. */
  value: Record<string, unknown>
  /**
   * When the system changed it last (ISO 8601 with its zone): what is older than what the hub has of the order already, because
   * it was late or is sent again, is nothing. Left out: it is newer than all that came before it.
   */
  changedAt?: string
}

export type IntakeLine = 'products' | 'prices' | 'cost-prices' | 'stock-adjustments' | 'deliveries'

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
