import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { extIdOf } from '../../domain/customers/customer-record.ts'
import type { StoreIndex } from '../../domain/stores/store-index.ts'
import { messageOf } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import { digestOf } from '../../domain/values/text.ts'
import type { Inbox } from '../../ingest/accept.ts'
import type { Incoming } from '../../ingest/parse.ts'
import type { Clock } from '../../lib/clock.ts'
import { beyondLimits, type JsonLimits } from '../../lib/json.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSequentialByKey } from '../../lib/semaphore.ts'
import type { Intake, IntakeEnd, IntakeItem, IntakeLine, IntakeRequest } from '../../ports/ports.ts'
import type { Storage } from '../../storage/storage.ts'
import { type Budget, packingOf, readRaw } from '../body.ts'
import { sendProblem, tooLarge } from '../problem.ts'
import { createUnauthorizedHandler, endWith, markAuthenticated, type Refused } from '../refusals.ts'
import {
  CHANGED_AT,
  cancellationOf,
  cancelledBefore,
  createEndlessAisle,
  createKnownOrders,
  type KnownOrder,
  movedFault,
  notKept,
} from '../submissions/known-orders.ts'
import { fault, found, type Readable, type Reading, type ReadingContext } from '../submissions/reading.ts'
import { RESOURCES } from '../submissions/resources.ts'
import { createStoreFinder } from '../submissions/stores.ts'

export interface IntakeSystem {
  name: string
  intake: Intake
  /** Store numbers by the system's names. */
  places: Readonly<Record<string, string>>
  country: string | undefined
  /** Store number for sales of a currency. */
  currencies: Readonly<Record<string, string>>
  reservationHours: number | undefined
  /** ISO 8601 with zone. Default: a day before the system was connected. */
  salesSince: string | undefined
}

interface FeedOptions {
  systems: readonly Pick<IntakeSystem, 'name' | 'intake'>[]
  taking: ReturnType<typeof createTaking>
  maxBody: number
  limits: JsonLimits
  budget: Budget
  refused: Refused
  logger: Logger
}

/** For senders known only after the whole body (bytes). */
const LARGEST = 2_000_000

/** `POST /intake/{destination}`: webhooks of own systems. */
export function createIntake({ systems, taking, maxBody, limits, budget, refused, logger }: FeedOptions): Router {
  const byName = new Map(systems.map(({ name, intake }) => [name, intake]))
  const limit = Math.min(maxBody, LARGEST)
  const refuse = createUnauthorizedHandler(
    'The request is not signed as this system signs its own: compare the secret of its webhook with the one in config.',
    refused,
  )
  const router = Router()
  router.post('/intake/:destination', take)
  return router

  async function take(request: Request, response: Response): Promise<void> {
    const { destination = '' } = request.params as { destination?: string }
    const intake = byName.get(destination)
    if (!intake?.verify || !intake.read)
      return sendProblem(response, 'no-intake', 'No destination of this name takes requests of its own system.')
    if (packingOf(request.headers['content-encoding']).length > 0)
      return sendProblem(response, 'unsupported-media-type', 'Send the body as it is signed, without Content-Encoding.')
    const body = await readRaw(request, { limit, budget }).catch(() => null)
    if (body === null) return void response.destroy()
    if (body.type === 'too-large') return await endWith(request, response, tooLarge(limit))
    if (body.type === 'refused') {
      refused(body.why, request.ip)
      return void response.destroy()
    }
    response.once('close', body.share.release)
    const asked = { headers: flat(request.headers), query: flat(request.query), body: body.bytes }
    // Unauthenticated, so not logged. WooCommerce takes anything but 200 for an error.
    if (holds('isPing', intake, asked, destination)) return void response.status(200).json(answerOf([]))
    if (!holds('verify', intake, asked, destination)) return await refuse(request, response)
    markAuthenticated(request, response, `intake ${destination}`)
    const beyond = beyondLimits(body.bytes, limits)
    const items = beyond === null ? await itemsOf(intake, asked) : `not read: ${beyond} (server.limits)`
    const taken =
      typeof items === 'string'
        ? [await taking.keepUnreadable(destination, body.bytes, items)]
        : await taking.take(destination, items, body.bytes)
    const said = answerOf(taken)
    logger.info({ destination, ...said }, 'intake.taken')
    response.status(202).json(said)
  }

  function holds(check: 'isPing' | 'verify', intake: Intake, request: IntakeRequest, destination: string): boolean {
    try {
      return intake[check]?.(request) === true
    } catch (error) {
      logger.warn({ destination, problem: messageOf(error) }, 'intake.not-verified')
      return false
    }
  }
}

async function itemsOf(intake: Intake, request: IntakeRequest): Promise<IntakeItem[] | string> {
  try {
    return (await intake.read?.(request)) ?? []
  } catch (error) {
    return `not readable: ${messageOf(error)}`
  }
}

const STATUSES: readonly Taken['status'][] = ['accepted', 'quarantined', 'conflict', 'refused', 'duplicate', 'nothing']

function answerOf(taken: readonly Taken[]): { status: Taken['status']; ids: number[] } {
  const status = STATUSES.find((one) => taken.some((item) => item.status === one)) ?? 'nothing'
  return { status, ids: taken.flatMap(({ id }) => id ?? []) }
}

function flat(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const written = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    written.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  )
}

interface TakingOptions {
  systems: readonly IntakeSystem[]
  inbox: Pick<Inbox, 'accept'>
  storage: Pick<Storage, 'events' | 'event' | 'links' | 'linksTo' | 'jobs'>
  storeIndex: () => StoreIndex
  saleStores: Readonly<Record<string, string>>
  stockWriters: Readonly<Record<string, string>>
  wholeQuantities: boolean
  clock: Clock
  logger: Logger
}

/** `nothing`: no event is needed. */
interface Taken extends IntakeEnd {
  id: number | null
}

export function createTaking(options: TakingOptions) {
  const { systems, inbox, storage, storeIndex, saleStores, stockWriters, wholeQuantities, clock, logger } = options
  const stores = createStoreFinder(storeIndex, saleStores)
  const endlessAisle = createEndlessAisle(storage)
  const known = createKnownOrders(storage)
  const connected = createConnected(storage, clock)
  /** An item depends on earlier ones of its order. */
  const inTurn = createSequentialByKey()

  async function takeOne(system: IntakeSystem, item: IntakeItem, body: Uint8Array | undefined): Promise<Taken> {
    const asked = await read(system, item)
    if (asked === null) return { status: 'nothing', id: null, faults: [] }
    if ('faults' in asked && item.refusable) return { status: 'refused', id: null, faults: asked.faults }
    const arrival = {
      origin: system.name,
      transportKey: itemNameOf(item, asked),
      headers: item.changedAt === undefined ? {} : { [CHANGED_AT]: item.changedAt },
    }
    if (!('faults' in asked)) return await accept({ ...arrival, ...eventOf(asked, system.name) })
    const kept = body ?? Buffer.from(JSON.stringify(item.value))
    const why = asked.faults.join('; ') || 'it says nothing'
    const kind = item.resource === 'cancellations' ? 'OrderCancelSubmitted' : RESOURCES[item.resource].kind
    return await accept({ ...arrival, kind, body: kept, unreadable: why })
  }

  async function read(system: IntakeSystem, item: IntakeItem): Promise<Reading | null> {
    if (item.faults) return { faults: [...item.faults] }
    const context: ReadingContext = { system: system.name, stores, stockWriters, wholeQuantities }
    if (item.resource === 'customers') return readCustomerItem(item, system, context)
    const line = LINES.find((one) => one === item.resource)
    if (line) return RESOURCES[line].readLine(item.value, context)
    const orderNo = orderNoOf(item)
    if (orderNo === null)
      return { faults: [fault(['orderNo'], found(item.value.orderNo), 'the number of the order, as text')] }
    const before = await known.find(orderNo)
    if (item.resource === 'orders') {
      const off = before === null ? await known.calledOffAt(orderNo) : null
      return isBefore(item.changedAt, off) ? null : readOrderItem(item, system, context, before)
    }
    if (item.resource === 'sales')
      return (await isNoSale(system, item, orderNo)) ? null : readSaleItem(item, system, context, before)
    const [link] = await storage.links(system.name, 'order', [orderNo])
    return readCancellationItem(item, orderNo, system, before, link?.theirId ?? null)
  }

  async function isNoSale(system: IntakeSystem, item: IntakeItem, orderNo: string): Promise<boolean> {
    if (await isOfPos(system, item, orderNo)) return true
    if (!(await connected.wasBefore(system, item))) return false
    logger.info({ destination: system.name, orderNo, completedAt: item.completedAt }, 'intake.sale-before-connected')
    return true
  }

  /** By its number, or because the hub created it there; where the POS order has another id, this one is the shop's. */
  async function isOfPos({ name }: IntakeSystem, { theirId }: IntakeItem, orderNo: string): Promise<boolean> {
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
    const verdict = await inbox.accept({ ...arrival, subscription: null, receivedAt: clock.now(), intake: true })
    const { status, id } = verdict
    const facts = { destination: arrival.origin, kind: arrival.kind, event: id }
    if (status === 'conflict') logger.error({ ...facts, with: verdict.with }, 'event.conflict')
    if (status === 'quarantined') logger.error(facts, 'event.quarantined')
    return { status, id, faults: [] }
  }

  return {
    /** Faulty items are quarantined. Rejects with a StorageUnavailableError, or with a ProblemError `stores-unknown`; then take them again. */
    async take(name: string, items: readonly IntakeItem[], body?: Uint8Array): Promise<Taken[]> {
      const system = systems.find((one) => one.name === name)
      if (!system) throw new TypeError(`There is no own system ${name}.`)
      const taken = items.map((item) =>
        inTurn(orderNoOf(item) ?? `${item.resource}/${item.key}`, () => takeOne(system, item, body)),
      )
      // Nothing continues after a failure is reported.
      await Promise.allSettled(taken)
      return await Promise.all(taken)
    },

    keepUnreadable: (system: string, body: Uint8Array, why: string) =>
      accept({ kind: 'IntakeReceived', origin: system, transportKey: null, headers: {}, body, unreadable: why }),
  }
}

/** By content: shops do not change the date for each change, and count in seconds. */
function itemNameOf({ resource, key, place, value }: IntakeItem, asked: Reading): string {
  const said = 'faults' in asked ? { place, value } : asked.payload
  return `${resource}/${key}/${digestOf(said).slice(0, 12)}`
}

const LINES: readonly IntakeLine[] = ['products', 'prices', 'cost-prices', 'stock-adjustments', 'goods-deliveries']

function eventOf({ kind, payload, links = [], acknowledges }: Readable, destination: string) {
  return {
    kind,
    body: Buffer.from(JSON.stringify(payload)),
    unreadable: null,
    links: links.map((link) => ({ ...link, destination })),
    ...(acknowledges && { acknowledges }),
  }
}

/** For clock skew and zones (ms): a missing sale goes unnoticed, a surplus one does not. */
const ALLOWANCE = 24 * 60 * 60_000

const WINDOW_MS = 10 * 60_000

const Remembered = z.object({ connected: z.record(z.string(), z.number()) }).catch(() => ({ connected: {} }))

/** Completed before the system was connected, and touched now: the platform has the sale. Unknown: false. */
export function createConnected(storage: Pick<Storage, 'jobs'>, clock: Pick<Clock, 'now'>) {
  return {
    async wasBefore(
      { name, salesSince }: Pick<IntakeSystem, 'name' | 'salesSince'>,
      item: Pick<IntakeItem, 'completedAt' | 'changedAt'>,
    ): Promise<boolean> {
      if (item.completedAt === undefined) return false
      const completed = Date.parse(item.completedAt)
      if (salesSince !== undefined) return completed < Date.parse(salesSince)
      if (item.changedAt !== undefined && Date.parse(item.changedAt) <= completed + WINDOW_MS) return false
      const since = await remembered(name)
      return since !== undefined && since <= clock.now() && completed < since - ALLOWANCE
    },
  }

  async function remembered(name: string): Promise<number | undefined> {
    const state = (await storage.jobs()).find((job) => job.name === 'shop-orders')?.state
    return Remembered.parse(state ? JSON.parse(state) : null).connected[name]
  }
}

type Rules = Pick<IntakeSystem, 'name' | 'places' | 'country' | 'currencies' | 'reservationHours'>

function readOrderItem(
  { place, theirId, value, changedAt }: IntakeItem,
  rules: Rules,
  context: ReadingContext,
  known: KnownOrder | null,
): Reading | null {
  const named = value.storeNo ?? value.storeId ?? null
  if (named === null && place === null) return null
  const order = {
    ...value,
    ...(named === null && place !== null && { storeNo: storeOf(place, rules) }),
    reservationLengthInHours: value.reservationLengthInHours ?? rules.reservationHours,
  }
  const reading = RESOURCES.orders.readLine(order, context)
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

/** Kept if no store has it, as earlier states may come later. */
function readCancellationItem(
  { theirId, changedAt }: IntakeItem,
  orderNo: string,
  { name }: Rules,
  known: KnownOrder | null,
  knownId: string | null,
): Reading | null {
  if (!known) return changedAt === undefined ? null : { kind: 'OrderCalledOff', payload: { orderNo, changedAt } }
  if (known.cancelled || isOlder(changedAt, known)) return null
  if (known.origin !== name) return { faults: [ofAnother(orderNo, known)] }
  if (theirId !== null && knownId !== null && theirId !== knownId)
    return { faults: [`what is off has the id ${theirId} there, and order ${orderNo} has the id ${knownId}`] }
  if (!known.latest) return { faults: [notKept(orderNo)] }
  return cancellationOf(orderNo, known.latest)
}

/** Null: the platform has its sale; it began at a POS or went through a store. */
function readSaleItem(
  { place, value }: IntakeItem,
  rules: Rules,
  context: ReadingContext,
  known: KnownOrder | null,
): Reading | null {
  if (known || value.endlessAisle === true) return null
  const sale = {
    ...value,
    ...(value.customer !== undefined && { customer: ofSystem(value.customer, rules.name) }),
    ...((value.storeNo ?? value.storeId ?? null) === null && standingFor(place, value, rules)),
  }
  return RESOURCES.sales.readLine(sale, context)
}

function readCustomerItem({ value, changedAt }: IntakeItem, { name }: Rules, context: ReadingContext): Reading {
  const customer = { ...value, ...(changedAt !== undefined && { changedAt }) }
  return RESOURCES.customers.readLine(ofSystem(customer, name), context)
}

function ofSystem(customer: unknown, system: string): unknown {
  const extId = field(customer, 'extId')
  return typeof extId === 'string' ? { ...Object(customer), extId: extIdOf(system, extId) } : customer
}

function orderNoOf({ value: { orderNo } }: IntakeItem): string | null {
  return typeof orderNo === 'string' && orderNo.trim() !== '' ? orderNo.trim() : null
}

/** Currency before country; config's country before the item's, which may be the customer's. */
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

/** Shops count in seconds; within one the cancellation is last. */
function isOlder(changedAt: string | undefined, { changedAt: last, cancelled }: KnownOrder): boolean {
  return (
    isBefore(changedAt, last) ||
    (cancelled && changedAt !== undefined && Date.parse(changedAt) === Date.parse(last ?? ''))
  )
}

function isBefore(one: string | undefined, other: string | null): boolean {
  return one !== undefined && other !== null && Date.parse(one) < Date.parse(other)
}

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
