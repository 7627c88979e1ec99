/**
 * `tillbridge/adapter`: what a package imports of Tillbridge; folders and customers' texts stand beside it. What is exported here
 * changes with the version of Tillbridge alone, by semantic versioning; a package says in its `peerDependencies` which it works with.
 */

// Back offices: what may be written of a posting
export { BOOKING_NAMES, type BookingName, type BookingPlace, type Bookings } from '../domain/accounting/bookings.ts'
export type { Address, Customer, Sale, SaleLine } from '../domain/accounting/sale.ts'
// Shops: orders, customers and articles that are found again in a shop of another make
export { isSameArticle, ofArticle } from '../domain/catalogue/article-number.ts'

// Ports, and what their methods are given
export type { Reconciled } from '../domain/completeness/reconciled.ts'
export type { CustomerQuery } from '../domain/customers/customer-query.ts'
export type { CustomerConsent, CustomerRecord } from '../domain/customers/customer-record.ts'
export { idOfPosOrder, idsOfOrder, type Link, sortOfLink } from '../domain/orders/link.ts'
export type { FoundOrder, FoundOrderLine, PosOrder } from '../domain/orders/order.ts'
export { severalReferences } from '../domain/orders/order.ts'
export type { OrderLineUpdate, OrderReturn, OrderUpdate, Shipment } from '../domain/orders/order-update.ts'
export { ambiguous, type Goods, goodsOf, holdsGoods, lacksGoods, mustCompare } from '../domain/orders/which-order.ts'
export type { ErasedCustomer } from '../domain/privacy/notice.ts'
export { keyOfFirst, MAY_REPEAT } from '../domain/queue/delivery.ts'
export { adviceOn } from '../domain/queue/outcome.ts'
// How a call ends, and what it is told
export {
  asError,
  isItemError,
  isNotFound,
  messageOf,
  PermanentError,
  RefusedTogetherError,
  RetryLaterError,
  UnknownOutcomeError,
  UserError,
} from '../domain/values/errors.ts'
export { field, isId, type Texts, text } from '../domain/values/field.ts'
export { formatInstant, type Instant, utcDay } from '../domain/values/instant.ts'
// Money, texts, instants
export {
  addMoney,
  allocateMoney,
  amountText,
  compareDecimals,
  type Decimal,
  equalMoney,
  type Money,
  money,
  moneyText,
  multiplyDecimals,
  multiplyMoney,
  otherCurrency,
  parseDecimal,
  roundMoney,
  subtractDecimals,
  subtractMoney,
  sumDecimals,
  sumMoney,
  toNumber,
  ZERO,
} from '../domain/values/money.ts'
export { phoneOf } from '../domain/values/phone.ts'
export { digestOf, foldBytes, folded, isWithin, pluralize, storableText } from '../domain/values/text.ts'
export { chunksOf } from '../lib/collections.ts'
// HTTP, and sockets of your own
export { createLookup, literalFault } from '../lib/http/address-guard.ts'
export {
  createHttpClient,
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  type HttpResult,
  targetOf,
  USER_AGENT,
} from '../lib/http/http.ts'
export {
  createMask,
  describeRefusal,
  isCode,
  jsonTextOf,
  listsFaults,
  plainTls,
  refusesCertificate,
  retryAfter,
  textOf as bodyText,
  unsentCode,
} from '../lib/http/http-verdict.ts'
export { isDecodable, withoutEnd } from '../lib/http/url.ts'
export { parseWithIds } from '../lib/json.ts'
export { type ExpressionFault, evaluate, isNoFunction, syntaxFault } from '../lib/jsonata.ts'
export { orElse } from '../lib/or-else.ts'
export { createPool, type Pool, type PooledConnection } from '../lib/pool.ts'
// Options, and what doctor finds
export { checkedText, choice, Off, On, secret, Text } from '../lib/schema.ts'
export { orLeave } from '../lib/semaphore.ts'
export { suggest } from '../lib/suggest.ts'
export {
  type Attempt,
  type BackOfficeCall,
  type BackOfficePort,
  type Batch,
  type BatchItem,
  type BatchResult,
  type Call,
  type CustomerMessage,
  type CustomersPort,
  type Effect,
  type EmailPort,
  type GivenOrder,
  type GivenRecord,
  type HealthFinding,
  type Intake,
  type IntakeEnd,
  type IntakeItem,
  type IntakeLine,
  type IntakePage,
  type IntakeRequest,
  type LevelPage,
  mayStillLand,
  ORDER_MESSAGES,
  type OrderMessage,
  type OrderMessageType,
  type OrderNumber,
  type OrdersCall,
  type OrdersPort,
  type OwnNotice,
  type Ports,
  type PublishedEvent,
  type PublishPort,
  type Question,
  type ReceiptMessage,
  type ReconcileOrders,
  type ReconcileRecords,
  type RefundCall,
  type ReturnedGoods,
  refundedOrder,
  type SentParcel,
  type StockLevel,
  type StockPort,
  type TextsPort,
} from '../ports/ports.ts'
// What an adapter is
export { type Adapter, type AdapterContext, type AdapterInstance, defineAdapter, type FoundFiles } from './adapter.ts'
export { clockFound, failureFound, isRefusal } from './shared/health-check.ts'
export {
  createAnswerCheck,
  reach,
  reached,
  retryRead,
  statusLine,
  uncertainUnlessNotDone,
} from './shared/http-errors.ts'
export { addressFault, ownHeaders, SET_BY_CONNECTION } from './shared/http-options.ts'
export {
  decimals,
  eachKind,
  fields,
  isList,
  kindOf,
  type Leaf,
  methodOf,
  type Parts,
  type RecordKind,
  type Shape,
  type ShapeOf,
  sale,
  shapeAt,
  shapeOf,
  texts,
  valueAt,
} from './shared/records.ts'
export {
  accountFor,
  accountsToErase,
  CLOCKS,
  type Contact,
  candidatesOf,
  createKeySearch,
  createOrderPoll,
  customerRecord,
  describeLine,
  findArticles,
  formatSeconds,
  foundAddress,
  foundCustomer,
  given,
  isAgain,
  isOfAnother,
  type KeySearch,
  leftToAnother,
  lineNameOf,
  orderAddress,
  orderCustomer,
  ordersBySteps,
  piecesOf,
  type ReconciledOrder,
  type Step as OrderStep,
  saleCustomer,
  savedCustomer,
  since,
  tallyOrders,
  theOrder,
  type WantedArticle,
  waysOfPayment,
} from './shared/shop.ts'
