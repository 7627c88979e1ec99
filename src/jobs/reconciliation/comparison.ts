import { setTimeout as delay } from 'node:timers/promises'
import { BOOKING_NAMES } from '../../domain/accounting/bookings.ts'
import { type DetectedGap, type GapChange, gapKey, type StoredGap } from '../../domain/completeness/gap.ts'
import { createDayCounts, differenceOf, HOUR, type Reconciled } from '../../domain/completeness/reconciled.ts'
import { idOfPosOrder } from '../../domain/orders/link.ts'
import type { PosOrder } from '../../domain/orders/order.ts'
import { partOf } from '../../domain/queue/delivery.ts'
import { deliveryKey } from '../../domain/queue/event.ts'
import { DRY_RUN } from '../../domain/queue/outcome.ts'
import { resolveStore, type StoreIndex } from '../../domain/stores/store-index.ts'
import { isItemError } from '../../domain/values/errors.ts'
import { type Instant, utcDay } from '../../domain/values/instant.ts'
import { type Money, moneyText } from '../../domain/values/money.ts'
import { EMPTY_CONTEXT, type Flow } from '../../flows/flow.ts'
import { evaluate } from '../../lib/jsonata.ts'
import { eachInSlices } from '../../lib/semaphore.ts'
import { type Mappings, mappedEvent } from '../../platform/payloads/mapping/mapping.ts'
import { amountOf } from '../../ports/perform.ts'
import {
  type GivenOrder,
  type GivenRecord,
  isRefundCall,
  type Ports,
  type Question,
  REFUND_METHODS,
  type RefundCall,
} from '../../ports/ports.ts'
import type { GivenRow } from '../../storage/read-models/pages.ts'
import type { Storage } from '../../storage/storage.ts'
import { bodiesById } from '../../storage/walk-pages.ts'

export interface ReconcilableDestination {
  name: string
  ports: Pick<Ports, 'backOffice' | 'orders'>
  dryRun: boolean
  timeout: number
}

/** True for records, created orders, and refunds (which may have been called twice). */
export function isReconcilable(
  { port, method }: Pick<Flow, 'port' | 'method'>,
  { ports }: ReconcilableDestination,
): boolean {
  if (port === 'backOffice') return ports.backOffice?.reconcile !== undefined
  if (port !== 'orders' || !method) return false
  if (REFUND_METHODS.has(method)) return ports.orders?.countRefunds !== undefined
  return method === 'create' && ports.orders?.reconcile !== undefined
}

const BATCH_SIZES = { backOffice: 500, orders: 100, refunds: 1 } as const

/** Fewer may well be lost together. */
const GOOD_DEAL = 20

interface Tools {
  storage: Pick<Storage, 'links'>
  flows: ReadonlyMap<string, Flow>
  open: readonly StoredGap[]
  from: Instant
  /** Events with a greater id were never asked for. */
  upTo: number | null
  bound: Instant
  reread(steps: readonly ToReread[]): Promise<Reread[]>
  signal: AbortSignal
}

interface AskedStep {
  rows: GivenStep
  flow: Flow
  keys: readonly [string, ...string[]]
  reread: Reread
}

export function createComparison(destination: ReconcilableDestination, tools: Tools) {
  const { storage, flows, open: gaps, from, upTo, bound, signal } = tools
  const { name, ports } = destination
  const differences = createDifferences(name, gaps)
  const days = createDayCounts()
  const paced = callsWithRests(destination.timeout, signal)
  type Waiting = Omit<AskedStep, 'reread'>[]
  const waiting: Record<keyof typeof BATCH_SIZES, Waiting> = { backOffice: [], orders: [], refunds: [] }
  let asked = 0
  let open = 0
  const openHours = new Set<Instant>()
  let lacking = 0
  let reported = 0

  async function ask(port: keyof typeof BATCH_SIZES): Promise<void> {
    const taken = waiting[port]
    if (taken.length === 0) return
    waiting[port] = []
    const read = await tools.reread(taken.map(({ rows: [row], flow }) => ({ row, flow })))
    const steps = taken.map((step, index): AskedStep => ({ ...step, reread: read[index] ?? NOTHING_REREAD }))
    const asking = { backOffice: askRecords, orders: askOrders, refunds: askRefunds }[port]
    const answers = await paced((within) => asking(steps, { signal: within }))
    for (const [index, { rows, flow, keys, reread }] of steps.entries()) {
      const reconciled = answers[index] ?? UNREADABLE
      asked += 1
      if (reconciled.is !== 'unknown') reported += 1
      if (reconciled.is === 'lacking') lacking += 1
      differences.judge(rows[0], keys[0], reread, reconciled)
      const day = reread.day ?? utcDay(rows[0].event.receivedAt)
      days.add({ day, flow: flow.name, amount: reread.amount, reconciled })
    }
  }

  async function askRecords(steps: readonly AskedStep[], question: Question): Promise<Reconciled[]> {
    const records = steps.flatMap(({ rows, flow, keys }): GivenRecord[] => {
      const method = BOOKING_NAMES.find((one) => one === flow.method)
      return method === undefined ? [] : [{ keys, method, givenAt: givenAt(rows) }]
    })
    return checked(records, (await ports.backOffice?.reconcile?.(records, question)) ?? [])
  }

  /** Without its payload, the number of an order is unknown. */
  async function askOrders(steps: readonly AskedStep[], question: Question): Promise<Reconciled[]> {
    const orders: GivenOrder[] = []
    for (const { rows, keys, reread } of steps) {
      const { order } = reread
      if (order === null) continue
      const again = rows.find(({ tries, crashes }) => tries + crashes > 0)
      const links = await storage.links(name, 'order', [idOfPosOrder(order)])
      const calledAgainSince = again?.firstTriedAt ?? rows[0].event.receivedAt
      orders.push({ keys, order, links, givenAt: givenAt(rows), ...(again && { calledAgainSince }) })
    }
    const reconciled = orders.length === 0 ? [] : ((await ports.orders?.reconcile?.(orders, question)) ?? [])
    const answers = new Map(checked(orders, reconciled).map((one, index) => [orders[index]?.keys[0], one]))
    return steps.map(({ keys: [key] }) => answers.get(key) ?? UNREADABLE)
  }

  /** One at a time. A refund whose first call took effect after the second was made is there twice, under one key. */
  async function askRefunds([step]: readonly AskedStep[], { signal }: Question): Promise<Reconciled[]> {
    const call = step?.reread.refund ?? null
    if (step === undefined || call === null || ports.orders?.countRefunds === undefined) return [UNREADABLE]
    const [{ firstTriedAt }] = step.rows
    const links = (kind: string, ids: string[]) => storage.links(name, kind, ids)
    try {
      let count = 0
      for (const key of step.keys) {
        const attempt = { key, previous: 'open', firstTriedAt, signal, links } as const
        count = Math.max(count, await ports.orders.countRefunds(call, attempt))
      }
      return [count > 0 ? { is: 'there', count, amount: null } : UNREADABLE]
    } catch (error) {
      if (isItemError(error)) return [UNREADABLE]
      throw error
    }
  }

  return {
    name,
    from,
    upTo,

    /** Asks once there are enough. Rejects if the destination cannot be reached. */
    async take(step: GivenStep): Promise<void> {
      const [{ event, flow: flowName }] = step
      const flow = flows.get(flowName)
      const isAsked = event.receivedAt >= from || (upTo !== null && event.id > upTo)
      if (!flow || !isAsked || !isReconcilable(flow, destination)) return
      const stepState = stepStateOf(step, bound)
      if (stepState.is === 'open') {
        open += 1
        openHours.add(event.receivedAt - (event.receivedAt % HOUR))
      }
      if (stepState.is !== 'given') return
      const { rows } = stepState
      const isRefund = REFUND_METHODS.has(flow.method ?? '')
      if (isRefund && !rows.some(({ tries, crashes }) => tries + crashes > 0)) return
      const port = flow.port !== 'orders' ? 'backOffice' : isRefund ? 'refunds' : 'orders'
      const keyOf = ({ event, flow, part, effect }: GivenRow) => deliveryKey(event, flow, part, effect)
      const [first, ...more] = rows
      waiting[port].push({ rows, flow, keys: [keyOf(first), ...more.map(keyOf)] })
      if (waiting[port].length >= BATCH_SIZES[port]) await ask(port)
    },

    async end(): Promise<void> {
      for (const port of ['backOffice', 'orders', 'refunds'] as const) await ask(port)
    },

    /** If a destination has nothing at all, that is one problem, not many gaps. */
    changes: () => differences.changes,
    hasNothing: () => reported >= GOOD_DEAL && lacking === reported,
    counts: () => ({ asked, open, openHours: [...openHours], days: days.all(), ...differences.counts() }),
  }
}

const UNREADABLE: Reconciled = { is: 'unknown', why: 'its payload is not kept any more, or cannot be read' }

function checked(asked: readonly unknown[], answers: Reconciled[]): Reconciled[] {
  if (asked.length === answers.length) return answers
  throw new TypeError(`the adapter gave ${answers.length} answers for ${asked.length} that were asked for`)
}

function givenAt([first]: GivenStep): Instant {
  return first.settledAt ?? first.event.receivedAt
}

/** Named per run and destination; the rest is counted. */
const MAX = 1_000

export function createDifferences(destination: string, open: readonly StoredGap[]) {
  const known = new Set(open.map(({ key }) => key))
  const changes: GapChange[] = []
  let found = 0

  return {
    changes,

    /** `key`: of the first attempt. */
    judge(row: GivenRow, key: string, { amount, day, storeId }: Reread, reconciled: Reconciled): void {
      const { id: event, kind, receivedAt } = row.event
      const where = { source: 'destination', destination, kind, subject: key } as const
      const difference = differenceOf(amount, reconciled)
      if (difference === null) {
        if (reconciled.is === 'there' && known.has(gapKey(where)))
          changes.push({ type: 'repair', key: gapKey(where), reason: 'the destination has it' })
        return
      }
      found += 1
      if (found > MAX && !known.has(gapKey(where))) return
      const given = amount === null ? 'it' : moneyText(amount)
      const delivered = { delivery: row.id, event, flow: row.flow, acknowledgedAt: row.settledAt, given }
      const evidence = { destination: { ...delivered, there: difference.there } }
      // It may have come days later than it is of.
      const at = Math.min(receivedAt, day === null ? receivedAt : Date.parse(day))
      const gap: DetectedGap = { ...where, cause: difference.cause, storeId, day, at, evidence }
      changes.push({ type: 'see', gap })
    },

    counts: () => ({ found, unnamed: Math.max(0, found - MAX) }),
  }
}

const LONGEST_REST = 5_000

/** Rests after each call for as long as it took, five seconds at most. */
function callsWithRests(timeout: number, signal: AbortSignal) {
  let rest = 0
  return async <T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (rest > 0) await delay(Math.min(rest, LONGEST_REST), undefined, { signal })
    signal.throwIfAborted()
    const begun = performance.now()
    try {
      return await ask(AbortSignal.any([signal, AbortSignal.timeout(timeout)]))
    } finally {
      rest = performance.now() - begun
    }
  }
}

const PAGE = 500

/** The delivery of a step, and its repetitions. */
export type GivenStep = readonly [GivenRow, ...GivenRow[]]

export async function* givenSteps(
  storage: Pick<Storage, 'givenPage'>,
  destinations: readonly string[],
  after: number,
  signal: AbortSignal,
): AsyncGenerator<GivenStep> {
  for (let from: number | null = after; from !== null; ) {
    signal.throwIfAborted()
    const { rows, next } = await storage.givenPage(destinations, from, PAGE)
    const steps = Map.groupBy(rows, ({ event, destination, flow, part }) =>
      JSON.stringify([event.id, destination, flow, partOf(part)]),
    )
    for (const [first, ...more] of steps.values()) if (first) yield [first, ...more]
    from = next
  }
}

/** `given`: acknowledged before `bound`; `open`: pending, dead or too young; `none`: not to be made. Pure. */
export function stepStateOf(
  step: GivenStep,
  bound: Instant,
): { is: 'given'; rows: GivenStep } | { is: 'open' | 'none' } {
  const [first, ...more] = step.filter(({ state, code }) => state === 'delivered' && code !== DRY_RUN)
  if (first && (first.settledAt ?? bound) < bound) return { is: 'given', rows: [first, ...more] }
  return { is: first || step.some(({ state }) => OPEN.includes(state)) ? 'open' : 'none' }
}

const OPEN: readonly string[] = ['waiting', 'claimed', 'held', 'dead']

/** What the event says of a step. Null: nothing, or its payload is pruned. */
export interface Reread {
  amount: Money | null
  day: string | null
  storeId: string | null
  order: PosOrder | null
  refund: RefundCall | null
}

export const NOTHING_REREAD: Reread = { amount: null, day: null, storeId: null, order: null, refund: null }

interface RereadTools {
  storage: Pick<Storage, 'bodies'>
  mappings: Mappings
  storeIndex(): StoreIndex
}

/** Bytes per read. */
const ROOM = 4_000_000

const READ = ['bookSale', 'bookInvoice', 'bookSettlement', 'bookGiftCard', 'bookTerminal', 'create', ...REFUND_METHODS]

export interface ToReread {
  row: GivenRow
  flow: Flow
}

/** Repeats the planning of steps, without any call, to learn what they are about. */
export async function rereadAll(steps: readonly ToReread[], tools: RereadTools): Promise<Reread[]> {
  const found = new Map<ToReread, Reread>()
  let slice: ToReread[] = []
  let bytes = 0
  for (const step of steps) {
    if (!READ.includes(step.flow.method ?? '')) continue
    const { size } = step.row.event
    if (bytes + size > ROOM) await read()
    slice.push(step)
    bytes += size
  }
  await read()
  return steps.map((step) => found.get(step) ?? NOTHING_REREAD)

  async function read(): Promise<void> {
    const events = slice.map(({ row }) => row.event)
    const bodies = await bodiesById(tools.storage, events)
    await eachInSlices(slice, (step) => {
      const body = bodies.get(step.row.event.id)
      if (body) found.set(step, reread(step, body, tools))
    })
    slice = []
    bytes = 0
  }
}

function reread({ row, flow }: ToReread, body: Uint8Array, { mappings, storeIndex }: RereadTools): Reread {
  const { event, part } = row
  try {
    const mapped = mappedEvent({ ...event, body }, mappings, evaluate)
    const storeOf = (ref: Parameters<typeof resolveStore>[1]) => resolveStore(storeIndex(), ref)
    // Without accounts: no journal has to balance here.
    const call = flow.call(mapped, { part: partOf(part) }, { ...EMPTY_CONTEXT, storeOf })
    if (call === null) return NOTHING_REREAD
    const read = { ...NOTHING_REREAD, amount: amountOf(call) }
    if (call.port === 'orders') {
      const order = call.method === 'create' ? call.argument : null
      return { ...read, order, refund: isRefundCall(call) ? call : null }
    }
    if (call.port !== 'backOffice') return read
    const { day, storeId } = call.argument
    return { ...read, day, storeId }
  } catch {
    // It is still asked for by its key.
    return NOTHING_REREAD
  }
}
