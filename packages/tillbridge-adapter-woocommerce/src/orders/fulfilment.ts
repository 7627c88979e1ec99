import {
  type Attempt,
  amountText,
  type Effect,
  isSameArticle,
  money,
  moneyText,
  PermanentError,
  parseDecimal,
  type Shipment,
  toNumber,
} from 'tillbridge/adapter'
import { filled } from '../options.ts'
import { isOff, META, metaOf, type ShopLine, ShopOrder, type ShopRefund, shareOf } from '../shop-order.ts'
import { articlesOf, findLines, gtinsOf, locateOrder } from './find-order.ts'
import { bundlesOf, refusePartsOfBundle, rememberTakenOff } from './lines.ts'
import {
  addNoteOnce,
  changeOrder,
  type OrderContext,
  referenceOf,
  tell,
  type WooStep,
  wasPaid,
} from './order-context.ts'
import {
  checkedRefund,
  extrasLeft,
  leftOf,
  partOf,
  piecesLeft,
  type RefundPart,
  refundOf,
  refundOnce,
  refundsOf,
  restOf,
  takePieces,
} from './refunds.ts'

/** Note of an order that we refunded completely; null: not ended. Throws PermanentError `order-off` if the shop ended it and a store continues. */
async function noteOfEnd(
  context: OrderContext,
  order: ShopOrder,
  happened: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (!isOff(order)) return null
  const { number, status } = order
  const refunds = status === 'refunded' ? await refundsOf(context, order, signal) : []
  if (refunds.length > 0 && refunds.every((one) => metaOf(one, META.key) !== null))
    return `order ${number}, left as it is: all of it was refunded before`
  throw new PermanentError(
    `${context.destination}: order ${number} is ${status} in the shop, but ${happened}. Settle it with the store and the customer, then skip this.`,
    { code: 'order-off' },
  )
}

/** The status comes last, as the mark of completion. */
export const ready: WooStep<'ready'> = async (context, update, attempt, find) => {
  const { statuses, tellCustomer } = context.options
  const order = await locateOrder(context, update, attempt)
  if (metaOf(order, META.ready) === attempt.key) return effectOf(order)
  if (find) return null
  if (order.status === statuses.collected) return { note: `order ${order.number} is ${order.status} already` }
  const end = await noteOfEnd(context, order, 'it lies ready in a store', attempt.signal)
  if (end !== null) return { note: end }
  await tell(context, order, 'ready', { number: order.number, store: update.stockName }, attempt)
  const changes = { status: statuses.ready, meta_data: [{ key: META.ready, value: attempt.key }] }
  return effectOf(await changeOrder(context, order, changes, attempt.signal))

  function effectOf({ number, status }: ShopOrder): Effect {
    return {
      note: `order ${number}, ${status}, customer ${tellCustomer.includes('ready') ? 'notified' : 'not notified'}`,
    }
  }
}

/** With this status payment plugins capture, and cash counts as paid. */
export const collected: WooStep<'collected'> = async (context, update, attempt, find) => {
  const order = await locateOrder(context, update, attempt)
  const { number, status } = order
  const ours = metaOf(order, META.collected) === attempt.key
  if (ours) return { note: `order ${number}, ${status}` }
  if (find) return null
  const { collected: target } = context.options.statuses
  if (status === target) return { note: `order ${number} is ${status} already` }
  const end = await noteOfEnd(context, order, 'the customer has fetched it', attempt.signal)
  if (end !== null) return { note: end }
  const marks = wasPaid(context, order) ? [META.collected] : [META.collected, META.paidWhenCollected]
  const changes = { status: target, meta_data: marks.map((key) => ({ key, value: attempt.key })) }
  const changed = await changeOrder(context, order, changes, attempt.signal)
  return { note: `order ${number}, ${changed.status}` }
}

function isAllSent(order: ShopOrder, refunds: readonly ShopRefund[], more = 0): boolean {
  const sent = parcelsOf(order).reduce((sum, items) => sum + piecesInParcel(items), more)
  const containers = new Set(bundlesOf(order).map(({ container }) => container))
  const goods = order.line_items.filter((line) => !containers.has(line))
  const due = goods.reduce((sum, line) => sum + Math.max(0, piecesLeft(line, refunds)), 0)
  return sent >= due
}

function piecesInParcel(items: Shipment['items']): number {
  return items.reduce((sum, { quantity }) => sum + toNumber(parseDecimal(quantity)), 0)
}

/** After a decline nothing may be left to send. */
async function completeIfSent(context: OrderContext, before: ShopOrder, { signal }: Attempt): Promise<void> {
  const { shipped } = context.options.statuses
  if (shipped === false || parcelsOf(before).length === 0) return
  const order = (await context.api.get(`/orders/${before.id}`, {}, ShopOrder, signal)).value
  if (order.status === shipped || isOff(order)) return
  if (isAllSent(order, await refundsOf(context, order, signal)))
    await changeOrder(context, order, { status: shipped }, signal)
}

function parcelsOf({ meta_data }: ShopOrder): Shipment['items'][] {
  return meta_data.flatMap(({ key, value }) =>
    key.startsWith(META.shipment) && typeof value === 'string' ? [JSON.parse(value) as Shipment['items']] : [],
  )
}

/** WooCommerce has no shipments: a note has the contents, meta data by parcel id record them, and with the last piece the order is shipped. */
export const ship: WooStep<'ship'> = async (context, { order: update, parcel }, attempt, find) => {
  const { signal } = attempt
  const order = await locateOrder(context, update, attempt)
  const mark = META.shipment + parcel.id
  if (metaOf(order, mark) !== null) return effectOf(order)
  if (find) return null
  const end = await noteOfEnd(context, order, 'a store has sent it', signal)
  if (end !== null) return { note: end }
  const from = update.stockName ? ` from ${update.stockName}` : ''
  const contents = parcel.items.map(({ gtin, quantity }) => `${quantity} × ${articleNameOf(order, gtin)}`)
  await addNoteOnce(context, order, `Parcel ${parcel.id} was sent${from}: ${contents.join(', ')}`, false, attempt)
  const { shipped } = context.options.statuses
  const all =
    shipped !== false && isAllSent(order, await refundsOf(context, order, signal), piecesInParcel(parcel.items))
  const changes = { ...(all && { status: shipped }), meta_data: [{ key: mark, value: JSON.stringify(parcel.items) }] }
  return effectOf(await changeOrder(context, order, changes, signal))

  function effectOf({ id, number, status }: ShopOrder): Effect {
    return {
      links: [{ kind: 'shipment', id: parcel.id, theirId: String(id) }],
      note: `order ${number}, ${status}, parcel of ${piecesInParcel(parcel.items)} noted`,
    }
  }
}

function articleNameOf({ line_items }: ShopOrder, gtin: string): string {
  const line = line_items.find((one) => gtinsOf(one).some((own) => isSameArticle(own, gtin)))
  return line?.name ? `${line.name} (${gtin})` : gtin
}

interface Taken {
  line: ShopLine
  pieces: number
}

/** Paid goods are refunded, unpaid ones leave the order. */
export const decline: WooStep<'decline'> = async (context, { order: update, line, quantity }, attempt, find) => {
  const { signal, key } = attempt
  const { options, destination } = context
  const order = await locateOrder(context, update, attempt)
  const refunds = await refundsOf(context, order, signal)
  const mark = META.declined + referenceOf(key)
  const refund = refundOf(key, refunds)
  const reduced = metaOf(order, mark) !== null
  if (find && !refund && !reduced) return null
  if (!refund && !reduced && isOff(order)) return { note: `order ${order.number}, left as it is: ${order.status}` }
  const known = await linesKnown()
  const named = `${quantity} × ${known[0]?.name ?? line.gtin ?? 'goods'}`

  if (refund) checkedRefund(context, order, refund, options.refundPayments)
  const done = refund ?? (reduced ? null : await settle())
  await tell(context, order, 'declined', { number: order.number, store: update.stockName, goods: named }, attempt)
  await completeIfSent(context, order, attempt)
  return {
    note: `order ${order.number}, ${named} declined: ${done ? paidBack(done.amount) : 'taken off what is to pay'}`,
    ...((done === null || options.restock) && { movedStock: articlesOf(known, [line]) }),
  }

  function paidBack(amount: string): string {
    return `${moneyText(money(amount, order.currency))} ${options.refundPayments ? 'paid back' : 'to be paid back by hand'}`
  }

  async function linesKnown(): Promise<ShopLine[]> {
    return await findLines(context, order, line, signal).catch((error: unknown) => {
      // An earlier attempt took the line off.
      if (reduced) return []
      throw error
    })
  }

  async function settle() {
    refusePartsOfBundle(order, known, destination)
    const taken = takePieces(known, quantity, { order, refunds, destination })
    if (isPending(context, order, taken)) {
      const off = takenOff(order, taken, options.statuses.cancelled)
      const gone = 'line_items' in off ? taken : []
      const changes = { ...off, meta_data: [{ key: mark, value: rememberTakenOff(key, gone) }] }
      await changeOrder(context, order, changes, signal)
      return null
    }
    const goods = taken.map((one) => partOf(one.line, one.pieces, refunds, order.currency))
    // Nothing is sent: shipping is refunded too.
    const parts = update.status === 'Rejected' && isRest() ? [...goods, ...extrasLeft(order, refunds)] : goods
    const reason = filled(options.texts.refundDeclined, { number: order.number, store: update.stockName, goods: named })
    return await refundOnce(context, order, refunds, { parts, reason, payBack: options.refundPayments }, attempt)

    function isRest(): boolean {
      const left = order.line_items.reduce((sum, one) => sum + Math.max(0, piecesLeft(one, refunds)), 0)
      return piecesOf(taken) >= left && parcelsOf(order).length === 0
    }
  }
}

/** Also if it was paid at collection, without these goods. One collected with none of its goods is not cancelled. */
function isPending(context: OrderContext, order: ShopOrder, taken: readonly Taken[]): boolean {
  if (!wasPaid(context, order)) return true
  return metaOf(order, META.paidWhenCollected) !== null && piecesOf(taken) < piecesOfLines(order.line_items)
}

const piecesOf = (taken: readonly Taken[]) => taken.reduce((sum, { pieces }) => sum + pieces, 0)
const piecesOfLines = (lines: readonly { quantity: number }[]) => lines.reduce((sum, { quantity }) => sum + quantity, 0)

/** Without any pieces left, the order is cancelled. */
function takenOff({ line_items, currency }: ShopOrder, taken: readonly Taken[], cancelled: string): object {
  if (piecesOf(taken) >= piecesOfLines(line_items)) return { status: cancelled }
  return {
    line_items: taken.map(({ line, pieces: less }) => {
      const quantity = line.quantity - less
      if (quantity === 0) return { id: line.id, quantity }
      const share = (amount: string) => amountText(shareOf(money(amount, currency), quantity, less))
      return { id: line.id, quantity, subtotal: share(line.subtotal ?? line.total), total: share(line.total) }
    }),
  }
}

/** Cancelled last: each attempt continues the one before. */
export const expire: WooStep<'expire'> = async (context, named, attempt, find) => {
  const { options, destination } = context
  const { signal, key } = attempt
  const order = await locateOrder(context, named, attempt)
  const movedStock = articlesOf(order.line_items, named.lines)
  if (metaOf(order, META.expired) === key) return { note: `order ${order.number}, ${order.status}`, movedStock }
  const refunds = wasPaid(context, order) ? await refundsOf(context, order, signal) : []
  const there = refundOf(key, refunds)
  if (find && !there) return null
  if (!there && isOff(order)) return { note: `order ${order.number}, left as it is: ${order.status}` }
  if (order.status === options.statuses.collected)
    throw new PermanentError(
      `${destination}: order ${order.number} is ${order.status} in the shop, but a store says that nobody fetched it. Ask the store; if it is so, refund it in the shop, then skip this.`,
      { code: 'order-completed' },
    )
  if (there) checkedRefund(context, order, there, options.refundPayments)
  else if (leftOf(order, refunds).amount !== '0' && wasPaid(context, order)) {
    const reason = filled(options.texts.refundExpired, { number: order.number })
    const all = { parts: allOf(order, refunds), reason, payBack: options.refundPayments }
    await refundOnce(context, order, refunds, all, attempt)
  }
  await tell(context, order, 'expired', { number: order.number }, attempt)
  const changes = { status: options.statuses.cancelled, meta_data: [{ key: META.expired, value: key }] }
  const changed = await changeOrder(context, order, changes, signal)
  const paid = wasPaid(context, order) ? 'refunded' : 'nothing was paid'
  return { note: `order ${order.number}, ${changed.status}, ${paid}`, movedStock }
}

function allOf(order: ShopOrder, refunds: readonly ShopRefund[]): RefundPart[] {
  const goods = order.line_items
    .map((line) => restOf(line, Math.max(0, piecesLeft(line, refunds)), refunds, order.currency))
    .filter(({ quantity }) => quantity !== 0)
  return [...goods, ...extrasLeft(order, refunds)]
}

/** `payBack`: by the shop; else the POS has paid. */
export const returnGoods =
  (payBack: boolean): WooStep<'refund'> =>
  async (context, { refund, line, quantity }, attempt, find) => {
    const { options, destination } = context
    const { signal, key } = attempt
    const order = await locateOrder(context, refund, attempt)
    const refunds = await refundsOf(context, order, signal)
    const moves = payBack && options.refundPayments
    const there = refundOf(key, refunds)
    if (there) return effectOf(checkedRefund(context, order, there, moves))
    if (find) return null
    const lines = await findLines(context, order, line, signal)
    refusePartsOfBundle(order, lines, destination)
    const taken = takePieces(lines, quantity, { order, refunds, destination })
    const goods = `${quantity} × ${lines[0]?.name ?? 'goods'}`
    const made = {
      parts: taken.map((one) => partOf(one.line, one.pieces, refunds, order.currency)),
      reason: filled(options.texts.refundReturned, { number: order.number, store: refund.stockName, goods }),
      payBack: moves,
    }
    return effectOf(await refundOnce(context, order, refunds, made, attempt))

    function effectOf({ id, amount, refunded_payment }: ShopRefund): Effect {
      const how = moves && refunded_payment !== false ? 'paid back' : payBack ? 'entered, to be paid by hand' : 'noted'
      return {
        links: [{ kind: 'refund', id: `${refund.refundId}/${line.key}`, theirId: String(id) }],
        note: `order ${order.number}, refund ${id}: ${moneyText(money(amount, order.currency))} ${how}`,
        ...(options.restock && { movedStock: articlesOf([], [line]) }),
      }
    }
  }
