import type { BookingName, Bookings } from '../domain/accounting/bookings.ts'
import type { Sale } from '../domain/accounting/sale.ts'
import type { MirrorFact } from '../domain/catalogue/mirror.ts'
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
import type { Reconciled } from '../domain/completeness/reconciled.ts'
import type { CustomerQuery } from '../domain/customers/customer-query.ts'
import type { CustomerConsent, CustomerRecord } from '../domain/customers/customer-record.ts'
import type { Link } from '../domain/orders/link.ts'
import type { FoundOrder, PosOrder } from '../domain/orders/order.ts'
import type { OrderLineUpdate, OrderReturn, OrderUpdate, Shipment } from '../domain/orders/order-update.ts'
import type { PlacedOrder } from '../domain/orders/which-order.ts'
import type { ErasedCustomer } from '../domain/privacy/notice.ts'
import { MAY_STILL_LAND } from '../domain/queue/delivery.ts'
import { UnknownOutcomeError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Decimal } from '../domain/values/money.ts'

/** What flows may need of an outside system; an adapter gives those that its system can serve. */
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

/** A call as data: decided by a flow, executed by the worker (or recorded, with `dryRun`). */
export type Call =
  | PublishCall
  | OrdersCall
  | CustomersCall
  | StockCall
  | MessageCall
  | MirrorCall
  | BackOfficeCall
  | PlatformCall

export interface MirrorPort {
  save(batch: Batch<MirrorFact>): Promise<BatchResult>
  find?(attempt: Attempt, call: MirrorCall): Promise<Effect | null>
}

type MirrorCall = { port: 'mirror'; method: 'save'; argument: MirrorFact }

export interface PublishedEvent {
  kind: string
  body: Uint8Array
  /** Written by the hub in the form of a webhook, from the platform's lists. */
  pulled?: true
  receivedAt: Instant
}

export interface PublishPort {
  publish(event: PublishedEvent, attempt: Attempt): Promise<Effect>
  /** Only for systems that do not deduplicate by key themselves. */
  find?(attempt: Attempt): Promise<Effect | null>
}

type PublishCall = { port: 'publish'; method: 'publish'; argument: PublishedEvent }

export interface OrdersPort extends Partial<ReconcileOrders> {
  /** Creates a paid order. Links `order` by `idOfPosOrder`. */
  create?(order: PosOrder, attempt: Attempt): Promise<Effect>
  /** Keeps a basket to pay online: a draft order or a cart. Links `draft` by its number. */
  draft?(basket: PosOrder, attempt: Attempt): Promise<Effect>
  ready?(order: OrderUpdate, attempt: Attempt): Promise<Effect>
  collected?(order: OrderUpdate, attempt: Attempt): Promise<Effect>
  /** Declined goods: the customer is informed and refunded. */
  decline?(declined: DeclinedGoods, attempt: Attempt): Promise<Effect>
  expire?(order: OrderNumber, attempt: Attempt): Promise<Effect>
  ship?(parcel: SentParcel, attempt: Attempt): Promise<Effect>
  /** Returned in a store; the shop must refund. Links `refund`. */
  refund?(returned: ReturnedGoods, attempt: Attempt): Promise<Effect>
  /** Returned in a store, which refunded: noted only. */
  noteRefund?(returned: ReturnedGoods, attempt: Attempt): Promise<Effect>
  /** For a waiting POS (spec, "Order lookup in an external OMS"). */
  search?(number: string, question: Question): Promise<FoundOrder[]>
  /** Refunds with the key of a call made more than once. Throws PermanentError or HeldError if its order is ambiguous. */
  countRefunds?(call: RefundCall, attempt: Attempt): Promise<number>
  /** The effect of an attempt in doubt (completed if half done); null: not there. Throws PermanentError `cannot-find`. */
  find?(attempt: Attempt, call: OrdersCall): Promise<Effect | null>
}

/** Of several orders with one number, the goods tell. */
export interface OrderNumber {
  number: string
  lines: OrderLineUpdate[]
}

/** `quantity`: besides what was sent to this system before. */
export interface DeclinedGoods {
  order: OrderUpdate
  line: OrderLineUpdate
  quantity: Decimal
}

export interface SentParcel {
  order: OrderUpdate
  parcel: Shipment
}

/** `quantity`: besides what was sent to this system before. */
export interface ReturnedGoods {
  refund: OrderReturn
  line: OrderLineUpdate
  quantity: Decimal
}

export type OrdersCall = CallOf<
  'orders',
  OrdersPort,
  'create' | 'draft' | 'ready' | 'collected' | 'decline' | 'expire' | 'ship' | 'refund' | 'noteRefund'
>

export type RefundCall = Extract<OrdersCall, { method: 'decline' | 'expire' | 'refund' | 'noteRefund' }>

export function isRefundCall(call: OrdersCall): call is RefundCall {
  return REFUND_METHODS.has(call.method)
}

export const REFUND_METHODS: ReadonlySet<string> = new Set<RefundCall['method']>([
  'decline',
  'expire',
  'refund',
  'noteRefund',
])

export function refundedOrder({ method, argument }: RefundCall): OrderNumber {
  if (method === 'decline') return argument.order
  return method === 'expire' ? argument : argument.refund
}

export interface CustomersPort {
  /** Creates or updates. Links `customer` by customerId. */
  upsert?(customer: CustomerRecord, attempt: Attempt): Promise<Effect>
  /** Consents; the newest counts. Links as `upsert` does. */
  noteConsent?(consent: CustomerConsent, attempt: Attempt): Promise<Effect>
  /** Deleted on the platform; of the hub's directory only. */
  drop?(customer: { customerId: string }, attempt: Attempt): Promise<Effect>
  /** Buyers, for lookups: fills up what is known. */
  remember?(batch: Batch<CustomerRecord>): Promise<BatchResult>
  take?(batch: Batch<CustomerRecord>): Promise<BatchResult>
  /** Personal data goes or becomes the pseudonym; accounting records stay. */
  erase?(customer: ErasedCustomer, attempt: Attempt): Promise<Effect>
  /** By exactly this e-mail address or phone number, for a waiting POS. */
  search?(query: CustomerQuery, question: Question): Promise<CustomerRecord[]>
  find?(attempt: Attempt, call: CustomersCall): Promise<Effect | null>
}

type CustomersCall = CallOf<'customers', CustomersPort, Exclude<keyof CustomersPort, 'search' | 'find'>>

export interface StockPort {
  setLevels?(batch: Batch<StockLevel>): Promise<BatchResult>
  /** The shop's own levels at a location, by page (null: the first). Only what it counts. */
  readLevels?(location: string, page: string | null, question: Question): Promise<LevelPage>
  find?(attempt: Attempt, call: StockCall): Promise<Effect | null>
}

export interface LevelPage {
  levels: { gtin: string | null; sku: string | null; level: Decimal }[]
  next: string | null
  unread?: readonly string[]
}

export interface StockLevel {
  location: string
  gtin: string
  sku: string | null
  level: Decimal
}

type StockCall = CallOf<'stock', StockPort, 'setLevels'>

export type BackOfficePort = {
  [Name in BookingName]?: (batch: Batch<Bookings[Name]>) => Promise<BatchResult>
} & Partial<ReconcileRecords> & {
    /** The record of an attempt in doubt; null: not there. */
    find?(attempt: Attempt, call: BackOfficeCall): Promise<Effect | null>
  }

export type BackOfficeCall = CallOf<'backOffice', BackOfficePort, BookingName>

export interface ReceiptMessage {
  type: 'receipt'
  sale: Sale
  to: string
  name: string | null
  /** Spec, "signatureInfo". */
  signature: { signature: string; keyVersion: string | null } | null
}

export const ORDER_MESSAGES = ['ready', 'collected', 'declined', 'expired'] as const
export type OrderMessageType = (typeof ORDER_MESSAGES)[number]

export interface OrderMessage {
  type: OrderMessageType
  order: PlacedOrder
  goods: { name: string | null; gtin: string | null; quantity: Decimal } | null
  to: string
  name: string | null
}

export type CustomerMessage = ReceiptMessage | OrderMessage

export interface EmailPort {
  send(message: CustomerMessage, attempt: Attempt): Promise<Effect>
  find?(attempt: Attempt, call: MessageCall): Promise<Effect | null>
}

export type TextsPort = EmailPort
type MessageCall = { port: 'email' | 'texts'; method: 'send'; argument: CustomerMessage }

/** An alarm that began or is over. No personal data, no secret. */
export interface OwnNotice {
  key: string
  kind: 'AlarmBegan' | 'AlarmOver' | 'AlarmTest'
  urgent: boolean
  subject: string
  text: string
  facts: object
  to: readonly string[]
}

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

/** What a system acknowledged, to be counted there afterwards. `keys`: of its attempts, the first and those repeated. */
interface Given {
  keys: readonly [string, ...string[]]
  givenAt: Instant
}

export interface GivenRecord extends Given {
  method: BookingName
}

export interface GivenOrder extends Given {
  order: PosOrder
  /** Its known external ids. */
  links: readonly Link[]
  /** First of several calls: the system may have it twice under one key. */
  calledAgainSince?: Instant
}

export interface ReconcileRecords {
  reconcile(given: readonly GivenRecord[], question: Question): Promise<Reconciled[]>
}

export interface ReconcileOrders {
  reconcile(given: readonly GivenOrder[], question: Question): Promise<Reconciled[]>
}

export interface Attempt {
  /** Names the effect for ever: it survives retry, replay, renaming and rerouting. Send it as the idempotency key. */
  key: string
  /** How the last try ended; `open`: in doubt. */
  previous: 'none' | 'failed' | 'open'
  /** By this machine's clock, never later than now; null on the first. */
  firstTriedAt: Instant | null
  /** An unanswered call may still take effect: `find` throws `mayStillLand()` instead of making something. */
  mayStillLand?: boolean
  signal: AbortSignal
  /** This destination's ids of our things, by kind (`order` …) and our ids. */
  links(kind: string, ids: string[]): Promise<Link[]>
}

export function mayStillLand(): UnknownOutcomeError {
  return new UnknownOutcomeError('an earlier call may still take effect', { code: MAY_STILL_LAND })
}

export interface Effect {
  links?: Omit<Link, 'destination'>[]
  note?: string
  /** GTINs whose stock the system changed by itself (a cancelled order): their levels are sent again. */
  movedStock?: string[]
}

export interface Question {
  signal: AbortSignal
  /** The system's ids of the known orders with this number (a web order, one of a POS). */
  theirIds?: string[]
}

/** All attempts of a call share one signal. */
export interface BatchItem<Argument> {
  argument: Argument
  attempt: Attempt
}

export type Batch<Argument> = readonly BatchItem<Argument>[]

/** In the order of the batch: an effect, or the error of that item alone. */
export type BatchResult = (Effect | Error)[]

export interface HealthFinding {
  /** A noun that adapters share: `connection`, `credentials`, `rights`, `stock`, `webhooks`, `folder …`, `table …`. */
  what: string
  /** `note`: no action needed. `unknown`: it could not be asked. */
  state: 'ok' | 'note' | 'problem' | 'unknown'
  says: string
  todo?: string
}

type ArgumentOf<Method> = Method extends (first: infer First, ...rest: never[]) => unknown
  ? First extends Batch<infer Argument>
    ? Argument
    : First
  : never

type CallOf<Name extends string, Port, Method extends keyof Port> = {
  [M in Method]-?: { port: Name; method: M; argument: ArgumentOf<NonNullable<Port[M]>> }
}[Method]

/** An own system pushes its orders, sales and customers (`verify`, `read`), or is polled. */
export interface Intake {
  /** True for an unsigned trial of the webhook. */
  isPing?(request: IntakeRequest): boolean
  /** True if the system sent this request to `/intake/{destination}`: from the raw body, in constant time. */
  verify?(request: IntakeRequest): boolean
  /** Items of a verified request. Throws an Error that says why it cannot be read. */
  read?(request: IntakeRequest): IntakeItem[] | Promise<IntakeItem[]>
  /** A page since the last poll's cursor (null: the first). */
  poll?(cursor: string | null, question: Question): Promise<IntakePage>
  /** A page was durably taken; `ends` in the order of its items. */
  taken?(page: IntakePage, ends: readonly IntakeEnd[], question: Question): Promise<void>
}

export interface IntakePage {
  items: IntakeItem[]
  cursor: string
  more: boolean
  /** What a person must put right in the system. */
  problem?: string
}

/** `refused`: nothing that can be taken; `faults` say why. */
export interface IntakeEnd {
  status: 'accepted' | 'duplicate' | 'conflict' | 'quarantined' | 'nothing' | 'refused'
  faults: readonly string[]
}

export interface IntakeRequest {
  headers: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  body: Uint8Array
}

/** What `POST /v1/{resource}` takes. */
export interface IntakeItem {
  /** `cancellations`: of orders. Master data, stock and deliveries are lines of NDJSON of `/v1`. */
  resource: 'orders' | 'cancellations' | 'sales' | 'customers' | IntakeLine
  /** Refused rather than quarantined if it cannot be taken. */
  refusable?: true
  faults?: readonly string[]
  /** Permanent name of this state: its id and change time. */
  key: string
  /** The system's id of the order, to be linked; null: its number. */
  theirId: string | null
  /** The store in the system's own word, mapped by `intake.stores` in config. */
  place: string | null
  value: Record<string, unknown>
  /** ISO 8601 with zone: older than what is known of the order is ignored. Absent: newer than all before. */
  changedAt?: string
  /** ISO 8601 with zone: orders completed before the system was connected are no sales. Absent: it counts. */
  completedAt?: string
}

export type IntakeLine = 'products' | 'prices' | 'cost-prices' | 'stock-adjustments' | 'goods-deliveries'
