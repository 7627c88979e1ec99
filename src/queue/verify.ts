import { POS_ORDER_CREATED } from '../domain/orders/order.ts'
import type { OrderSeen } from '../domain/orders/order-evidence.ts'
import type { OrderReturn } from '../domain/orders/order-update.ts'
import { type Identity, PLATFORM } from '../domain/queue/event.ts'
import { isNoEndpoint, PermanentError } from '../domain/values/errors.ts'
import { text } from '../domain/values/field.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Clock } from '../lib/clock.ts'
import { evaluate } from '../lib/jsonata.ts'
import { eachInSlices, orLeave } from '../lib/semaphore.ts'
import { kindOf } from '../platform/payloads/kinds.ts'
import { type Mappings, mapped, NO_MAPPINGS } from '../platform/payloads/mapping/mapping.ts'
import { readOrderReturn } from '../platform/payloads/order-update.ts'
import type { Platform } from '../platform/platform.ts'

/** `operator`: config trusts webhooks; `none`: the platform cannot be asked. */
export type Verifier = 'operator' | 'none' | PlatformVerifier

/** The platform's answers, none older than `since`. */
export interface PlatformVerifier {
  order(number: string, since: Instant, signal: AbortSignal): Promise<OrderSeen | null>
  /** False while it has never answered: its "no" proves nothing. */
  knowsOrders(): Promise<boolean>
  sent(kind: string, since: Instant, span: Span, signal: AbortSignal): Promise<Said[]>
}

export type Span = 'lately' | 'long'

export interface Said {
  identity: Pick<Identity, 'key' | 'facts'> | null
  refund: OrderReturn | null
  creation: Creation | null
}

export interface Creation {
  orderNo: string
  receiptNo: string | null
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

const SPANS: Record<Span, { from: number; to: number }> = { lately: { from: 0, to: 2 }, long: { from: 2, to: 31 } }

/** The log's clock may be ahead by a zone (ms). */
const AHEAD = 15 * HOUR

interface Options {
  clock: Clock
  mappings?: Mappings | undefined
  kindAt?: ((url: string) => string | null) | undefined
  known?: (() => Promise<readonly { webhookId: string; kind: string }[]>) | undefined
}

/** By day: a chain's month is gigabytes. */
export function createSentLog(
  { webhooks, events }: Pick<Platform, 'webhooks' | 'events'>,
  { clock, mappings = NO_MAPPINGS, kindAt = () => null, known = async () => [] }: Options,
) {
  const read = createFreshReads<Said[]>(clock)

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

  /** One readable log is enough. */
  async function ask(kind: string, span: Span): Promise<Said[]> {
    const subscriptions = await subscriptionsTo(kind)
    const now = clock.now()
    const said: Said[] = []
    const refusals: PermanentError[] = []
    for (let { from: day, to } = SPANS[span]; day < to; day++) {
      const window = { from: now - (day + 1) * DAY, to: day === 0 ? now + AHEAD : now - day * DAY }
      for (const id of subscriptions) {
        // An unreadable log is no evidence.
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
    read(`${span} ${kind}`, since, () => ask(kind, span), signal)) satisfies PlatformVerifier['sent']
}

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

/** Answers serve others for so long (ms). */
const FRESH = 3_000

interface Read<T> {
  askedAt: Instant
  answer: Promise<T>
  isAnswered: boolean
}

type FreshReads<T> = (key: string, since: Instant, ask: () => Promise<T>, signal: AbortSignal) => Promise<T>

/** Shares a question among callers; it goes on when its first caller leaves. */
export function createFreshReads<T>({ now }: Pick<Clock, 'now'>): FreshReads<T> {
  const reads = new Map<string, Read<T>>()
  /** Also true after the clock was set back. */
  const isYoung = ({ askedAt }: Read<T>) => Math.abs(now() - askedAt) <= FRESH

  function begin(key: string, ask: () => Promise<T>): Read<T> {
    const read: Read<T> = { askedAt: now(), answer: ask(), isAnswered: false }
    // Insertion order is age order: old entries stand in front.
    reads.delete(key)
    reads.set(key, read)
    const failed = () => reads.get(key) === read && reads.delete(key)
    read.answer.then(() => {
      read.isAnswered = true
    }, failed)
    return read
  }

  function discardOld(): void {
    for (const [key, read] of reads) {
      if (!read.isAnswered || isYoung(read)) return
      reads.delete(key)
    }
  }

  return async (key, since, ask, signal) => {
    discardOld()
    const before = reads.get(key)
    const isFresh = before && before.askedAt >= since && (!before.isAnswered || isYoung(before))
    const { answer } = isFresh ? before : begin(key, ask)
    return await orLeave(answer, signal)
  }
}
