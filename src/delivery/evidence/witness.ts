import { POS_ORDER_CREATED } from '../../domain/orders/order.ts'
import type { OrderSeen } from '../../domain/orders/order-evidence.ts'
import type { OrderReturn } from '../../domain/orders/order-return.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import type { Identity } from '../../domain/queue/identity.ts'
import { isNoEndpoint, PermanentError } from '../../domain/values/errors.ts'
import { text } from '../../domain/values/field.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import { evaluate } from '../../lib/jsonata.ts'
import { orLeave } from '../../lib/or-leave.ts'
import { eachInSlices } from '../../lib/slices.ts'
import { kindOf } from '../../payloads/kinds.ts'
import { type Mappings, mapped, NO_MAPPINGS } from '../../payloads/mapping/mapping.ts'
import { readOrderReturn } from '../../payloads/order-update.ts'
import type { Platform } from '../../platform/platform.ts'

/**
 * The witness of what a webhook says of an order. `operator`: config believes webhooks; `nobody`: the platform cannot
 * be asked.
 */
export type Witness = 'operator' | 'nobody' | PlatformWitness

/** The platform, asked after a webhook came: no answer is older than `since`. */
export interface PlatformWitness {
  /** Null: the platform says that it has no such order. */
  order(number: string, since: Instant, signal: AbortSignal): Promise<OrderSeen | null>
  /** Whether that it has none can be believed: this platform is known to answer such questions. */
  knowsOrders(): Promise<boolean>
  /** The events of a kind that the platform's event log says it sent lately, or, with `long`, in the month before that. */
  sent(kind: string, since: Instant, span: Span, signal: AbortSignal): Promise<Said[]>
}

export type Span = 'lately' | 'long'

/** The part of a payload that bears something out: those of a month are too many to be kept whole. */
export interface Said {
  identity: Pick<Identity, 'key' | 'facts'> | null
  refund: OrderReturn | null
  /** The order of a POS that it says was made. */
  creation: Creation | null
}

/** An order that was made at a POS, as far as a person needs it to find it. */
export interface Creation {
  orderNo: string
  receiptNo: string | null
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The days of the log that are read, counted back from now. What is sent again stands in it by the time when it arose. */
const SPANS: Record<Span, { from: number; to: number }> = { lately: { from: 0, to: 2 }, long: { from: 2, to: 31 } }

/** How far the clock that the log is written by may be ahead of ours: some write the time of a zone (milliseconds). */
const AHEAD = 15 * HOUR

interface Options {
  clock: Clock
  /** Where config says that fields of payloads stand. */
  mappings?: Mappings | undefined
  /** The kind by which a subscription with this address comes here, as the list may name it otherwise; null: not ours. */
  kindAt?: ((url: string) => string | null) | undefined
  /** Subscriptions whose ids are known without a list of them. */
  known?: (() => Promise<readonly { webhookId: string; kind: string }[]>) | undefined
}

/** Reads the platform's log of the events that it sent: a day of it at a time, since a chain's month is gigabytes. */
export function createSentLog(
  { webhooks, events }: Pick<Platform, 'webhooks' | 'events'>,
  { clock, mappings = NO_MAPPINGS, kindAt = () => null, known = async () => [] }: Options,
) {
  const read = createFreshReads<Said[]>(clock)

  /** Ids of the subscriptions to a kind. Throws what listing throws where the platform shows no list, and none is known. */
  async function subscriptionsTo(kind: string): Promise<string[]> {
    try {
      const { rows } = await webhooks.list()
      return rows.filter(({ event, url }) => (kindAt(url) ?? event) === kind).map(({ id }) => id)
    } catch (error) {
      const ids = isNoEndpoint(error) ? (await known()).filter((one) => one.kind === kind) : []
      if (ids.length === 0) throw error
      return ids.map(({ webhookId }) => webhookId)
    }
  }

  /** Asks the logs of all subscriptions: what one cannot tell, another may. */
  async function ask(kind: string, span: Span): Promise<Said[]> {
    const subscriptions = await subscriptionsTo(kind)
    const now = clock.now()
    const said: Said[] = []
    const refusals: PermanentError[] = []
    for (let { from: day, to } = SPANS[span]; day < to; day++) {
      const window = { from: now - (day + 1) * DAY, to: day === 0 ? now + AHEAD : now - day * DAY }
      for (const id of subscriptions) {
        // A log that cannot be read bears nothing out: it is as if nothing stood there.
        const { rows } = await events
          .list({ webhookId: id, ...window, includePayload: true })
          .catch((error: unknown) => {
            if (!(error instanceof PermanentError)) throw error
            refusals.push(error)
            return { rows: [] }
          })
        await eachInSlices(rows, ({ payload }) => {
          said.push(saidBy(kind, mapped({ kind, subscription: null }, payload, mappings, evaluate)))
        })
      }
    }
    if (said.length === 0 && refusals[0]) throw refusals[0]
    return said
  }

  return ((kind, since, span, signal) =>
    read(`${span} ${kind}`, since, () => ask(kind, span), signal)) satisfies PlatformWitness['sent']
}

/** What of a payload bears something out. */
export function saidBy(kind: string, payload: unknown): Said {
  const { key, facts } = kindOf(kind)?.identity?.(payload, PLATFORM) ?? {}
  return {
    identity: key === undefined ? null : { key, facts: facts ?? null },
    refund: readOrderReturn(payload),
    creation: kind === POS_ORDER_CREATED ? creationIn(payload) : null,
  }
}

function creationIn(payload: unknown): Creation | null {
  const orderNo = text(payload, 'orderNo')
  return orderNo === null ? null : { orderNo, receiptNo: text(payload, 'receiptNo') }
}

/** How long after a question its answer may serve others (milliseconds): steps of one event, and of those right after it. */
const FRESH = 3_000

interface Read<T> {
  askedAt: Instant
  answer: Promise<T>
  isAnswered: boolean
}

/** Gives the answer about a key, from a question that was asked at `since` or later. */
type FreshReads<T> = (key: string, since: Instant, ask: () => Promise<T>, signal: AbortSignal) => Promise<T>

/**
 * Asks once for all who want to know the same at about the same time. A question goes on although whoever asked first has
 * left; one that failed is asked anew.
 */
export function createFreshReads<T>({ now }: Pick<Clock, 'now'>): FreshReads<T> {
  const reads = new Map<string, Read<T>>()
  /** A clock that was put back makes nothing young. */
  const isYoung = ({ askedAt }: Read<T>) => Math.abs(now() - askedAt) <= FRESH

  function begin(key: string, ask: () => Promise<T>): Read<T> {
    const read: Read<T> = { askedAt: now(), answer: ask(), isAnswered: false }
    // The latest stands last, so that what is old is found at the front.
    reads.delete(key)
    reads.set(key, read)
    const failed = () => reads.get(key) === read && reads.delete(key)
    read.answer.then(() => {
      read.isAnswered = true
    }, failed)
    return read
  }

  function forgetOld(): void {
    for (const [key, read] of reads) {
      if (!read.isAnswered || isYoung(read)) return
      reads.delete(key)
    }
  }

  return async (key, since, ask, signal) => {
    forgetOld()
    const before = reads.get(key)
    const isFresh = before && before.askedAt >= since && (!before.isAnswered || isYoung(before))
    const { answer } = isFresh ? before : begin(key, ask)
    return await orLeave(answer, signal)
  }
}
