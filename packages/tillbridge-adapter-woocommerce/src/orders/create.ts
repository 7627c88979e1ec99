import { Big } from 'big.js'
import {
  type Attempt,
  addMoney,
  amountText,
  describeLine,
  type Effect,
  equalMoney,
  idOfPosOrder,
  isAgain,
  lineNameOf,
  type Money,
  money,
  moneyText,
  otherCurrency,
  PermanentError,
  type PosOrder,
  pluralize,
  roundMoney,
  type SaleLine,
  severalReferences,
  subtractMoney,
  UnknownOutcomeError,
  uncertainUnlessNotDone,
  waysOfPayment,
} from 'tillbridge/adapter'
import type { ShopApi } from '../api.ts'
import { withoutNulls } from '../document.ts'
import { awaitsPayment, billingOf, isPaid, MadeNote, META, metaOf, ShopOrder, shippingOf } from '../shop-order.ts'
import { findProducts, type ProductReference } from '../stock.ts'
import { findOrder } from './find-order.ts'
import { type OrderContext, tell, type WooStep } from './order-context.ts'

/** WooCommerce computes tax from the exact amount, then rounds both. */
const DECIMALS = 6

function withoutVat({ total, vat, vatRate }: Pick<SaleLine, 'total' | 'vat' | 'vatRate'>): string {
  if (vatRate !== null) {
    const net = share(total, new Big(1), new Big(1).plus(vatRate))
    const rest = roundMoney(subtractMoney(total, money(net, total.currency)))
    if (vat === null || rest.amount === roundMoney(vat).amount) return net
  }
  return vat === null ? total.amount : subtractMoney(total, vat).amount
}

function atShopRate(gross: Money, net: string, tax: string): string {
  const whole = new Big(net).plus(tax)
  return whole.eq(0) || new Big(tax).eq(0) ? gross.amount : share(gross, new Big(net), whole)
}

function share({ amount }: Money, part: Big, whole: Big): string {
  return whole.eq(0) ? amount : new Big(amount).times(part).div(whole).round(DECIMALS, Big.roundHalfUp).toFixed()
}

interface Correction {
  changes: { line_items: object[] } | { fee_lines: object[] }
  note: string | null
}

/**
 * First: each line at its POS amount, less the shop's own tax. Right lines are named too: WooCommerce takes a named line's pieces from
 * stock at once, and then none for the others at payment.
 */
function correctLines(order: ShopOrder, wrong: string): Correction | null {
  const lines = order.line_items.map((line) => {
    const asked = metaOf(line, META.total)
    const taxed = Number(line.total_tax) !== 0
    const asItIs = { taxed: false, change: { id: line.id } }
    if (asked === null) return asItIs
    const gross = money(asked, order.currency)
    const now = addMoney(money(line.total, order.currency), money(line.total_tax, order.currency))
    const off = subtractMoney(gross, now)
    if (off.amount === '0' || (taxed && isCoin(off))) return asItIs
    const net = atShopRate(gross, line.total, line.total_tax)
    return { taxed, change: { id: line.id, subtotal: net, total: net } }
  })
  if (lines.every(({ change }) => !('total' in change))) return null
  const note = `${wrong} The shop's tax is not the POS's: the lines were changed to its amounts, with the shop's tax.`
  return {
    changes: { line_items: lines.map(({ change }) => change) },
    note: lines.some(({ taxed }) => taxed) ? note : null,
  }
}

/** Second: the rest, mostly rounding, becomes a fee without tax. */
function correctByFee(order: ShopOrder, wrong: string, paid: Money): Correction {
  const rest = subtractMoney(paid, money(order.total, order.currency))
  const fee = { name: 'Difference to the amount at the POS', total: rest.amount, tax_status: 'none' }
  return { changes: { fee_lines: [fee] }, note: `${wrong} A fee of ${moneyText(rest)} makes up the difference.` }
}

function paidFor({ currency }: ShopOrder, { total }: PosOrder): Money {
  return money(roundMoney(total).amount, currency)
}

function difference(order: ShopOrder, paid: Money): string | null {
  const total = money(order.total, order.currency)
  if (equalMoney(total, paid)) return null
  const verb = metaOf(order, META.draft) === null ? 'paid' : 'asked'
  return `The total here is ${moneyText(total)}, but ${moneyText(paid)} were ${verb} at the POS.`
}

function isCoin({ amount }: Money): boolean {
  return Math.abs(Number(amount)) <= 0.01
}

/** WooCommerce completes a paid order without a product of its own, which then is never sent. */
function payment(hasProduct: boolean): { set_paid: true } | { status: 'processing' } {
  return hasProduct ? { set_paid: true } : { status: 'processing' }
}

/** From any state. The payment is last: with it the shop writes to the customer. */
async function complete(
  { api, destination }: OrderContext,
  order: ShopOrder,
  wanted: PosOrder,
  signal: AbortSignal,
): Promise<Effect> {
  if (!awaitsPayment(order)) return effectOf(order, wanted)
  const right = await correct(api, order, wanted, signal)
  const changes = {
    ...(wanted.transactionId && { transaction_id: wanted.transactionId }),
    ...payment(right.line_items.some((line) => line.product_id)),
  }
  const paid = await api.write('PUT', `/orders/${right.id}`, changes, ShopOrder, signal)
  if (isPaid(paid)) return effectOf(paid, wanted)
  const why = `${destination}: order ${paid.number} is there, but the shop did not take it as paid (${paid.status})`
  throw new UnknownOutcomeError(why, { code: 'not-paid' })
}

async function correct(api: ShopApi, order: ShopOrder, wanted: PosOrder, signal: AbortSignal): Promise<ShopOrder> {
  const paid = paidFor(order, wanted)
  const other = otherCurrency(wanted.total.currency, order.currency, `order ${order.number} of the shop`)
  if (other !== null)
    throw new PermanentError(
      `${other}: it is there, and not paid. A plugin of the shop gives orders its own currency: let it leave orders of the API as they are; put this one right or cancel it there, then skip this.`,
      { code: 'other-currency' },
    )
  await addNote(order, metaOf(order, META.problem))
  const lined = await apply(order, correctLines)
  const right = await apply(lined, correctByFee)
  const wrong = difference(right, paid)
  await addNote(right, wrong && `Please check this order. ${wrong}`)
  return right

  async function apply(to: ShopOrder, correction: typeof correctLines | typeof correctByFee): Promise<ShopOrder> {
    const wrong = difference(to, paid)
    const made = wrong === null ? null : correction(to, wrong, paid)
    if (!made) return to
    await addNote(to, made.note)
    return await api.write('PUT', `/orders/${to.id}`, made.changes, ShopOrder, signal)
  }

  async function addNote({ id }: ShopOrder, note: string | null): Promise<void> {
    if (note) await api.write('POST', `/orders/${id}/notes`, { note }, MadeNote, signal)
  }
}

function effectOf(order: ShopOrder, wanted: PosOrder): Effect {
  const { number, status, total, currency, line_items: lines } = order
  const facts = [`order ${number}`, pluralize(lines.length, 'line'), `${total} ${currency}`]
  const unknown = lines.filter((line) => !line.product_id).length
  if (unknown > 0) facts.push(`${unknown} without a product of the shop`)
  const wrong = difference(order, paidFor(order, wanted))
  if (!isPaid(order)) facts.push(`left as it is: ${status}, not paid`)
  else if (wrong) facts.push(`please check: ${wrong}`)
  return { links: [{ kind: 'order', id: idOfPosOrder(wanted), theirId: String(order.id) }], note: facts.join(', ') }
}

/** A line must name a product: WooCommerce leaves one with an unknown SKU without product. */
const NO_PRODUCT = 'tillbridge-no-product'

function lineOf(line: SaleLine, product: ProductReference | null): object {
  const whole = isWhole(line)
  const net = withoutVat(line)
  return {
    ...(product ?? { sku: NO_PRODUCT }),
    ...(product && whole ? {} : { name: whole ? lineNameOf(line) : `${line.quantity} × ${lineNameOf(line)}` }),
    quantity: whole ? Number(line.quantity) : 1,
    subtotal: net,
    total: net,
    meta_data: metaData({
      [META.total]: amountText(roundMoney(line.total)),
      [META.row]: line.rowId,
      [META.sku]: line.sku,
      [META.gtin]: line.gtin,
    }),
  }
}

function lineProblem(line: SaleLine, product: ProductReference | null): string | null {
  const what = describeLine(line)
  if (!product) return `This shop has no product for ${what}: the line goes by name and price, and moves no stock.`
  return isWhole(line) ? null : `The quantity of ${what} is no whole number above 0: the line counts as one piece.`
}

function isWhole({ quantity }: SaleLine): boolean {
  return /^[1-9]\d{0,8}$/.test(quantity)
}

/** Unpaid until its total is right; a free order could not be paid afterwards. */
function newOrder(order: PosOrder, products: readonly (ProductReference | null)[], key: string): object {
  const { amount } = roundMoney(order.total)
  const isFree = amount === '0' || amount.startsWith('-')
  const ways = waysOfPayment(order)
  return withoutNulls({
    ...(isFree ? payment(products.some((product) => product !== null)) : {}),
    transaction_id: order.transactionId,
    payment_method: 'tillbridge',
    payment_method_title: ways === '' ? 'Paid at the POS' : `${ways}, at the POS`,
    ...common(order, products, { [META.key]: key, [META.order]: order.orderNo }),
  })
}

function newDraft(basket: PosOrder, products: readonly (ProductReference | null)[], key: string): object {
  return withoutNulls({
    status: 'pending',
    ...common(basket, products, { [META.key]: key, [META.draft]: 'yes', [META.order]: basket.number }),
  })
}

function common(
  order: PosOrder,
  products: readonly (ProductReference | null)[],
  marks: Record<string, string | null>,
): object {
  const { lines, store, customer, fulfillment } = order
  const billing = billingOf(order.customer)
  const problems = lines.flatMap((line, index) => lineProblem(line, products[index] ?? null) ?? [])
  for (const comment of order.comments) problems.push(`Comment of the POS: ${comment}`)
  if (order.contradiction) problems.push(`${order.contradiction} Please look.`)
  if (billing.refusedEmail) problems.push("The customer's e-mail address at the POS is no address: see the meta data.")
  const references = severalReferences(order)
  if (references) problems.push(references)
  const total = roundMoney(order.total)
  return {
    currency: total.currency,
    billing: billing.address,
    shipping: shippingOf(order.shippingAddress, customer),
    line_items: lines.map((line, index) => lineOf(line, products[index] ?? null)),
    shipping_lines: shippingLines(order),
    meta_data: metaData({
      ...marks,
      [META.total]: amountText(total),
      [META.receipt]: order.receiptNo,
      [META.store]: [store.number, store.name].filter(Boolean).join(' ') || null,
      [META.pos]: [store.posId, store.posName].filter(Boolean).join(' ') || null,
      [META.stockId]: fulfillment?.stockId ?? null,
      [META.stockName]: fulfillment?.stockName ?? null,
      [META.customer]: customer?.number ?? null,
      [META.email]: billing.refusedEmail,
      [META.problem]: problems.join('\n') || null,
    }),
  }
}

function shippingLines({ shipping }: PosOrder): object[] | null {
  if (!shipping) return null
  const { carrierId, carrierService, rateId, pickupPointId } = shipping
  return [
    {
      method_id: carrierId ?? 'tillbridge',
      method_title: carrierService ?? carrierId ?? 'Shipping',
      total: '0',
      meta_data: metaData({ carrierId, carrierService, rateId, pickupPointId }),
    },
  ]
}

function metaData(values: Record<string, string | null>): { key: string; value: string }[] {
  return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value }]))
}

export const create: WooStep<'create'> = async (context, order, attempt, find) => {
  const placed = await place(context, order, attempt, { find, body: newOrder })
  return placed && (await complete(context, placed, order, attempt.signal))
}

export const draft: WooStep<'draft'> = async (context, basket, attempt, find) => {
  const order = await place(context, basket, attempt, { find, body: newDraft })
  if (!order) return null
  const number = metaOf(order, META.order) ?? order.number
  const links = [{ kind: 'draft', id: number, theirId: String(order.id) }]
  if (!awaitsPayment(order)) return { links, note: `order ${order.number}, left as it is: ${order.status}` }
  const right = await correct(context.api, order, basket, attempt.signal)
  const link = right.payment_url ?? ''
  await tell(context, right, 'draft', { number: right.number, link }, attempt)
  const where = link ? `to be paid at ${link}` : 'to be paid'
  return { links, note: `order ${right.number}, ${right.total} ${right.currency}, ${where}` }
}

async function place(
  context: OrderContext,
  order: PosOrder,
  attempt: Attempt,
  { find, body }: { find: boolean; body: typeof newOrder },
): Promise<ShopOrder | null> {
  const { api } = context
  const { key, signal } = attempt
  const found = find || isAgain(attempt) ? await findOrder(context, attempt) : null
  if (found || find) return found
  const products = await findProducts(api, order.lines, signal)
  return await api.write('POST', '/orders', body(order, products, key), ShopOrder, signal).catch(uncertainUnlessNotDone)
}
