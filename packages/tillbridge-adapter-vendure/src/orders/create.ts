import {
  describeLine,
  type Effect,
  given,
  idOfPosOrder,
  isAgain,
  lineNameOf,
  type Money,
  moneyText,
  otherCurrency,
  PermanentError,
  type PosOrder,
  pluralize,
  type SaleLine,
  severalReferences,
  sumDecimals,
  sumMoney,
  UnknownOutcomeError,
  waysOfPayment,
} from 'tillbridge/adapter'
import { addressInput } from '../customers.ts'
import type { Variant } from '../operations.ts'
import { addNote, readOrder, runOrder, type Shop, type ShopStep, type Step, transition } from '../shop.ts'
import { findVariants } from '../stock.ts'
import { requireManualMethod } from './fulfilment.ts'
import { marked, OWN_PRICE, PAYMENT_MARK, type ShopLine, type ShopOrder, surplus } from './shop-order.ts'

/** An unfinished draft is deleted and begun again. */
export const createOrder: ShopStep<'create'> = async (shop, order, attempt, find) => {
  const found = find || isAgain(attempt) ? await shop.search.find(attempt) : null
  if (found?.state === 'Draft') await deleteDraft(shop, found, attempt)
  else if (found) {
    const basket = await readBasket(shop, order, attempt.signal)
    return await complete(shop, found, { order, basket }, attempt)
  }
  if (find) return null
  if (order.lines.length > 0) await requireManualMethod(shop, attempt.signal)
  const basket = await readBasket(shop, order, attempt.signal)
  requireGoods(shop, order, basket)
  const draft = await runOrder(shop, shop.operations.createDraft, {}, attempt)
  if (draft.state === 'Draft') await fillOrDelete(shop, draft, { order, basket }, attempt)
  return await complete(shop, draft, { order, basket }, attempt)
}

export const createDraftOrder: ShopStep<'draft'> = async (shop, order, attempt, find) => {
  const found = find || isAgain(attempt) ? await shop.search.find(attempt) : null
  // The shipping method is set last.
  if (found && (found.state !== 'Draft' || found.shippingLines.length > 0)) return draftEffect(order, found)
  if (found) await deleteDraft(shop, found, attempt)
  if (find) return null
  const basket = await readBasket(shop, order, attempt.signal)
  const draft = await runOrder(shop, shop.operations.createDraft, {}, attempt)
  await fillOrDelete(shop, draft, { order, basket }, attempt)
  return draftEffect(order, draft)
}

async function readBasket(shop: Shop, order: PosOrder, signal: AbortSignal): Promise<Basket> {
  return basketOf(order, await findVariants(shop, order.lines, signal))
}

function requireGoods({ api }: Shop, { lines, total }: PosOrder, { goods }: Basket): void {
  if (total.amount.startsWith('-'))
    throw new PermanentError(`${api.destination}: an order below 0 cannot be placed in Vendure`, { code: 'below-zero' })
  if (lines.length === 0 || goods.length > 0) return
  const what = lines.map(({ sku, gtin }) => sku ?? gtin ?? 'no SKU').join(', ')
  throw new PermanentError(`${api.destination}: the shop has none of the goods of the order (${what})`, {
    code: 'no-product',
  })
}

async function fillOrDelete(
  shop: Shop,
  draft: ShopOrder,
  wanted: { order: PosOrder; basket: Basket },
  step: Step,
): Promise<void> {
  try {
    await fillDraft(shop, draft, wanted, step)
  } catch (error) {
    if (error instanceof PermanentError) await deleteDraft(shop, draft, step).catch(() => undefined)
    throw error
  }
}

/** The key first: the draft is found by it. */
async function fillDraft(
  shop: Shop,
  draft: ShopOrder,
  { order, basket }: { order: PosOrder; basket: Basket },
  step: Step,
): Promise<void> {
  const { api, operations, options } = shop
  const { id: orderId } = draft
  const { signal } = step
  await addNote(shop, draft, { note: marked(summaryOf(order, basket), step.key), isPublic: false }, step)
  const other = otherCurrency(order.total.currency, draft.currencyCode, 'the shop')
  if (other !== null) throw new PermanentError(`${api.destination}: ${other}`, { code: 'other-currency' })
  if (options.numberField !== undefined) {
    const input = { id: orderId, customFields: { [options.numberField]: order.number } }
    await api.run(operations.setNumber, { orderId, input }, signal)
  }
  // Goods that are short become a surcharge.
  for (const { variantId: productVariantId, quantity } of basket.goods)
    await api.attempt(
      operations.addItem,
      { orderId, input: { productVariantId, quantity } },
      ['INSUFFICIENT_STOCK_ERROR'],
      signal,
    )
  await api.run(operations.setCustomer, { orderId, ...(await buyerOf(shop, order, signal)) }, signal)
  const shipping = addressInput(order.shippingAddress, order)
  if (shipping) await api.run(operations.setShippingAddress, { orderId, input: shipping }, signal)
  const billing = addressInput(order.customer?.address, order)
  if (billing) await api.run(operations.setBillingAddress, { orderId, input: billing }, signal)
  const shippingMethodId = await shippingMethodOf(shop, orderId, signal)
  await api.run(operations.setShippingMethod, { orderId, shippingMethodId }, signal)
}

async function deleteDraft({ api, operations }: Shop, { id }: ShopOrder, { signal }: Step): Promise<void> {
  await api.run(operations.deleteDraft, { orderId: id }, signal)
}

function draftEffect({ number }: PosOrder, { id, code, state }: ShopOrder): Effect {
  const left = state === 'Draft' ? '' : ` (${state} by now)`
  return { links: [{ kind: 'draft', id: number, theirId: id }], note: `draft order ${code}${left}` }
}

async function buyerOf(shop: Shop, { customer }: PosOrder, signal: AbortSignal): Promise<object> {
  const emailAddress = (customer?.email ?? shop.options.guestEmail)?.toLowerCase()
  if (emailAddress === undefined)
    throw new PermanentError(
      `${shop.api.destination}: the order has no e-mail address, without which Vendure takes none: guestEmail in config can stand for it`,
      { code: 'no-email' },
    )
  const options = { filter: { emailAddress: { eq: emailAddress } }, take: 1 }
  const [known] = (await shop.api.run(shop.operations.customers, { options }, signal)).items
  if (known) return { customerId: known.id }
  return {
    input: {
      ...given({ phoneNumber: customer?.phone }),
      emailAddress,
      firstName: customer?.firstName ?? '',
      lastName: customer?.lastName ?? customer?.companyName ?? '',
    },
  }
}

async function shippingMethodOf(shop: Shop, orderId: string, signal: AbortSignal): Promise<string> {
  const { shippingMethod: code } = shop.options
  const eligible = await shop.api.run(shop.operations.shippingMethods, { orderId }, signal)
  const [cheapest] = eligible.toSorted((one, other) => one.priceWithTax - other.priceWithTax)
  const chosen = code === undefined ? cheapest : eligible.find((method) => method.code === code)
  if (chosen) return chosen.id
  const found = eligible.map((method) => method.code).join(', ') || 'none'
  const wanted = code === undefined ? '' : ` ${code}`
  throw new PermanentError(
    `${shop.api.destination}: the shop has no shipping method${wanted} for this order (it offers: ${found})`,
    { code: 'no-shipping-method' },
  )
}

function summaryOf(order: PosOrder, { others }: Basket): string {
  const { number, receiptNo, store, payments, transactionId, shipping, fulfillment, total } = order
  const facts = [
    `Order ${number} of the POS`,
    `receipt ${receiptNo}`,
    named('store', store.number, store.name),
    named('pos', store.posId, store.posName),
    named('sold by', store.salesPerson),
    payments.length > 0 ? `paid ${moneyText(total)} by ${waysOfPayment(order)}` : null,
    named('reference', transactionId),
    named('ships from stock', fulfillment?.stockId, fulfillment?.stockName),
    named('carrier', shipping?.carrierId, shipping?.carrierService, shipping?.rateId),
    named('pickup point', shipping?.pickupPointId),
  ]
  const references = severalReferences(order)
  const contradiction = order.contradiction === null ? [] : [`Please look: ${order.contradiction}`]
  const said = `${facts.filter((fact) => fact !== null).join(', ')}.`
  const comments = order.comments.map((comment) => `Comment of the POS: ${comment}`)
  return [said, ...(references ? [references] : []), ...comments, ...contradiction, ...others.map(problemOf)].join('\n')
}

function named(what: string, ...texts: (string | null | undefined)[]): string | null {
  const said = texts.filter(Boolean)
  return said.length > 0 ? `${what} ${said.join(' ')}` : null
}

function problemOf(line: SaleLine): string {
  return `Please look: ${describeLine(line)} is no line here, because the shop has no such product or counts in whole pieces. It is a surcharge.`
}

const STEPS = 12

const LOWER_PRICE = 'The price at the POS was lower: no money was refunded.'

/** From any state to paid. Vendure accepts a payment of its own total only, and surcharges only on a paid order. */
async function complete(
  shop: Shop,
  start: ShopOrder,
  { order, basket }: { order: PosOrder; basket: Basket },
  step: Step,
): Promise<Effect> {
  const paid = shop.amounts.toShop(order.total)
  let now = start
  for (let count = 0; count < STEPS; count += 1) {
    const next = await advance(now)
    if (!next) return effectOf(now)
    now = next
  }
  const why = `${shop.api.destination}: order ${now.code} does not come to its end (${now.state})`
  throw new UnknownOutcomeError(why, { code: 'not-paid' })

  async function advance(now: ShopOrder): Promise<ShopOrder | null> {
    const right = now.totalWithTax === paid
    switch (now.state) {
      case 'Draft':
        return await transition(shop, now, 'ArrangingPayment', step)
      case 'ArrangingPayment':
        return await pay(now)
      case 'ArrangingAdditionalPayment':
        return surplus(now) < 0 ? await pay(now) : await transition(shop, now, 'PaymentSettled', step)
      case 'Modifying':
        if (!right) return await modify(now)
        return await transition(shop, now, surplus(now) < 0 ? 'ArrangingAdditionalPayment' : 'PaymentSettled', step)
      case 'PaymentSettled':
        if (!right) return await transition(shop, now, 'Modifying', step)
        return await settleDifference(now)
      default:
        return null
    }
  }

  async function pay({ id }: ShopOrder): Promise<ShopOrder> {
    const { paymentMethod: method } = shop.options
    const metadata = { [PAYMENT_MARK]: step.key, order: order.number, receipt: order.receiptNo }
    const input = { orderId: id, method, transactionId: order.transactionId ?? order.number, metadata }
    return await runOrder(shop, shop.operations.pay, { input }, step)
  }

  async function modify(now: ShopOrder): Promise<ShopOrder> {
    const surcharges = surchargesOf(now, basket, paid, shop.amounts.toShop)
    const lower = now.totalWithTax - paid
    const [payment] = now.payments
    const input = {
      dryRun: false,
      orderId: now.id,
      note: 'What was paid at the POS',
      surcharges,
      ...(lower > 0 && payment && { refund: { paymentId: payment.id, amount: lower, reason: LOWER_PRICE } }),
    }
    return await runOrder(shop, shop.operations.modify, { input }, step)
  }

  /** No money moves. */
  async function settleDifference(now: ShopOrder): Promise<ShopOrder | null> {
    const refunds = now.payments.flatMap((payment) => payment.refunds)
    const pending = refunds.find(({ state, reason }) => state === 'Pending' && reason === LOWER_PRICE)
    if (!pending) return null
    const input = { id: pending.id, transactionId: order.transactionId ?? order.number }
    await shop.api.run(shop.operations.settleRefund, { input }, step.signal)
    return await readOrder(shop, now.id, step)
  }

  function effectOf(now: ShopOrder): Effect {
    const { id, code, state, currencyCode, totalWithTax, lines, surcharges } = now
    const facts = [`order ${code}`, pluralize(lines.length, 'line')]
    if (surcharges.length > 0) facts.push(pluralize(surcharges.length, 'surcharge'))
    facts.push(`${shop.amounts.decimal(totalWithTax)} ${currencyCode}`)
    if (state === 'Cancelled') facts.push('left as it is: Cancelled')
    else if (totalWithTax !== paid) facts.push('please check: the total is not what was paid')
    return { links: [{ kind: 'order', id: idOfPosOrder(order), theirId: id }], note: facts.join(', ') }
  }
}

interface Basket {
  /** One entry per variant, as in the shop. */
  goods: Goods[]
  /** Without a product, or not in whole pieces. */
  others: SaleLine[]
}

interface Goods {
  variantId: string
  quantity: number
  lines: [SaleLine, ...SaleLine[]]
}

function basketOf({ lines }: PosOrder, variants: readonly (Variant | null)[]): Basket {
  const known = lines.flatMap((line, index) => {
    const variant = variants[index]
    return variant ? [{ line, variantId: variant.id }] : []
  })
  const goods: Goods[] = []
  const others = lines.filter((_, index) => !variants[index])
  for (const [variantId, found] of Map.groupBy(known, (one) => one.variantId)) {
    const same = found.map(({ line }) => line)
    const quantity = sumDecimals(same.map((line) => line.quantity))
    const [first, ...rest] = same
    if (first && /^[1-9]\d{0,5}$/.test(quantity))
      goods.push({ variantId, quantity: Number(quantity), lines: [first, ...rest] })
    else for (const line of same) others.push(line)
  }
  return { goods, others }
}

interface Surcharge {
  description: string
  sku?: string
  price: number
  priceIncludesTax: true
  taxRate?: number
  taxDescription?: string
}

/** Vendure uses its own prices: surcharges make up the difference to what was paid. */
function surchargesOf(order: ShopOrder, basket: Basket, paid: number, toShop: (amount: Money) => number) {
  const lines = basket.goods.flatMap((goods) => ofGoods(goods, lineOf(order, goods), toShop))
  const others = basket.others.map((line) => ofOther(line, toShop))
  const shipping = order.shippingWithTax === 0 ? [] : [plain('Shipping, as paid at the POS', -order.shippingWithTax)]
  const named = [...lines, ...others, ...shipping].filter(({ price }) => price !== 0)
  const rest = paid - order.totalWithTax - named.reduce((sum, { price }) => sum + price, 0)
  return rest === 0 ? named : [...named, plain('Difference to the amount paid at the POS', rest)]
}

function ofGoods(goods: Goods, line: ShopLine | null, toShop: (amount: Money) => number): Surcharge[] {
  const [first] = goods.lines
  const paid = toShop(totalOf(goods.lines))
  const inLine = line?.quantity ?? 0
  const missing = goods.quantity - inLine
  const tax = taxOf(line?.taxRate ?? percent(first))
  const sku = line?.productVariant.sku ?? first.sku
  const named = sku === null ? {} : { sku }
  const forMissing = missing === 0 ? 0 : Math.round((paid * missing) / goods.quantity)
  const price = paid - forMissing - (line?.proratedLinePriceWithTax ?? 0)
  const gone = {
    description: `${missing} × ${lineNameOf(first)}: not in stock here`,
    price: forMissing,
    ...named,
    ...tax,
  }
  const differs = { description: `${OWN_PRICE}${lineNameOf(first)} (${inLine})`, price, ...named, ...tax }
  return [gone, differs].map((one) => ({ ...one, priceIncludesTax: true }))
}

function ofOther(line: SaleLine, toShop: (amount: Money) => number): Surcharge {
  const sku = line.sku ?? line.gtin
  return {
    description: `${line.quantity} × ${lineNameOf(line)}: no product here`,
    ...(sku === null ? {} : { sku }),
    price: toShop(line.total),
    priceIncludesTax: true,
    ...taxOf(percent(line)),
  }
}

function plain(description: string, price: number): Surcharge {
  return { description, price, priceIncludesTax: true }
}

function lineOf({ lines }: ShopOrder, { variantId }: Goods): ShopLine | null {
  return lines.find(({ productVariant }) => productVariant.id === variantId) ?? null
}

function totalOf(lines: readonly [SaleLine, ...SaleLine[]]): Money {
  return sumMoney(
    lines.map(({ total }) => total),
    lines[0].total.currency,
  )
}

function taxOf(taxRate: number): Pick<Surcharge, 'taxRate' | 'taxDescription'> {
  return taxRate === 0 ? {} : { taxRate, taxDescription: 'VAT' }
}

function percent({ vatRate }: SaleLine): number {
  return vatRate === null ? 0 : Number((Number(vatRate) * 100).toFixed(4))
}
