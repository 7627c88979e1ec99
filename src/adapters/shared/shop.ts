import type { Address, SaleLine } from '../../domain/accounting/sale.ts'
import { spellingsOf } from '../../domain/catalogue/article-number.ts'
import type { Reconciled } from '../../domain/completeness/reconciled.ts'
import { type CustomerRecord, mayBeOneName, UNKNOWN_CUSTOMER } from '../../domain/customers/customer-record.ts'
import { idsOfOrder, sortOfLink } from '../../domain/orders/link.ts'
import type { FoundOrder, PosOrder } from '../../domain/orders/order.ts'
import { type Candidate, saysLacking, theOneMeant } from '../../domain/orders/which-order.ts'
import type { ErasedCustomer } from '../../domain/privacy/notice.ts'
import {
  PermanentError,
  RetryLaterError,
  UnfinishedLookError,
  UnknownOutcomeError,
} from '../../domain/values/errors.ts'
import type { Texts } from '../../domain/values/field.ts'
import { type Instant, isInFuture } from '../../domain/values/instant.ts'
import { allocateMoney, type Decimal, type Money, parseDecimal } from '../../domain/values/money.ts'
import { splitPhone } from '../../domain/values/phone.ts'
import type { Attempt, Effect, GivenOrder, Intake, IntakeItem, OrdersCall, OrdersPort } from '../../ports/ports.ts'

/** How much a shop's clock may be behind ours (milliseconds). */
export const CLOCKS = 10 * 60_000

/** An earlier attempt may have left something behind. A 503 counts as no attempt: then `firstTriedAt` tells. */
export function isAgain({ previous, firstTriedAt }: Pick<Attempt, 'previous' | 'firstTriedAt'>): boolean {
  return firstTriedAt !== null || previous !== 'none'
}

export function since({ firstTriedAt }: Pick<Attempt, 'firstTriedAt'>): Instant {
  return (firstTriedAt ?? Date.now()) - CLOCKS
}

type Method = OrdersCall['method']

/** Executes one effect. `find`: only completes what an earlier attempt left; null if that left nothing. */
export type Step<Context, Name extends Method> = (
  context: Context,
  argument: Extract<OrdersCall, { method: Name }>['argument'],
  attempt: Attempt,
  find: boolean,
) => Promise<Effect | null>

type Steps<Context> = { [Name in Method]: Step<Context, Name> }

export function ordersBySteps<Context>(
  context: Context,
  steps: Steps<Context>,
): Required<Pick<OrdersPort, Method | 'find'>> {
  const method =
    <Name extends Method>(name: Name) =>
    async (argument: Parameters<Steps<Context>[Name]>[1], attempt: Attempt): Promise<Effect> => {
      const effect = await steps[name](context, argument as never, attempt, false)
      if (effect) return effect
      throw new TypeError(`${name} gave no effect`)
    }
  return {
    create: method('create'),
    draft: method('draft'),
    ready: method('ready'),
    collected: method('collected'),
    decline: method('decline'),
    expire: method('expire'),
    ship: method('ship'),
    refund: method('refund'),
    noteRefund: method('noteRefund'),
    find: (attempt, call) => steps[call.method](context, call.argument as never, attempt, true),
  }
}

type Found<Order> = Omit<Candidate<Order>, 'holds' | 'lacks'>

interface OrderReader<Order> {
  idOf(order: Order): string
  isFromPos(order: Order): boolean
  byId(id: string): Promise<Order | null>
  byNumber(number: string): Promise<Order[]>
}

/** Orders that a number may mean. With a linked order of the shop's own, no other is searched: a shop gives a number once. */
export async function candidatesOf<Order>(
  number: string,
  { links }: Pick<Attempt, 'links'>,
  { idOf, isFromPos, byId, byNumber }: OrderReader<Order>,
): Promise<Found<Order>[]> {
  const found = new Map<string, Found<Order>>()
  const add = (order: Order, is: Found<Order>['is']) => {
    const theirId = idOf(order)
    if (!found.has(theirId)) found.set(theirId, { order, theirId, is })
  }
  for (const { id, theirId } of await links('order', idsOfOrder(number))) {
    const order = await byId(theirId)
    const sort = sortOfLink(id)
    if (order) add(order, sort === 'web' && isFromPos(order) ? 'pos' : sort)
  }
  if (![...found.values()].some(({ is }) => is === 'web'))
    for (const order of await byNumber(number)) add(order, isFromPos(order) ? 'pos' : 'web')
  return [...found.values()]
}

/** Throws HeldError `ambiguous-order`, PermanentError `no-such-order`. */
export function theOrder<Order>(destination: string, number: string, candidates: readonly Candidate<Order>[]): Order {
  const meant = theOneMeant(destination, number, candidates)
  if (meant) return meant
  throw new PermanentError(
    `${destination}: the shop has no order ${number}.${saysLacking(candidates)} If it is in another system, give this destination only its own stores; if it was deleted here, skip this.`,
    { code: 'no-such-order' },
  )
}

export function lineNameOf({ name, color, size }: SaleLine): string {
  return [name, color, size].filter(Boolean).join(', ')
}

/** `"Cap" (SKU A1, GTIN none), quantity 2`. */
export function describeLine(line: SaleLine): string {
  return `"${lineNameOf(line)}" (SKU ${line.sku ?? 'none'}, GTIN ${line.gtin ?? 'none'}), quantity ${line.quantity}`
}

/** `Card (Visa) + Gift card`; nothing where no payment is known. */
export function waysOfPayment({ payments }: PosOrder): string {
  return [...new Set(payments.map(({ type, subType }) => (subType ? `${type} (${subType})` : type)))].join(' + ')
}

const MAX_QUANTITY = 10_000
const ONE = parseDecimal(1)

/** Prices that add up to the line's cost: three for 100 kr are 2 × 33.33 and 1 × 33.34. A fractional quantity counts as one piece. */
export function piecesOf(cost: Money, quantity: number): { price: Decimal; quantity: Decimal }[] {
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY)
    return [{ price: cost.amount, quantity: ONE }]
  const prices = allocateMoney(cost, new Array(quantity).fill(ONE)).map(({ amount }) => amount)
  const byPrice = Map.groupBy(prices, (price) => price)
  return [...byPrice].map(([price, those]) => ({ price, quantity: parseDecimal(those.length) }))
}

export interface ReconciledOrder {
  /** Of the attempt that created it; null if the shop's staff removed it. */
  key: string | null
  isTrash?: boolean
  isOff: boolean
  /** With tax; null if it changed since its creation. */
  amount: Money | null
}

interface ReconcileSource {
  byKeys(keys: ReadonlySet<string>, since: Instant): Promise<[key: string, id: string][]>
  read(ids: string[]): Promise<ReadonlyMap<string, ReconciledOrder>>
}

/** By links; after several calls for an order also by key. */
export async function tallyOrders(
  given: readonly GivenOrder[],
  { byKeys, read }: ReconcileSource,
): Promise<Reconciled[]> {
  const again = given.filter(({ calledAgainSince }) => calledAgainSince !== undefined)
  const keys = new Set(again.flatMap((one) => one.keys))
  const first = Math.min(...again.map(({ calledAgainSince = 0 }) => calledAgainSince))
  const found = again.length === 0 ? [] : await byKeys(keys, first - CLOCKS)
  const idsOf = (one: GivenOrder) => {
    const ofKey = found.flatMap(([key, id]) => (one.keys.includes(key) ? [id] : []))
    return [...new Set([...one.links.map(({ theirId }) => theirId), ...ofKey])]
  }
  const orders = await read([...new Set(given.flatMap(idsOf))])
  return given.map((one) => talliedOf(one, idsOf(one), orders))
}

/** Stores may give one number to several orders: ids under another key are left out. */
function talliedOf(
  { keys }: GivenOrder,
  all: readonly string[],
  orders: ReadonlyMap<string, ReconciledOrder>,
): Reconciled {
  const ids = all.filter((id) => keys.includes(orders.get(id)?.key ?? keys[0]))
  if (ids.length === 0) return { is: 'unknown', why: 'no id of it is known' }
  const found = ids.flatMap((id) => orders.get(id) ?? [])
  const there = found.filter(({ isTrash }) => !isTrash)
  const on = there.filter(({ isOff }) => !isOff)
  const first = on[0] ?? there[0]
  if (first) return { is: 'there', count: Math.max(1, on.length), amount: first.amount }
  return { is: 'lacking', ...(found.length > 0 && { why: 'in the trash' }) }
}

const MAX_PLACES = 1_000

/** Milliseconds; what was read before may have changed since. */
const PLACE_TTL = 15 * 60_000

interface Page<Order, Place> {
  orders: Order[]
  next: Place | null
}

interface Search<Order, Place> {
  start: Place
  /** Oldest first, so that new orders move no other to a page that was read. */
  read(place: Place, from: Instant, signal: AbortSignal): Promise<Page<Order, Place>>
  hasKey(order: Order, key: string): boolean
}

/** Finds orders by our key in a note or in meta data, in shops without idempotency keys. */
export function createKeySearch<Order extends { id: string | number }, Place>(
  { start, read, hasKey }: Search<Order, Place>,
  now: () => Instant = Date.now,
) {
  const places = new Map<string, { since: Instant; place: Place }>()

  return {
    /** Continues at the page before the one that failed: a deletion moves orders to the page before. */
    async find({ key, firstTriedAt, signal }: Pick<Attempt, 'key' | 'firstTriedAt' | 'signal'>): Promise<Order | null> {
      const known = places.get(key)
      const began = known && now() - known.since < PLACE_TTL ? known : { since: now(), place: start }
      let before = began.place
      let place: Place | null = began.place
      let pages = 0
      try {
        while (place !== null) {
          remember(key, { since: began.since, place: before })
          const { orders, next }: Page<Order, Place> = await read(place, since({ firstTriedAt }), signal)
          const found = orders.find((order) => hasKey(order, key))
          if (found) {
            places.delete(key)
            return found
          }
          pages += 1
          before = place
          place = next
        }
        places.delete(key)
        return null
      } catch (error) {
        if (pages === 0 || !mayPass(error)) throw error
        throw new UnfinishedLookError(error.message, { code: error.code, cause: error })
      }
    },

    async byKeys(keys: ReadonlySet<string>, from: Instant, signal: AbortSignal): Promise<[key: string, id: string][]> {
      const found: [string, string][] = []
      for (let place: Place | null = start; place !== null; ) {
        const { orders, next }: Page<Order, Place> = await read(place, from, signal)
        for (const order of orders) for (const key of keys) if (hasKey(order, key)) found.push([key, String(order.id)])
        place = next
      }
      return found
    },
  }

  function remember(key: string, place: { since: Instant; place: Place }): void {
    places.set(key, place)
    const [oldest] = places.keys()
    if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest)
  }
}

export type KeySearch<Order extends { id: string | number }> = ReturnType<typeof createKeySearch<Order, unknown>>

function mayPass(error: unknown): error is RetryLaterError | UnknownOutcomeError {
  if (error instanceof UnknownOutcomeError) return !error.byHand
  return error instanceof RetryLaterError && error.scope === 'item'
}

/** Milliseconds that are read again: an order may be saved after one that was changed later. */
const OVERLAP = 2 * 60_000

/** How far the first poll looks back (milliseconds). */
const FIRST = 10 * 60_000
const SECOND = 1_000

interface PollSource<Order> {
  /** Oldest change first. `page`: from 1. */
  read(after: Instant, page: number, signal: AbortSignal): Promise<{ orders: Order[]; more: boolean }>
  changedAt(order: Order): Instant
  itemsOf(order: Order, signal: AbortSignal): IntakeItem[] | Promise<IntakeItem[]>
}

/** Continues from the second of the last order of a page; with a full page of one second, at its next page. */
export function createOrderPoll<Order>(
  { read, changedAt, itemsOf }: PollSource<Order>,
  now: () => Instant = Date.now,
): NonNullable<Intake['poll']> {
  return async (given, { signal }) => {
    const asked = now()
    const cursor = readCursor(given, asked)
    const { orders, more } = await read(cursor.after, cursor.page, signal)
    const newest = orders.map(changedAt).findLast((time) => !Number.isNaN(time)) ?? null
    const items: IntakeItem[] = []
    for (const order of orders) items.push(...(await itemsOf(order, signal)))
    const { after, page } = nextCursor(cursor, newest, more, asked)
    return { items, cursor: `${formatSeconds(after)}/${page}`, more }
  }
}

/** Written as `2026-11-28T12:00:00/1`. */
interface Cursor {
  after: Instant
  page: number
}

function nextCursor({ after, page }: Cursor, newest: Instant | null, more: boolean, now: Instant): Cursor {
  // A cursor in the future would find nothing until then.
  const isAhead = newest !== null && isInFuture(newest, now)
  if (!more) return { after: Math.max(after, (isAhead ? now - FIRST : (newest ?? after)) - OVERLAP), page: 1 }
  const next = newest === null || isAhead ? after : toSecond(newest) - SECOND
  return next > after ? { after: next, page: 1 } : { after, page: page + 1 }
}

function readCursor(cursor: string | null, now: Instant): Cursor {
  const [, time, page = '1'] = /^(\d[\d:T.-]+)Z?(?:\/(\d+))?/.exec(cursor ?? '') ?? []
  const after = Date.parse(`${time}Z`)
  const isKept = !Number.isNaN(after) && !isInFuture(after, now)
  return isKept ? { after, page: Number(page) } : { after: toSecond(now - FIRST), page: 1 }
}

function toSecond(instant: Instant): Instant {
  return Math.floor(instant / SECOND) * SECOND
}

export function formatSeconds(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 19)
}

export type WantedArticle = Pick<SaleLine, 'sku' | 'gtin'>

interface Source<Product> {
  fetch(field: 'sku' | 'gtin', texts: string[]): Promise<Product[]>
  textOf(product: Product, field: 'sku' | 'gtin'): string | null
  normalize(text: string): string
}

const written = (text: string | null) => (text === null ? [] : [text.trim()])
/** As written was asked for before. */
const spelled = (text: string | null) => (text === null ? [] : spellingsOf(text).slice(1))

/** The surest first. Many shops have the GTIN as SKU, some with other leading zeros. */
const WAYS = [
  { field: 'sku', wanted: ({ sku }: WantedArticle) => written(sku) },
  { field: 'gtin', wanted: ({ gtin }: WantedArticle) => written(gtin) },
  { field: 'sku', wanted: ({ gtin }: WantedArticle) => written(gtin) },
  { field: 'gtin', wanted: ({ gtin }: WantedArticle) => spelled(gtin) },
  { field: 'sku', wanted: ({ gtin }: WantedArticle) => spelled(gtin) },
] as const

/** Null: none, or several that spell the GTIN in other ways. */
export async function findArticles<Product>(
  articles: readonly WantedArticle[],
  { fetch, textOf, normalize }: Source<Product>,
): Promise<(Product | null)[]> {
  const found: (Product | null)[] = articles.map(() => null)
  for (const { field, wanted } of WAYS) {
    const missing = articles.flatMap((article, index) => (found[index] ? [] : wanted(article))).filter(Boolean)
    if (missing.length === 0) continue
    const products = await fetch(field, [...new Set(missing)])
    const byText = new Map<string, Product>()
    for (const product of products.toReversed()) {
      const text = normalize(textOf(product, field) ?? '')
      if (text !== '') byText.set(text, product)
    }
    for (const [index, article] of articles.entries()) {
      const own = new Set(wanted(article).flatMap((text) => byText.get(normalize(text)) ?? []))
      const [product] = own.size === 1 ? own : []
      if (product) found[index] ??= product
    }
  }
  return found
}

/** `whose`: the platform's id of the customer for whom it was last written, where the shop stores that. */
interface Owner {
  whose: string | null
  firstName: string | null
  email: string | null
}

interface Accounts<Account> {
  byId(id: string): Promise<Account | null>
  byEmail(email: string): Promise<Account | null>
  ownerOf(account: Account): Owner
}

export async function accountFor<Account>(
  customer: CustomerRecord,
  attempt: Attempt,
  { byId, byEmail, ownerOf }: Accounts<Account>,
): Promise<Account | null> {
  const { customerId, email } = customer
  const [link] = customerId === null ? [] : await attempt.links('customer', [customerId])
  const linked = link ? await byId(link.theirId) : null
  if (linked && !isOfAnother(ownerOf(linked), customer)) return linked
  return email === null ? null : await byEmail(email)
}

/** A family may share an e-mail address: each would overwrite what the account says of the other. */
export function isOfAnother({ whose, firstName }: Owner, customer: CustomerRecord): boolean {
  if (whose === null || customer.customerId === null || whose === customer.customerId) return false
  return !mayBeOneName(customer, { ...UNKNOWN_CUSTOMER, firstName })
}

export function leftToAnother({ whose }: Owner): Effect {
  return {
    note: `the account with this e-mail address is another customer’s (${whose}), by another first name, and the shop keeps one for each address: nothing was sent`,
  }
}

/** `ofOthers`: accounts that were linked to the data subject, and are another customer's by now. */
export async function accountsToErase<Account extends { id: string | number }>(
  { theirIds, customerIds, emails }: ErasedCustomer,
  { byId, byEmail, ownerOf }: Accounts<Account>,
): Promise<{ own: Account[]; ofOthers: Account[] }> {
  const found = [...(await Promise.all(theirIds.map(byId))), ...(await Promise.all(emails.map(byEmail)))]
  const accounts = new Map(found.flatMap((one) => (one ? [[one.id, one] as const] : [])))
  const isOther = (account: Account) => {
    const { whose, email } = ownerOf(account)
    return whose !== null && !customerIds.includes(whose) && !emails.includes(email?.toLowerCase() ?? '')
  }
  const { own = [], ofOthers = [] } = Object.groupBy(accounts.values(), (one) => (isOther(one) ? 'ofOthers' : 'own'))
  return { own, ofOthers }
}

export function savedCustomer(what: string, { customerId }: CustomerRecord, theirId: string): Effect {
  const note = `customer ${theirId} ${what}`
  return customerId === null ? { note } : { note, links: [{ kind: 'customer', id: customerId, theirId }] }
}

/** A person and an address as any shop has them. `phone`: E.164 if it could be read. */
export type Contact = Texts<'email' | 'firstName' | 'lastName' | 'companyName' | 'phone' | 'address1' | 'address2'> &
  Texts<'city' | 'province' | 'postalCode' | 'country' | 'countryCode'>

export function given<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}

function streetOf({ address1, address2 }: Contact): string | null {
  return [address1, address2].filter(Boolean).join(', ') || null
}

export function foundAddress(contact: Contact): Address | null {
  const { firstName, lastName, city, postalCode, country, countryCode } = contact
  const address1 = streetOf(contact)
  if (address1 === null && city === null && postalCode === null) return null
  return { firstName, lastName, address1, city, postalCode, country, countryCode }
}

export function foundCustomer({ email, firstName, lastName, companyName, phone }: Contact): FoundOrder['customer'] {
  return { email, firstName, lastName, companyName, phone }
}

export function customerRecord(extId: string | null, contact: Contact): CustomerRecord {
  const { email, firstName, lastName, companyName, phone, postalCode, city, countryCode } = contact
  const place = { address: streetOf(contact), postalCode, city, countryCode }
  return {
    customerId: null,
    extId,
    email: email?.toLowerCase() ?? null,
    firstName,
    lastName,
    companyName,
    phone,
    ...place,
  }
}

/** Address of `POST /v1/orders`; null if it names no place. Shops fill in the country by themselves. */
export function orderAddress({ email, phone, ...address }: Contact): object | null {
  const { address1, city, postalCode, lastName, companyName } = address
  return address1 || city || postalCode || lastName || companyName ? given(address) : null
}

/** Customer of `POST /v1/orders`. */
export function orderCustomer({ email, firstName, lastName, phone }: Contact): object {
  const { prefix, number } = splitPhone(phone)
  return given({ email, firstName, lastName, phone: number, phoneCountryCode: prefix })
}

/** Customer of `POST /v1/sales` and `/v1/customers`. The sequence of its fields is part of digests. */
export function saleCustomer(extId: string, contact: Contact): Record<string, unknown> {
  const { email, firstName, lastName, companyName, phone, postalCode, city, countryCode } = contact
  const { prefix, number } = splitPhone(phone)
  return given({
    ...{ extId, email, firstName, lastName, companyName, phone: number, phoneCountryPrefix: prefix },
    ...{ address: streetOf(contact), postalCode, city },
    countryCode: countryCode !== null && /^[A-Z]{2}$/.test(countryCode) ? countryCode : null,
  })
}
