import { Big } from 'big.js'
import {
  type Attempt,
  addMoney,
  allocateMoney,
  amountText,
  compareDecimals,
  type Decimal,
  type Money,
  mayStillLand,
  money,
  moneyText,
  PermanentError,
  parseDecimal,
  roundMoney,
  subtractMoney,
  sumMoney,
  toNumber,
  UnknownOutcomeError,
  uncertainUnlessNotDone,
} from 'tillbridge/adapter'
import { z } from 'zod'
import { readAll, saysCode } from '../api.ts'
import { readable, word } from '../document.ts'
import {
  isDiscount,
  META,
  metaOf,
  notBelowZero,
  piecesBack,
  refundedOf,
  type ShopCost,
  type ShopLine,
  type ShopOrder,
  ShopRefund,
  sumOfCosts,
} from '../shop-order.ts'
import { addNoteOnce, type OrderContext, referenceOf } from './order-context.ts'

const Gateway = z.object({ method_supports: readable(word) })

/** Throws PermanentError `cannot-pay-back` for cash, bank transfer, POS. */
async function checkGateway({ api, destination }: OrderContext, order: ShopOrder, signal: AbortSignal): Promise<void> {
  const method = order.payment_method ?? ''
  if (method !== '' && (await supportsRefunds())) return
  throw new PermanentError(
    `${destination}: order ${order.number} was paid by "${method || 'nothing known'}", which the shop cannot pay back by itself. Pay it back by hand and enter the refund in the shop, then skip this; or set refundPayments: false, so that refunds are entered here and people pay them back.`,
    { code: 'cannot-pay-back' },
  )
  async function supportsRefunds(): Promise<boolean> {
    try {
      const { value } = await api.get(`/payment_gateways/${encodeURIComponent(method)}`, {}, Gateway, signal)
      return value.method_supports.includes('refunds')
    } catch (error) {
      if (saysCode(error, 'woocommerce_rest_payment_gateway_invalid')) return false
      throw error
    }
  }
}

export function piecesLeft(line: ShopLine, refunds: readonly ShopRefund[]): number {
  return line.quantity - piecesBack(line.id, refunds)
}

/** Throws PermanentError `more-than-ordered` or `not-in-pieces`. */
export function takePieces(
  lines: readonly ShopLine[],
  quantity: Decimal,
  { order, refunds, destination }: { order: ShopOrder; refunds: readonly ShopRefund[]; destination: string },
): { line: ShopLine; pieces: number }[] {
  const name = lines[0]?.name ?? 'the line'
  const what = `${destination}: order ${order.number}: ${quantity} of "${name}"`
  if (!/^[1-9]\d{0,8}$/.test(quantity))
    throw new PermanentError(`${what}: the shop counts in pieces. Do it in the shop, then skip this.`, {
      code: 'not-in-pieces',
    })
  let rest = Number(quantity)
  const taken = lines.flatMap((line) => {
    const pieces = Math.min(rest, Math.max(0, piecesLeft(line, refunds)))
    rest -= pieces
    return pieces > 0 ? [{ line, pieces }] : []
  })
  if (rest === 0) return taken
  const ordered = lines.reduce((sum, line) => sum + line.quantity, 0)
  const left = Number(quantity) - rest
  const given =
    ordered > left ? `${ordered} were ordered, ${left} of them are left to refund` : `${ordered} were ordered`
  throw new PermanentError(`${what} are more than there are: ${given}. Look at the refunds of the order.`, {
    code: 'more-than-ordered',
  })
}

export interface RefundPart {
  lineId: number
  quantity: number | null
  net: Money
  taxes: { id: number; amount: Money }[]
}

/** The cost of all pieces so far less what was refunded: the parts of a line add up to it. */
export function partOf(line: ShopLine, pieces: number, refunds: readonly ShopRefund[], currency: string): RefundPart {
  const before = line.quantity - piecesLeft(line, refunds)
  const after = line.quantity - before - pieces
  return partOfCost(line, pieces, refunds, currency, (whole) =>
    after > 0 ? shareOf(whole, [parseDecimal(before + pieces), parseDecimal(after)], line) : whole,
  )
}

/** A shop without decimals refuses a refund with some (`get_remaining_refund_amount`, read 2026-11-26). */
function shareOf(whole: Money, [first, rest]: readonly [Decimal, Decimal], { total }: Pick<ShopCost, 'total'>): Money {
  const [share = whole] = allocateMoney(whole, [first, rest])
  const decimals = total.split('.')[1]?.length ?? 0
  return money(new Big(share.amount).round(decimals, Big.roundDown).toFixed(), whole.currency)
}

export function restOf(line: ShopCost, pieces: number | null, refunds: readonly ShopRefund[], currency: string) {
  return partOfCost(line, pieces, refunds, currency, (whole) => whole)
}

/** Negative fees are refunded in proportion. */
function withDiscounts(order: ShopOrder, parts: readonly RefundPart[], refunds: readonly ShopRefund[]): RefundPart[] {
  const { currency, line_items, fee_lines } = order
  const fees = fee_lines.filter(isDiscount)
  if (fees.length === 0) return [...parts]
  const goods = sumOfCosts(line_items, currency)
  const before = refunds.flatMap((refund) => refund.line_items)
  const ofGoods = parts.filter(({ lineId }) => line_items.some(({ id }) => id === lineId))
  const left = addMoney(goods, sumOfCosts(before, currency))
  const rest = notBelowZero(subtractMoney(left, amountOf(ofGoods, currency)))
  const shares = [subtractMoney(goods, rest).amount, rest.amount] as const
  const discounts = fees.map((fee) =>
    partOfCost(fee, null, refunds, currency, (whole) => (goods.amount === '0' ? whole : shareOf(whole, shares, fee))),
  )
  return [...parts, ...discounts.filter(({ net }) => net.amount !== '0')]
}

export function extrasLeft(order: ShopOrder, refunds: readonly ShopRefund[]): RefundPart[] {
  return [...order.shipping_lines, ...order.fee_lines.filter((fee) => !isDiscount(fee))]
    .map((line) => restOf(line, null, refunds, order.currency))
    .filter(({ net }) => net.amount !== '0')
}

function partOfCost(
  line: ShopCost,
  quantity: number | null,
  refunds: readonly ShopRefund[],
  currency: string,
  upTo: (whole: Money) => Money,
): RefundPart {
  const given = refunds
    .flatMap((refund): ShopCost[] => [...refund.line_items, ...refund.shipping_lines, ...refund.fee_lines])
    .filter((one) => refundedOf(one) === line.id)
  // Amounts of refunds are negative, those of a discount positive.
  const less = (due: Money, before: string[]) => {
    const left = sumMoney([due, ...before.map((amount) => roundMoney(money(amount, currency)))], currency)
    return isDiscount(line) ? negated(notBelowZero(negated(left))) : notBelowZero(left)
  }
  const taxes = taxesOf(line, currency)
  const costs = [money(line.total, currency), ...taxes.map(({ amount }) => amount)]
  const others = costs.slice(0, -1).map(upTo)
  const [net, ...taxed] = [...others, others.reduce(subtractMoney, upTo(sumMoney(costs, currency)))]
  const none = money(0, currency)
  return {
    lineId: line.id,
    quantity,
    net: less(
      net ?? none,
      given.map(({ total }) => total),
    ),
    taxes: taxes.map(({ id }, index) => ({
      id,
      amount: less(
        taxed[index] ?? none,
        given.flatMap((one) => one.taxes.flatMap((tax) => (tax.id === id ? [tax.total] : []))),
      ),
    })),
  }
}

/** The last tax takes the rounding of their sum. */
function taxesOf({ id, taxes, total_tax }: ShopCost, currency: string): { id: number; amount: Money }[] {
  const rounded = taxes.map((tax) => ({ id: tax.id, amount: roundMoney(money(tax.total, currency)) }))
  const last = rounded.at(-1)
  if (!last) {
    if (money(total_tax, currency).amount === '0') return []
    throw new PermanentError(
      `line ${id} of the order has ${total_tax} of tax, and its taxes cannot be read: by which rates to refund it is not known. Refund it in the shop, then skip this.`,
      { code: 'unreadable-order' },
    )
  }
  const others = rounded.slice(0, -1)
  const rest = others.map(({ amount }) => amount).reduce(subtractMoney, money(total_tax, currency))
  return [...others, { id: last.id, amount: rest }]
}

export function amountOf(parts: readonly RefundPart[], currency: string): Money {
  return parts
    .flatMap(({ net, taxes }) => [net, ...taxes.map(({ amount }) => amount)])
    .reduce(addMoney, money(0, currency))
}

export function leftOf({ total, currency }: ShopOrder, refunds: readonly ShopRefund[]): Money {
  return notBelowZero(
    refunds.map(({ amount }) => money(amount, currency)).reduce(subtractMoney, money(total, currency)),
  )
}

function wirePart({ lineId, quantity, net, taxes }: RefundPart): object {
  return {
    id: lineId,
    ...(quantity !== null && { quantity }),
    refund_total: toNumber(net.amount),
    refund_tax: taxes.map(({ id, amount }) => ({ id, refund_total: toNumber(amount.amount) })),
  }
}

function negated(value: Money): Money {
  return subtractMoney(money(0, value.currency), value)
}

interface NewRefund {
  parts: RefundPart[]
  reason: string
  payBack: boolean
}

export async function refundsOf(
  { api }: { api: Pick<OrderContext['api'], 'get'> },
  { id }: Pick<ShopOrder, 'id'>,
  signal: AbortSignal,
): Promise<ShopRefund[]> {
  return await readAll(api, `/orders/${id}/refunds`, { orderby: 'id', order: 'asc' }, ShopRefund, signal)
}

/** By meta data, or by its reason if the shop failed before it wrote them. */
export function refundOf(key: string, refunds: readonly ShopRefund[]): ShopRefund | null {
  return refundsWith(key, refunds)[0] ?? null
}

export function refundsWith(key: string, refunds: readonly ShopRefund[]): ShopRefund[] {
  const mark = markOf(key)
  return refunds.filter((one) => metaOf(one, META.key) === key || one.reason?.includes(mark))
}

/** Throws UnknownOutcomeError `refund-refused` if only the payment provider knows whether it paid. */
export async function refundOnce(
  context: OrderContext,
  order: ShopOrder,
  refunds: readonly ShopRefund[],
  { parts: asked, reason, payBack }: NewRefund,
  attempt: Attempt,
): Promise<ShopRefund> {
  if (attempt.mayStillLand) throw mayStillLand()
  const { key, signal } = attempt
  const { destination, api, options } = context
  const parts = withDiscounts(order, asked, refunds)
  const wanted = amountOf(parts, order.currency)
  const amount = amountToRefund(context, order, refunds, wanted)
  if (amount.amount !== wanted.amount)
    await addNoteOnce(context, order, lessThanWanted(amount, wanted, reason), false, attempt)
  const moves = payBack && amount.amount !== '0'
  if (moves) await checkGateway(context, order, signal)
  const body = {
    amount: amountText(amount),
    reason: `${reason} ${markOf(key)}`,
    api_refund: moves,
    api_restock: options.restock,
    meta_data: [{ key: META.key, value: key }],
    line_items: parts.map(wirePart),
  }
  return await api.write('POST', `/orders/${order.id}/refunds`, body, ShopRefund, signal).catch((error: unknown) => {
    if (!saysCode(error, 'woocommerce_rest_cannot_create_order_refund')) return uncertainUnlessNotDone(error)
    // The shop deletes the refund, but the provider may have paid before.
    const what = `${destination}: the shop refused to refund ${moneyText(amount)} of order ${order.number}`
    if (!moves)
      throw new PermanentError(`${what}. Look at the order there, then retry or skip.`, {
        code: 'refund-refused',
        cause: error,
      })
    const check = 'Look there and at the payment provider: if the money went, skip this; if not, retry it with --again.'
    throw new UnknownOutcomeError(`${what}. ${check}`, { code: 'refund-refused', cause: error, byHand: true })
  })
}

/** Throws UnknownOutcomeError `maybe-paid-back` if payment is not proven: the shop failed while it asked the provider. */
export function checkedRefund(
  { destination }: OrderContext,
  order: ShopOrder,
  refund: ShopRefund,
  payBack: boolean,
): ShopRefund {
  const moves =
    payBack && compareDecimals(money(refund.amount, order.currency).amount, money(0, order.currency).amount) > 0
  if (!moves || refund.refunded_payment !== false) return refund
  throw new UnknownOutcomeError(
    `${destination}: refund ${refund.id} of order ${order.number} is in the shop, but the shop does not know whether the money went. Look at the payment provider: if it went, skip this; if not, delete that refund in the shop and retry with --again.`,
    { code: 'maybe-paid-back', byHand: true },
  )
}

function amountToRefund(
  { destination }: OrderContext,
  order: ShopOrder,
  refunds: readonly ShopRefund[],
  wanted: Money,
): Money {
  const left = leftOf(order, refunds)
  if (compareDecimals(wanted.amount, left.amount) <= 0) return wanted
  if (left.amount !== '0') return left
  throw new PermanentError(
    `${destination}: nothing is left to refund of order ${order.number}: all of it was refunded before. Look at its refunds there; if they are right, skip this.`,
    { code: 'nothing-left' },
  )
}

function lessThanWanted(amount: Money, wanted: Money, reason: string): string {
  return `${reason}: these goods cost ${moneyText(wanted)}, and only ${moneyText(amount)} were left to refund, because money was refunded before for no goods. Please look whether that was for these.`
}

function markOf(key: string): string {
  return `[${referenceOf(key)}]`
}
