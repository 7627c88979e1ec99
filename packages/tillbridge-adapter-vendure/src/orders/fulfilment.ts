import {
  type Attempt,
  type Effect,
  mayStillLand,
  PermanentError,
  type RefundCall,
  RetryLaterError,
  type ReturnedGoods,
  refundedOrder,
  type SentParcel,
} from 'tillbridge/adapter'
import { addNote, readOrder, runOrder, type Shop, type ShopStep, type Step } from '../shop.ts'
import { orderOf } from './read-orders.ts'
import {
  hasMark,
  hasMarkedNote,
  lineOf,
  marked,
  notPaid,
  ourCancellations,
  pieces,
  priceOf,
  refundable,
  type ShopOrder,
  type ShopPayment,
  surplus,
  unfulfilled,
} from './shop-order.ts'

export const tellReady: ShopStep<'ready'> = async (shop, update, attempt, find) => {
  const { readyNote: note } = shop.options
  const order = await orderOf(shop, update, attempt)
  const isNoted = order.history.items.some(({ isPublic, data }) => isPublic && data.note === note)
  if (find && !isNoted) return null
  if (!isNoted) await addNote(shop, order, { note, isPublic: true }, attempt)
  return { note: `order ${order.code}: ${isNoted ? 'the customer was told before' : 'a note for the customer'}` }
}

/** The parcel's id becomes the tracking code. */
export const shipParcel: ShopStep<'ship'> = async (shop, { order: update, parcel }, attempt, find) => {
  const named = await orderOf(shop, update, attempt)
  const isThere = ({ trackingCode }: { trackingCode?: string | null | undefined }) => trackingCode === parcel.id
  if (find && !named.fulfillments.some(isThere)) return null
  const { order, fact } = await capture(shop, named, attempt)
  const before = order.fulfillments.find(isThere)
  const how = { method: 'Shipped from store', trackingCode: parcel.id }
  const sent = before ?? (await fulfil(shop, linesOf(shop, order, parcel), how, attempt))
  if (sent.state === 'Created' || sent.state === 'Pending') await move(shop, sent.id, 'Shipped', attempt)
  return {
    links: [{ kind: 'shipment', id: parcel.id, theirId: sent.id }],
    note: `order ${order.code}, ${fact}, fulfilment ${sent.id}${before ? ', there before' : ''}`,
  }
}

export const markCollected: ShopStep<'collected'> = async (shop, update, attempt, find) => {
  const found = await orderOf(shop, update, attempt)
  if (find && !isDelivered(found)) return null
  if (found.state === 'Cancelled') return { note: `order ${found.code}: left as it is: Cancelled` }
  const { order, fact } = await capture(shop, found, attempt)
  const lines = order.lines.flatMap((line) => {
    const quantity = unfulfilled(line)
    return quantity > 0 ? [{ orderLineId: line.id, quantity }] : []
  })
  if (lines.length > 0) await fulfil(shop, lines, { method: 'Collected in store', trackingCode: null }, attempt)
  const now = lines.length > 0 ? ((await readOrder(shop, order.id, attempt)) ?? order) : order
  const unfinished = unfinishedFulfillments(now)
  for (const { id } of unfinished) await move(shop, id, 'Delivered', attempt)
  return { note: `order ${order.code}, ${fact}, ${unfinished.length} delivered` }
}

/** Payments prove nothing: many shops take them at once. */
function isDelivered(order: ShopOrder): boolean {
  const { fulfillments, lines } = order
  if (fulfillments.length === 0 || unfinishedFulfillments(order).length > 0) return false
  return order.state !== 'Cancelled' && lines.every((line) => unfulfilled(line) === 0)
}

const DECLINED = 'Declined by the store'

/** A reserved payment is paid back once it is taken. */
export const declineGoods: ShopStep<'decline'> = async (
  shop,
  { order: update, line: declined, quantity },
  attempt,
  find,
) => {
  const order = await orderOf(shop, update, attempt)
  if (find && !wasCancelled(order, attempt.key)) return null
  const line = lineOf(order, declined, shop.options)
  const lines = [{ orderLineId: line.id, quantity: pieces(quantity) }]
  const after = wasCancelled(order, attempt.key)
    ? order
    : await cancel(shop, order, { lines, reason: marked(DECLINED, attempt.key) }, attempt)
  const what = `order ${order.code}: ${quantity} declined`
  if (after.state === 'Cancelled') return { note: `${what}, ${await returnAll(shop, after, DECLINED, attempt)}` }
  if (takenOf(after) === 0) return { note: `${what}, nothing was taken yet` }
  const before = refundedBy(after, attempt.key)
  const price = priceOf(order, line, pieces(quantity))
  // A collection may have paid it back.
  const amount = after === order ? Math.min(price, before + Math.max(0, surplus(order))) : price
  const { payments } = after
  const refunds = await payBack(shop, after, { lines: [], amount, reason: DECLINED, payments }, attempt)
  return { note: `${what}, ${describeRefunds(refunds)}` }
}

export const expireOrder: ShopStep<'expire'> = async (shop, named, attempt, find) => {
  const order = await orderOf(shop, named, attempt)
  if (find && !wasCancelled(order, attempt.key)) return null
  const reason = 'Not collected in time'
  const after =
    order.state === 'Cancelled'
      ? order
      : await cancel(shop, order, { cancelShipping: true, reason: marked(reason, attempt.key) }, attempt)
  return { note: `order ${order.code}: cancelled, ${await returnAll(shop, after, reason, attempt)}` }
}

export const refundGoods: ShopStep<'refund'> = async (shop, returned, attempt, find) => {
  const { refund, line: goods, quantity } = returned
  const order = await orderOf(shop, refund, attempt)
  if (find && refundsOf(order, attempt.key).length === 0) return null
  const line = lineOf(order, goods, shop.options)
  const count = pieces(quantity)
  const money = {
    lines: [{ orderLineId: line.id, quantity: count }],
    amount: priceOf(order, line, count),
    reason: reasonOf(returned),
    payments: order.payments,
  }
  const refunds = await payBack(shop, order, money, attempt)
  return effectOf(order, returned, refunds)
}

/** A settled refund if no payment service is involved, else a note. */
export const noteRefund: ShopStep<'noteRefund'> = async (shop, returned, attempt, find) => {
  const { refund, line: goods, quantity } = returned
  const order = await orderOf(shop, refund, attempt)
  if (find && !hasMarkedNote(order, attempt.key) && refundsOf(order, attempt.key).length === 0) return null
  const line = lineOf(order, goods, shop.options)
  const count = pieces(quantity)
  const payments: ShopPayment[] = []
  for (const payment of order.payments)
    if (!(await isOfService(shop, payment.method, attempt.signal))) payments.push(payment)
  if (payments.length < order.payments.length || payments.length === 0) {
    const note = marked(
      `${reasonOf(returned)}: ${quantity} × ${line.productVariant.name}. The POS paid it back.`,
      attempt.key,
    )
    if (!hasMarkedNote(order, attempt.key)) await addNote(shop, order, { note, isPublic: false }, attempt)
    return { note: `order ${order.code}: noted` }
  }
  const money = {
    lines: [{ orderLineId: line.id, quantity: count }],
    amount: priceOf(order, line, count),
    reason: `${reasonOf(returned)}, paid back by the POS`,
    payments,
  }
  const refunds = await payBack(shop, order, money, attempt)
  for (const { id, state } of refunds)
    if (state === 'Pending') {
      const input = { id, transactionId: refund.refundId }
      await shop.api.run(shop.operations.settleRefund, { input }, attempt.signal)
    }
  const settled = refunds.map((one) => ({ ...one, state: 'Settled' }))
  return effectOf(order, returned, settled)
}

export async function requireManualMethod(shop: Shop, signal: AbortSignal): Promise<void> {
  const { paymentMethod: code } = shop.options
  if (shop.known.has(code) || !(await isOfService(shop, code, signal))) return void shop.known.add(code)
  throw new PermanentError(
    `${shop.api.destination}: ${code} is a payment method of the shop: give paymentMethod in config another name`,
    { code: 'payment-method-taken' },
  )
}

async function isOfService({ api, operations }: Shop, code: string, signal: AbortSignal): Promise<boolean> {
  const options = { filter: { code: { eq: code } }, take: 1 }
  return (await api.run(operations.paymentMethods, { options }, signal)).totalItems > 0
}

/** Several payments have a refund each: the most for one payment. */
export async function countRefunds(shop: Shop, call: RefundCall, attempt: Attempt): Promise<number> {
  const { payments } = await orderOf(shop, refundedOrder(call), attempt)
  return Math.max(0, ...payments.map((payment) => refundsOf({ payments: [payment] }, attempt.key).length))
}

/** The goods leave: reserved payments are taken, declined goods paid back. Throws PermanentError `payment-not-taken`. */
async function capture(shop: Shop, order: ShopOrder, step: Step): Promise<{ order: ShopOrder; fact: string }> {
  const reserved = order.payments.some(({ state }) => state === 'Authorized')
  const paid = await takePayments(shop, order, step)
  requirePaid(shop, paid)
  const fact = reserved ? 'payment taken' : 'no payment to take'
  // After a failed attempt, cancellations show what was declined.
  if (surplus(paid) <= 0 || !(reserved || ourCancellations(paid).length > 0)) return { order: paid, fact }
  const before = refundedBy(paid, step.key)
  const { payments } = paid
  const money = { lines: [], amount: before + surplus(paid), reason: 'Declined by the store', payments }
  return { order: paid, fact: `${fact}, ${describeRefunds(await payBack(shop, paid, money, step))}` }
}

/** Throws a RetryLaterError if something stays reserved. */
async function takePayments(shop: Shop, order: ShopOrder, step: Step): Promise<ShopOrder> {
  const reserved = order.payments.filter(isReserved)
  if (reserved.length === 0) return order
  const { api, operations } = shop
  for (const { id } of reserved)
    await api.attempt(operations.settlePayment, { id }, ['SETTLE_PAYMENT_ERROR'], step.signal)
  const now = (await readOrder(shop, order.id, step)) ?? order
  const left = now.payments.filter(isReserved)
  if (left.length === 0) return now
  throw refusedFor(shop, now, left, { verb: 'did not take', code: 'vendure-settle-payment-error' })
}

function requirePaid({ api, amounts }: Shop, order: ShopOrder): void {
  const missing = notPaid(order)
  if (missing === 0) return
  const { code, currencyCode, totalWithTax, payments } = order
  const shown = (amount: number) => `${amounts.decimal(amount)} ${currencyCode}`
  const states = payments.map(({ id, state }) => `${id} ${state}`).join(', ')
  throw new PermanentError(
    `${api.destination}: order ${code} costs ${shown(totalWithTax)}, and ${shown(missing)} of it was not taken (payments: ${states}), but the goods leave. Look at the payment service, get the money in another way, enter it in the shop as a manual payment of the order, then retry this.`,
    { code: 'payment-not-taken' },
  )
}

/** The number of released payments; `Error` may still be reserved. Throws a RetryLaterError if one stays. */
async function releasePayments(shop: Shop, order: ShopOrder, step: Step): Promise<number> {
  const { api, operations } = shop
  const reserved = order.payments.filter((payment) => isReserved(payment) || mayBeReserved(order, payment))
  const left: ShopPayment[] = []
  for (const payment of reserved) {
    const { id } = payment
    const isReleased = await api.attempt(operations.cancelPayment, { id }, ['CANCEL_PAYMENT_ERROR'], step.signal)
    if (!isReleased) left.push(payment)
  }
  if (left.length === 0) return reserved.length
  throw refusedFor(shop, order, left, { verb: 'did not release', code: 'vendure-cancel-payment-error' })
}

function isReserved({ state }: ShopPayment): boolean {
  return state === 'Authorized'
}

/** Not if it failed at once. */
function mayBeReserved({ history }: ShopOrder, { id, state }: ShopPayment): boolean {
  if (state !== 'Error') return false
  const moves = history.items.filter(({ type, data }) => type === PAYMENT_MOVED && String(data.paymentId) === id)
  return !moves.some(({ data }) => data.from === 'Created' && data.to === 'Error')
}

const PAYMENT_MOVED = 'ORDER_PAYMENT_TRANSITION'

function refusedFor(
  { api, amounts }: Shop,
  { code: number, currencyCode }: ShopOrder,
  left: readonly ShopPayment[],
  { verb, code }: { verb: string; code: string },
): RetryLaterError {
  const sum = amounts.decimal(left.reduce((total, { amount }) => total + amount, 0))
  const ids = left.map(({ id }) => id).join(', ')
  return new RetryLaterError(
    `${api.destination}: the payment service ${verb} ${sum} ${currencyCode} of order ${number} (payment ${ids}). It is tried again; if it goes on failing, look at the payment service.`,
    { code },
  )
}

type Lines = { orderLineId: string; quantity: number }[]

function linesOf(shop: Shop, order: ShopOrder, { id, items }: SentParcel['parcel']): Lines {
  const left = new Map(order.lines.map((line) => [line.id, unfulfilled(line)]))
  return items.flatMap(({ gtin, quantity }) => {
    const { productVariant } = lineOf(order, { rowId: null, gtin }, shop.options)
    let rest = pieces(quantity)
    const same = order.lines.filter((line) => line.productVariant.id === productVariant.id)
    const taken = same.flatMap((line) => {
      const part = Math.min(rest, left.get(line.id) ?? 0)
      rest -= part
      left.set(line.id, (left.get(line.id) ?? 0) - part)
      return part > 0 ? [{ orderLineId: line.id, quantity: part }] : []
    })
    if (rest === 0) return taken
    throw new PermanentError(
      `${shop.api.destination}: the parcel ${id} has ${rest} of ${gtin} more than is left of order ${order.code}`,
      { code: 'parcel-too-large' },
    )
  })
}

async function fulfil(
  { api, operations, options }: Shop,
  lines: Lines,
  { method, trackingCode }: { method: string; trackingCode: string | null },
  { signal }: Step,
): Promise<{ id: string; state: string }> {
  const texts = [
    { name: 'method', value: method },
    { name: 'trackingCode', value: trackingCode },
  ]
  const given = texts.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
  const input = { lines, handler: { code: options.fulfillmentHandler, arguments: given } }
  return await api.run(operations.fulfil, { input }, signal)
}

function unfinishedFulfillments({ fulfillments }: ShopOrder) {
  return fulfillments.filter(({ state }) => state !== 'Delivered' && state !== 'Cancelled')
}

async function move({ api, operations }: Shop, id: string, state: string, { signal }: Step): Promise<void> {
  await api.run(operations.transitionFulfilment, { id, state }, signal)
}

async function cancel(shop: Shop, { id }: ShopOrder, given: object, step: Step): Promise<ShopOrder> {
  return await runOrder(shop, shop.operations.cancel, { input: { orderId: id, ...given } }, step)
}

async function returnAll(shop: Shop, order: ShopOrder, reason: string, step: Step): Promise<string> {
  const released = await releasePayments(shop, order, step)
  const before = refundedBy(order, step.key)
  const amount = before + order.payments.reduce((sum, payment) => sum + refundable(payment), 0)
  const { payments } = order
  const refunds = await payBack(shop, order, { lines: [], amount, reason, payments }, step)
  return released > 0 ? `reserved money released, ${describeRefunds(refunds)}` : describeRefunds(refunds)
}

function wasCancelled(order: ShopOrder, key: string): boolean {
  return ourCancellations(order).some(({ reason }) => hasMark(reason, key))
}

function reasonOf({ refund: { stockName } }: ReturnedGoods): string {
  return stockName === null ? 'Returned in a store' : `Returned in ${stockName}`
}

function effectOf(order: ShopOrder, { refund, line }: ReturnedGoods, refunds: readonly Refunded[]): Effect {
  const [first] = refunds
  const links = first ? [{ kind: 'refund', id: `${refund.refundId}/${line.key}`, theirId: first.id }] : []
  return { links, note: `order ${order.code}: ${describeRefunds(refunds)}` }
}

interface Refunded {
  id: string
  state: string
  amount: number
}

interface MoneyBack {
  lines: { orderLineId: string; quantity: number }[]
  amount: number
  reason: string
  payments: readonly ShopPayment[]
}

/** From several payments if necessary; earlier refunds with the step's key count. Throws RetryLaterError `vendure-refund-failed`. */
async function payBack(
  shop: Shop,
  order: ShopOrder,
  { lines, amount, reason, payments }: MoneyBack,
  step: Step,
): Promise<Refunded[]> {
  const before = refundsOf(order, step.key)
  let rest = amount - refundedBy(order, step.key)
  const refunds = [...before]
  for (const payment of payments) {
    const share = Math.min(rest, refundable(payment))
    if (share <= 0) continue
    if (step.mayStillLand) throw mayStillLand()
    const input = {
      paymentId: payment.id,
      amount: share,
      lines: refunds.length === 0 ? lines : [],
      // Required.
      shipping: 0,
      adjustment: 0,
      reason: marked(reason, step.key),
    }
    const { id, state } = await shop.api.run(shop.operations.refund, { input }, step.signal)
    if (state === 'Failed') throw refundFailed(shop, order, { id, amount: share })
    refunds.push({ id, state, amount: share })
    rest -= share
  }
  if (rest <= roundingOf(order)) return refunds
  const short = `${shop.amounts.decimal(rest)} ${order.currencyCode}`
  throw new PermanentError(
    `${shop.api.destination}: ${short} too much: order ${order.code} has no payment left that can be refunded`,
    { code: 'nothing-to-refund' },
  )
}

/** The unit price is rounded: three for 200.00 are 66.67 each. */
function roundingOf({ lines }: ShopOrder): number {
  return Math.ceil(lines.reduce((sum, { quantity }) => sum + quantity, 0) / 2)
}

function refundFailed(
  { api, amounts }: Shop,
  { code, currencyCode }: ShopOrder,
  { id, amount }: Pick<Refunded, 'id' | 'amount'>,
): RetryLaterError {
  const what = `${amounts.decimal(amount)} ${currencyCode} of order ${code}`
  return new RetryLaterError(
    `${api.destination}: the payment service did not give ${what} back (refund ${id} is Failed). It is tried again; if it goes on failing, look at the payment service.`,
    { code: 'vendure-refund-failed' },
  )
}

function refundsOf({ payments }: Pick<ShopOrder, 'payments'>, key: string): Refunded[] {
  return payments
    .flatMap(({ refunds }) => refunds)
    .filter(({ reason, state }) => state !== 'Failed' && hasMark(reason, key))
    .map(({ id, state, total: amount }) => ({ id, state, amount }))
}

function refundedBy(order: ShopOrder, key: string): number {
  return refundsOf(order, key).reduce((sum, { amount }) => sum + amount, 0)
}

function takenOf({ payments }: ShopOrder): number {
  return payments.filter(({ state }) => state === 'Settled').reduce((sum, { amount }) => sum + amount, 0)
}

/** `refund 4 Pending`: by hand, or by the payment service. */
function describeRefunds(refunds: readonly Refunded[]): string {
  const all = refunds.map(({ id, state }) => `refund ${id} ${state}`)
  return all.join(', ') || 'nothing to refund'
}
