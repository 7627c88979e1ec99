import { z } from 'zod'
import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { extIdOf } from '../../domain/people/customer-record.ts'
import type { StoreIndex } from '../../domain/places/store-index.ts'
import { field, text } from '../../domain/values/field.ts'
import { digestOf } from '../../domain/values/text.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Incoming } from '../../inbox/reading.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSequentialByKey } from '../../lib/semaphore.ts'
import type { Intake, IntakeEnd, IntakeItem, IntakeLine } from '../../ports/intake.ts'
import type { Store } from '../../store/store.ts'
import { createEndlessAisle } from '../submissions/endless-aisle.ts'
import {
  CHANGED_AT,
  cancellationOf,
  cancelledBefore,
  createKnownOrders,
  type KnownOrder,
  movedFault,
  notKept,
} from '../submissions/known-orders.ts'
import { fault, found, type Readable, type Reading, type ReadingContext } from '../submissions/reading.ts'
import { RESOURCES } from '../submissions/resources.ts'
import { createStoreFinder } from '../submissions/stores.ts'

interface Options {
  systems: readonly IntakeSystem[]
  inbox: Pick<Inbox, 'accept'>
  store: Pick<Store, 'events' | 'event' | 'links' | 'linksTo' | 'jobs'>
  storeIndex: () => StoreIndex
  saleStores: Readonly<Record<string, string>>
  stockWriters: Readonly<Record<string, string>>
  wholeQuantities: boolean
  clock: Clock
  logger: Logger
}

/** The end of an item. `nothing`: there is nothing to do about it, and no event. */
export interface Taken extends IntakeEnd {
  id: number | null
}

/** Takes what own systems hand over, however it came. */
export interface Taking {
  /**
   * Items each become an event, durably, or nothing; what is wrong with one is never the sender's trouble: it is kept in
   * quarantine. `body`: the request that they came in. Rejects with a StoreUnavailableError, or a StoresUnknownError; then
   * the same items may be taken again.
   */
  take(system: string, items: readonly IntakeItem[], body?: Uint8Array): Promise<Taken[]>
  keepUnreadable(system: string, body: Uint8Array, why: string): Promise<Taken>
}

/** The kinds that items become; what is in quarantine is found under them. */
const KINDS: Readonly<Record<IntakeItem['resource'], string>> = {
  orders: 'OrderSubmitted',
  cancellations: 'OrderCancelSubmitted',
  sales: 'SaleSubmitted',
  customers: 'CustomerSubmitted',
  products: 'ProductSubmitted',
  prices: 'PriceSubmitted',
  'cost-prices': 'CostPriceSubmitted',
  'stock-adjustments': 'StockLevelSubmitted',
  deliveries: 'DeliverySubmitted',
}

export function createTaking(options: Options): Taking {
  const { systems, inbox, store, storeIndex, saleStores, stockWriters, wholeQuantities, clock, logger } = options
  const stores = createStoreFinder(storeIndex, saleStores)
  const endlessAisle = createEndlessAisle(store)
  const known = createKnownOrders(store)
  const connected = createConnected(store, clock)
  /** The reading of an item depends on what was taken of the same order before. */
  const inTurn = createSequentialByKey()

  async function takeOne(system: IntakeSystem, item: IntakeItem, body: Uint8Array | undefined): Promise<Taken> {
    const asked = await read(system, item)
    if (asked === null) return { status: 'nothing', id: null, faults: [] }
    if ('faults' in asked && item.refusable) return { status: 'refused', id: null, faults: asked.faults }
    const arrival = {
      origin: system.name,
      transportKey: nameOf(item, asked),
      headers: item.changedAt === undefined ? {} : { [CHANGED_AT]: item.changedAt },
    }
    if (!('faults' in asked)) return await accept({ ...arrival, ...eventOf(asked, system.name) })
    const kept = body ?? Buffer.from(JSON.stringify(item.value))
    const why = asked.faults.join('; ') || 'it says nothing'
    return await accept({ ...arrival, kind: KINDS[item.resource], body: kept, unreadable: why })
  }

  async function read(system: IntakeSystem, item: IntakeItem): Promise<Asked> {
    if (item.faults) return { faults: [...item.faults] }
    const context: ReadingContext = { system: system.name, stores, stockWriters, wholeQuantities }
    if (item.resource === 'customers') return readCustomerItem(item, system, context)
    if (isLine(item.resource)) return RESOURCES[item.resource].readLine(item.value, context)
    const orderNo = orderNoOf(item)
    if (orderNo === null) return withoutNumber(item)
    const before = await known.find(orderNo)
    if (item.resource === 'orders') {
      const off = before === null ? await known.calledOffAt(orderNo) : null
      return isBefore(item.changedAt, off) ? null : readOrderItem(item, system, context, before)
    }
    if (item.resource === 'sales')
      return (await isNoSale(system, item, orderNo)) ? null : readSaleItem(item, system, context, before)
    const [link] = await store.links(system.name, 'order', [orderNo])
    return readCancellationItem(item, orderNo, system, before, link?.theirId ?? null)
  }

  async function isNoSale(system: IntakeSystem, item: IntakeItem, orderNo: string): Promise<boolean> {
    if (await isOfTill(system, item, orderNo)) return true
    if (!(await connected.wasBefore(system, item))) return false
    logger.info({ destination: system.name, orderNo, completedAt: item.completedAt }, 'intake.sale-before-connected')
    return true
  }

  /**
   * Whether it began at a till, by its number, or because the hub created it there for one: it may have a number of its own there. Where
   * the till's order of this number has another id there, this one is the shop's own.
   */
  async function isOfTill({ name }: IntakeSystem, { theirId }: IntakeItem, orderNo: string): Promise<boolean> {
    const names = theirId === null ? [orderNo] : [orderNo, theirId]
    if ((await endlessAisle.knownAs(names, [name])).size > 0) return true
    if ((await endlessAisle.among([orderNo])).size === 0) return false
    return theirId === null || !(await endlessAisle.createdAs([orderNo], [name])).has(orderNo)
  }

  async function accept(
    arrival: Pick<
      Incoming,
      'kind' | 'origin' | 'transportKey' | 'headers' | 'body' | 'unreadable' | 'links' | 'acknowledges'
    >,
  ): Promise<Taken> {
    const verdict = await inbox.accept({
      ...arrival,
      subscription: null,
      receivedAt: clock.now(),
      intake: true,
    })
    const { status, id } = verdict
    const facts = { destination: arrival.origin, kind: arrival.kind, event: id }
    if (status === 'conflict') logger.error({ ...facts, with: verdict.with }, 'event.conflict')
    if (status === 'quarantined') logger.error(facts, 'event.quarantined')
    return { status, id, faults: [] }
  }

  return {
    async take(name, items, body) {
      const system = systems.find((one) => one.name === name)
      if (!system) throw new TypeError(`There is no own system ${name}.`)
      const taken = items.map((item) =>
        inTurn(orderNoOf(item) ?? `${item.resource}/${item.key}`, () => takeOne(system, item, body)),
      )
      // All are over before the first failure is told: nothing goes on behind the caller's back.
      await Promise.allSettled(taken)
      return await Promise.all(taken)
    },

    keepUnreadable: (system, body, why) =>
      accept({ kind: 'IntakeReceived', origin: system, transportKey: null, headers: {}, body, unreadable: why }),
  }
}

/**
 * The name of what an item says, for ever. The key of its state is not enough: a shop does not move the date of an order for each
 * change, and two may be of one second. What cannot be taken has no other words than its own.
 */
function nameOf({ resource, key, place, value }: IntakeItem, asked: Reading): string {
  const said = 'faults' in asked ? { place, value } : asked.payload
  return `${resource}/${key}/${digestOf(said).slice(0, 12)}`
}

function isLine(resource: IntakeItem['resource']): resource is IntakeLine {
  return LINES.includes(resource)
}

const LINES: readonly string[] = ['products', 'prices', 'cost-prices', 'stock-adjustments', 'deliveries']

function eventOf({ kind, payload, links = [], acknowledges }: Readable, destination: string) {
  return {
    kind,
    body: Buffer.from(JSON.stringify(payload)),
    unreadable: null,
    links: links.map((link) => ({ ...link, destination })),
    ...(acknowledges && { acknowledges }),
  }
}

/** Allowance for clock skew and zones (milliseconds): one sale too many can be corrected, a dropped one is not noticed. */
const ALLOWANCE = 24 * 60 * 60_000

/** An order that was changed no later than this after its completion is told of because of it (milliseconds). */
const AT_ONCE = 10 * 60_000

/** What the job `shop-orders` remembers of systems. */
const Remembered = z.object({ connected: z.record(z.string(), z.number()) }).catch(() => ({ connected: {} }))

type System = Pick<IntakeSystem, 'name' | 'salesSince'>

/**
 * Tells what a system completed before it was connected, and merely touches now: a refund, a corrected address or a plugin brings
 * orders of years ago, whose sales the platform has, or never had, by other ways. Where it is not known since when a system is
 * connected, nothing is too old.
 */
export function createConnected(store: Pick<Store, 'jobs'>, clock: Pick<Clock, 'now'>) {
  return {
    async wasBefore(
      { name, salesSince }: System,
      item: Pick<IntakeItem, 'completedAt' | 'changedAt'>,
    ): Promise<boolean> {
      if (item.completedAt === undefined) return false
      const completed = Date.parse(item.completedAt)
      if (salesSince !== undefined) return completed < Date.parse(salesSince)
      if (item.changedAt !== undefined && Date.parse(item.changedAt) <= completed + AT_ONCE) return false
      const since = await remembered(name)
      // Read each time: another hub may have put right what one with a wrong clock remembered.
      return since !== undefined && since <= clock.now() && completed < since - ALLOWANCE
    },
  }

  async function remembered(name: string): Promise<number | undefined> {
    const state = (await store.jobs()).find((job) => job.name === 'shop-orders')?.state
    return Remembered.parse(state ? JSON.parse(state) : null).connected[name]
  }
}

type Asked = Reading | null

type Rules = Pick<IntakeSystem, 'name' | 'places' | 'country' | 'currencies' | 'reservationHours'>

function readOrderItem(
  { place, theirId, value, changedAt }: IntakeItem,
  rules: Rules,
  context: ReadingContext,
  known: KnownOrder | null,
): Asked {
  const named = value.storeNo ?? value.storeId ?? null
  if (named === null && place === null) return null
  const order = {
    ...value,
    ...(named === null && place !== null && { storeNo: storeOf(place, rules) }),
    reservationLengthInHours: value.reservationLengthInHours ?? rules.reservationHours,
  }
  const reading = only(RESOURCES.orders.readObject(order, context))
  if ('faults' in reading)
    return place === null ? reading : { faults: [...reading.faults, ...aboutPlace(place, rules)] }
  const submitted = reading.payload as SubmittedOrder
  const { orderNo } = submitted
  const linked = { ...reading, links: [{ kind: 'order', id: orderNo, theirId: theirId ?? orderNo }] }
  if (!known) return linked
  if (isOlder(changedAt, known)) return null
  const { latest, cancelled } = known
  if (latest && isSame(submitted, latest)) return cancelled ? { faults: [cancelledBefore(orderNo)] } : null
  if (known.origin !== rules.name) return { faults: [ofAnother(orderNo, known)] }
  if (cancelled) return { faults: [cancelledBefore(orderNo)] }
  if (!latest) return { faults: [notKept(orderNo)] }
  const moved = movedFault(submitted, latest)
  return moved === null ? { ...linked, kind: 'OrderChangeSubmitted' } : { faults: [moved] }
}

/**
 * An order that is off. Where no store has it, that is kept: what was said of it before may come later. `knownId`: the id that it
 * came with.
 */
function readCancellationItem(
  { theirId, changedAt }: IntakeItem,
  orderNo: string,
  { name }: Rules,
  known: KnownOrder | null,
  knownId: string | null,
): Asked {
  if (!known) return changedAt === undefined ? null : { kind: 'OrderCalledOff', payload: { orderNo, changedAt } }
  if (known.cancelled || isOlder(changedAt, known)) return null
  if (known.origin !== name) return { faults: [ofAnother(orderNo, known)] }
  if (theirId !== null && knownId !== null && theirId !== knownId)
    return { faults: [`what is off has the id ${theirId} there, and order ${orderNo} has the id ${knownId}`] }
  if (!known.latest) return { faults: [notKept(orderNo)] }
  return cancellationOf(orderNo, known.latest)
}

/** A completed order: not where the platform has its sale already, because it began at a till or went through a store. */
function readSaleItem(
  { place, value }: IntakeItem,
  rules: Rules,
  context: ReadingContext,
  known: KnownOrder | null,
): Asked {
  if (known || value.endlessAisle === true) return null
  const sale = {
    ...value,
    ...(value.customer !== undefined && { customer: ofSystem(value.customer, rules.name) }),
    ...(namesStore(value) ? {} : standingFor(place, value, rules)),
  }
  return only(RESOURCES.sales.readObject(sale, context))
}

function readCustomerItem({ value, changedAt }: IntakeItem, { name }: Rules, context: ReadingContext): Reading {
  const customer = { ...value, ...(changedAt !== undefined && { changedAt }) }
  return only(RESOURCES.customers.readObject(ofSystem(customer, name), context))
}

/** Shops count their accounts alike: customer 42 of two of them is two people. */
function ofSystem(customer: unknown, system: string): unknown {
  const extId = field(customer, 'extId')
  return typeof extId === 'string' ? { ...Object(customer), extId: extIdOf(system, extId) } : customer
}

function orderNoOf({ value: { orderNo } }: IntakeItem): string | null {
  return typeof orderNo === 'string' && orderNo.trim() !== '' ? orderNo.trim() : null
}

function withoutNumber({ value }: IntakeItem): { faults: string[] } {
  return { faults: [fault(['orderNo'], found(value.orderNo), 'the number of the order, as text')] }
}

function namesStore({ storeNo, storeId }: Record<string, unknown>): boolean {
  return (storeNo ?? storeId ?? null) !== null
}

/** The currency goes before the country, and the country of config before that of the item, which may be where the customer lives. */
function standingFor(place: string | null, value: Record<string, unknown>, rules: Rules): Record<string, unknown> {
  const storeNo = rules.currencies[currencyOf(value) ?? '']
  if (storeNo !== undefined) return { country: undefined, storeNo }
  if (rules.country !== undefined) return { country: rules.country }
  return value.country || place === null ? {} : { storeNo: storeOf(place, rules) }
}

function currencyOf({ paymentLines }: Record<string, unknown>): string | null {
  const [first] = Array.isArray(paymentLines) ? paymentLines : []
  return text(first, 'currency')?.toUpperCase() ?? null
}

function storeOf(place: string, { places }: Rules): string {
  return Object.hasOwn(places, place) ? (places[place] ?? place) : place
}

function aboutPlace(place: string, { name, places }: Rules): string[] {
  if (Object.hasOwn(places, place)) return []
  const shown = found(place)
  return [`its place is ${shown}: destinations.${name}.intake.stores in config may say which store that is`]
}

/** Whether a state of an order is not its last: shops count in seconds, and within one the cancellation is the last. */
function isOlder(changedAt: string | undefined, { changedAt: last, cancelled }: KnownOrder): boolean {
  return (
    isBefore(changedAt, last) ||
    (cancelled && changedAt !== undefined && Date.parse(changedAt) === Date.parse(last ?? ''))
  )
}

function isBefore(one: string | undefined, other: string | null): boolean {
  return one !== undefined && other !== null && Date.parse(one) < Date.parse(other)
}

/** Shops count their orders alike: a number of two of them is not one order. */
function ofAnother(orderNo: string, { origin }: KnownOrder): string {
  return (
    `order ${orderNo} was submitted by ${origin} before, and is changed and cancelled by it only: ` +
    'if they are two orders, let one of the systems put a prefix before its numbers'
  )
}

function isSame(one: SubmittedOrder, other: SubmittedOrder): boolean {
  const said = ({ lines, ...order }: SubmittedOrder) => [order, lines.map(({ name: _, ...line }) => line)]
  return JSON.stringify(said(one)) === JSON.stringify(said(other))
}

function only(readings: Iterable<Reading>): Reading {
  const [first] = readings
  return first ?? { faults: [] }
}

/** An own system that hands orders over, and what config says of it (`intake` of a destination). */
export interface IntakeSystem {
  name: string
  intake: Intake
  /** Stores by the system's own names of places; other names are store numbers themselves. */
  places: Readonly<Record<string, string>>
  /** Where its completed orders were placed. */
  country: string | undefined
  /** The store that sales in a currency are imported under, by its number. */
  currencies: Readonly<Record<string, string>>
  /** How long the store keeps the goods of an order that does not say so. */
  reservationHours: number | undefined
  /** Orders completed before this (ISO 8601 with its zone) are no sales; undefined: those from a day before it was connected. */
  salesSince: string | undefined
}
