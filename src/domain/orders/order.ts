import type { Address, Sale } from '../accounting/sale.ts'
import { HeldError } from '../values/errors.ts'
import type { Texts } from '../values/field.ts'
import { compareDecimals, type Decimal, moneyText, sumMoney, ZERO } from '../values/money.ts'
import { contradictionOf } from './contradiction.ts'
import { inEnglish } from './story.ts'

/** Placed and paid at a POS for the online shop (spec, "Endless aisle"). `lines`: those to ship; `total`: theirs. */
export interface PosOrder extends Omit<Sale, 'receiptUrl' | 'vatTotal'> {
  number: string
  /** Spec, Events 4. */
  transactionId: string | null
  comments: string[]
  contradiction: string | null
}

export const POS_ORDER_CREATED = 'OmniChannelEndlessAisleOrderCreated'

export function posOrder(sale: Sale): PosOrder {
  const flagged = sale.lines.filter((line) => line.shipFromOnlineStore)
  const all = flagged.length > 0 ? flagged : sale.lines
  const lines = all.filter((line) => !isComment(line))
  const { receiptNo, orderNo, createdAt, payments, store, customer, customerId } = sale
  const { shippingAddress, shipping, fulfillment } = sale
  const contradiction = contradictionOf(sale)
  return {
    number: orderNo ?? receiptNo,
    orderNo,
    receiptNo,
    transactionId:
      (referred(payments)[0] ?? payments.find(({ transaction }) => transaction !== null))?.transaction ?? null,
    createdAt,
    ...ofLines(lines, sale.total.currency),
    payments,
    store,
    customer,
    customerId,
    shippingAddress,
    shipping,
    fulfillment,
    comments: all.filter(isComment).map(({ name }) => name),
    contradiction: contradiction && inEnglish(contradiction),
  }
}

function isComment(line: Sale['lines'][number]): boolean {
  return isRemark(line) && compareDecimals(line.total.amount, ZERO) === 0
}

/** Throws a HeldError `not-in-pieces` for quantities of 0 or less, and without goods. `released`: such lines are dropped. */
export function requirePieces<Order extends PosOrder>(order: Order, released: boolean): Order {
  const { number, lines, total, comments } = order
  const goods = lines.filter(({ quantity }) => compareDecimals(quantity, ZERO) > 0)
  if (goods.length === 0)
    throw new HeldError(
      `the order ${number} has no goods to send: ${[...lines.map(named), ...comments.map((name) => named({ quantity: ZERO, name }))].join(', ') || 'it has no lines'}. Ask the store what was sold, make the order by hand if one is due, then skip this`,
      { code: NOT_IN_PIECES },
    )
  const others = lines.filter((line) => compareDecimals(line.quantity, ZERO) <= 0 && !isRemark(line))
  if (others.length === 0) return order
  if (!released)
    throw new HeldError(
      `the order ${number} has articles of which nothing is to be sent: ${others.map(named).join(', ')}. Ask the store what was sold. Make the order by hand and skip this; or release it, and it is made of its other lines alone`,
      { code: NOT_IN_PIECES },
    )
  const sent = lines.filter((line) => compareDecimals(line.quantity, ZERO) > 0 || isRemark(line))
  return { ...order, ...ofLines(sent, total.currency) }
}

function isRemark({ gtin, sku, quantity }: Pick<PosOrder['lines'][number], 'gtin' | 'sku' | 'quantity'>): boolean {
  return gtin === null && sku === null && compareDecimals(quantity, ZERO) === 0
}

const NOT_IN_PIECES = 'not-in-pieces'

function named({ quantity, name }: Pick<PosOrder['lines'][number], 'quantity' | 'name'>): string {
  return `${quantity} × ${name.slice(0, LONGEST_NAME)}`
}

const LONGEST_NAME = 60

function ofLines(lines: PosOrder['lines'], currency: string): Pick<PosOrder, 'lines' | 'total'> {
  const totals = lines.map(({ total }) => total)
  return { total: sumMoney(totals, currency), lines }
}

export function severalReferences({ payments }: Pick<PosOrder, 'payments'>): string | null {
  const parts = referred(payments)
  if (new Set(parts.map(({ transaction }) => transaction)).size < 2) return null
  const shown = parts.map(({ type, subType, amount, transaction }) => {
    return `${subType ? `${type} (${subType})` : type} ${moneyText(amount)}: ${transaction}`
  })
  return `It was paid in parts, each with a reference of its own: ${shown.join('; ')}.`
}

function referred(payments: PosOrder['payments']): PosOrder['payments'] {
  return payments.filter(({ type, transaction }) => transaction !== null && !OWN_MONEY.test(type))
}

const OWN_MONEY = /^(gift ?card|voucher)/i
/** An order for the POS (spec, "Order lookup in an external OMS"). Amounts include VAT. */
export interface FoundOrder extends Texts<'placedAt' | 'status'> {
  number: string
  theirId?: string
  posId?: string
  others?: string[]
  currency: string
  total: Decimal
  lines: FoundOrderLine[]
  payments: { type: string; amount: Decimal; reference: string | null }[]
  customer: Texts<'email' | 'firstName' | 'lastName' | 'companyName' | 'phone'> | null
  billingAddress: Address | null
  shippingAddress: Address | null
}

export interface FoundOrderLine extends Texts<'gtin' | 'sku'> {
  rowId: string
  name: string
  quantity: Decimal
  returned: Decimal
  unitPrice: Decimal
  /** A fraction: 0.25 is 25 %. */
  vatRate: Decimal | null
}
