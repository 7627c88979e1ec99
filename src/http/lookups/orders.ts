import type { RequestHandler, Response } from 'express'
import type { Config } from '../../config/config.ts'
import type { Address } from '../../domain/accounting/sale.ts'
import type { FoundOrder, FoundOrderLine } from '../../domain/orders/order.ts'
import type { Decimal } from '../../domain/values/money.ts'
import { splitPhone } from '../../domain/values/phone.ts'
import { unescaped } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Refused } from '../../lib/http/problem.ts'
import type { Logger } from '../../lib/logger.ts'
import type { LookupRow } from '../../storage/rows.ts'
import type { PosPriority } from '../pos-priority.ts'
import { sendProblem } from '../problem.ts'
import { type Answers, chooseSources, createAsk, isOrder, nameSources, type Source } from './ask.ts'
import { createLookupRouter, createTemplate, nulls } from './lookup-router.ts'

interface Options {
  noteLookup(lookup: LookupRow): Promise<void>
  posPriority: Pick<PosPriority, 'during'>
  refused: Refused
  clock: Clock
  logger: Logger
}

/** Spec, "Order lookup in an external OMS". 404 only if every source said so. */
export function createOrderLookup(
  config: NonNullable<Config['lookups']['orders']>,
  there: readonly Source<string, FoundOrder>[],
  { noteLookup, posPriority, refused, clock, logger }: Options,
): RequestHandler {
  const { tokens, perMinute, parameter, budget, answer: template } = config
  const sources = chooseSources(there, config.ask, 'orders')
  const ask = createAsk(sources, { isFound: isOrder, budget, clock, logger })
  const shape = template === undefined ? null : createTemplate<FoundOrder>(template, 'lookups.orders.answer', 'order')
  return createLookupRouter({ name: 'orders', tokens, perMinute, parameter, clock, posPriority, refused, answer })

  async function answer(asked: string, response: Response, gone: AbortSignal): Promise<void> {
    const number = unescaped(asked).trim()
    const at = clock.now()
    const answers = await ask(number, gone)
    const order = bestOrder(disambiguated(answers.answered, number), number)
    try {
      if (gone.aborted) return
      nameSources(response, answers)
      if (order) response.json(shape ? shape(order) : platformOrder(order))
      else notFound(response, answers.missing)
    } finally {
      note({ at, number: order?.number ?? number, ...summaryOf(answers) })
    }
  }

  function note(lookup: LookupRow): void {
    const { number: _, at: __, ...said } = lookup
    logger.info({ lookup: 'orders', ...said }, 'lookup.answered')
    if (lookup.number.includes('@')) return
    noteLookup(lookup).catch((error: unknown) => {
      logger.warn({ problem: error instanceof Error ? error.name : 'error' }, 'lookup.not-noted')
    })
  }
}

function summaryOf({ answered, missing, ms }: Answers<FoundOrder>) {
  return { found: answered.filter(({ found }) => found.length > 0).map(({ source }) => source), missing, ms }
}

function notFound(response: Response, missing: readonly string[]): void {
  if (missing.length === 0)
    sendProblem(
      response,
      'order-not-found',
      'Every system that was asked has answered, and none has an order of this number.',
    )
  else
    sendProblem(
      response,
      'order-perhaps-elsewhere',
      `${missing.join(', ')} did not answer in time; the order may be there. Ask again.`,
    )
}

const STATUSES = ['UnHandled', 'Shipped', 'Rejected', 'Picked', 'Returned']

/** Facts §3, Order; unknown fields are null. `name` and `returnedQuantity` of a line are added. */
function platformOrder(order: FoundOrder) {
  const { currency } = order
  return {
    ...NOT_KNOWN.order,
    ...{ orderNo: order.number, createdDateTime: order.placedAt, comment: othersOf(order) },
    paymentLines: order.payments.map(({ type, amount, reference }) => ({
      ...NOT_KNOWN.payment,
      ...{ type, currency, txRef: reference, amount: Number(amount) },
    })),
    orderLines: order.lines.map(lineOf),
    ...{ customer: customerOf(order), shippingAddress: addressOf(order.shippingAddress) },
    ...{ total: Number(order.total), currency },
    status: STATUSES.find((status) => status === order.status) ?? null,
  }
}

const NOT_KNOWN = {
  order: nulls(
    'receiptNo receiptFormatted receiptUrl orderId orderType updatedDateTime dueDateTime expirationDateTime ' +
      'reservationLengthInHours orderEvents shipmentInfo fulfillmentLocation store vatTotal',
  ),
  payment: nulls('subType currencyTendered text rowId'),
  line: nulls('vat fullPrice discount discountPercent sizeText status shipFromOnlineStore'),
  address: nulls('companyName address2 province comment'),
}

function othersOf({ number, posId, others = [] }: FoundOrder): string | null {
  if (others.length === 0) return null
  const [is, other] = posId === undefined ? ['a web order', 'an order of a POS'] : ['an order of a POS', 'a web order']
  return `${number} is ${is}. Its number is that of ${other}, too: ask for ${others.join(' or ')}.`
}

function lineOf({ quantity, returned, gtin, unitPrice, vatRate, rowId, sku, name }: FoundOrderLine) {
  return {
    ...NOT_KNOWN.line,
    ...{ quantity: Number(quantity), returnedQuantity: Number(returned), gtin, price: Number(unitPrice) },
    ...{ vatPercent: numberOf(vatRate), rowId, externalSKU: sku, name, receiptLabel: name },
  }
}

function customerOf({ customer, billingAddress }: FoundOrder) {
  if (customer === null) return null
  const { email, firstName, lastName, companyName } = customer
  const { prefix, number } = splitPhone(customer.phone)
  const phone = { phoneCountryPrefix: prefix, phone: number }
  return { email, firstName, lastName, companyName, taxId: null, ...phone, address: addressOf(billingAddress) }
}

function addressOf(address: Address | null) {
  if (address === null) return null
  const { firstName, lastName, address1, city, postalCode, country, countryCode } = address
  return { ...NOT_KNOWN.address, firstName, lastName, address1, city, postalCode, country, countryCode }
}

function numberOf(decimal: Decimal | null): number | null {
  return decimal === null ? null : Number(decimal)
}

/** Of exactly this number, else the only one that differs in case or punctuation. */
function bestOrder(answers: readonly { found: readonly FoundOrder[] }[], number: string): FoundOrder | null {
  const orders = answers.flatMap(({ found }) => found)
  const exact = orders.find((order) => order.number === number)
  if (exact) return exact
  const alike = orders.filter((order) => isAlike(order.number, number))
  const [first] = alike
  return first && alike.every((order) => plain(order.number) === plain(first.number)) ? first : null
}

function isAlike(one: string, other: string): boolean {
  return bare(one) === bare(other)
}

function bare(number: string): string {
  return number.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function plain(number: string): string {
  return /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su.exec(number.toLowerCase())?.[0] ?? ''
}

interface Answer {
  found: readonly FoundOrder[]
}

/** A web and a POS order may share the number: each names the other. */
function disambiguated(answers: readonly Answer[], number: string): Answer[] {
  const isAsked = (order: FoundOrder) => isAlike(order.number, number)
  const found = answers.flatMap((answer) => answer.found).filter(isAsked)
  const web = found.filter(({ posId }) => posId === undefined)
  const posIds = found.flatMap(({ posId }) => posId ?? [])
  const [first] = web
  if (!first || posIds.length === 0) return [...answers]
  return answers.map((answer) => ({
    found: answer.found.map((order) => {
      if (!isAsked(order)) return order
      return order.posId === undefined
        ? { ...order, others: posIds }
        : { ...order, number: order.posId, others: [first.number] }
    }),
  }))
}
