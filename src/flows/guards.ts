import type { NamedCustomer } from '../domain/catalogue/submitted.ts'
import type { CustomerConsent } from '../domain/customers/customer-record.ts'
import {
  type Verdict as Judgement,
  type OrderAssertion,
  type RefundAssertion,
  type SaleAssertion,
  verifyOrder,
  verifyRefund,
  verifySale,
} from '../domain/orders/order-evidence.ts'
import { type Event, payloadOf, payloadOrNull } from '../domain/queue/event.ts'
import { NOT_MADE, outcomeOf } from '../domain/queue/outcome.ts'
import { MAX_WAIT, pauseAfter, waitFor } from '../domain/queue/retry.ts'
import { codeOf } from '../domain/queue/search-keys.ts'
import { HeldError, PermanentError, RetryLaterError, WaitError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { wallClockInstant } from '../domain/values/store-time.ts'
import { readConsent } from '../platform/payloads/customer.ts'
import { platformIdOf } from '../platform/payloads/order-update.ts'
import { readOrRetry } from './context.ts'
import type {
  Creation,
  Guard,
  Guarded,
  LoggedEvent,
  OtherDeliveries,
  OtherDelivery,
  PlatformVerifier,
  Sources,
  Step,
  Verdict,
} from './flow.ts'

/** Guards that keep a step from its call. Their functions of an event are pure. */

const MINUTE = 60_000

const MAX_NAMED = 20
const OPEN = ['waiting', 'claimed', 'held']

/** Waits for the steps with this ordering key, which create what the step is about; up to a day where it is not there yet. */
export function dependsOn(entityOf: (event: Event) => string | null): Guard {
  return {
    name: 'dependsOn',
    async check({ event, delivery: { destination }, now }, { deliveries }) {
      const entity = entityOf(event)
      if (entity === null) return null
      const pending = await deliveries({ destination, entity, limit: MAX_NAMED })
      const first = pending.find(({ state }) => OPEN.includes(state))
      if (first) throw notItsTurn(first, 'it makes what this one is about', event, now)
      return null
    },
    async onRefusal(refusal, { event, now }) {
      const { code, why } = refusal
      if (code !== NOT_MADE) return refusal
      const until = waitFor(now - event.receivedAt, now)
      if (until === null) return { type: 'held', code, why: `${why} It did not come within a day.` }
      return { type: 'wait', until, code, why: `${why} It may be on its way: this waits for it, for a day.` }
    },
  }
}

const MAX_EARLIER = 10_000

/** Waits for earlier steps of another ordering key that were not tried: the later one wins. */
export function dependsOnEarlier(flow: string, aboutOf: (event: Event) => string): Guard {
  return {
    name: 'dependsOnEarlier',
    async check({ event, delivery: { destination }, now }, { deliveries }) {
      const about = aboutOf(event)
      const waiting = await deliveries({ destination, flow, state: 'waiting', limit: MAX_EARLIER })
      const first = waiting.find(
        (one) => one.event < event.id && one.firstTriedAt === null && `${one.entity}/`.startsWith(`${about}/`),
      )
      if (first) throw notItsTurn(first, 'it is of an earlier event', event, now)
      return null
    },
  }
}

function notItsTurn({ id }: OtherDelivery, why: string, { receivedAt }: Event, now: Instant): WaitError {
  const until = now + pauseAfter(now - receivedAt, MINUTE)
  return new WaitError(`delivery ${id} goes first: ${why}`, { code: 'not-its-turn', until })
}

/** A refusal while one of these flows is under way there (the product of a price) is tried again, for a day. */
export function retryWhilePending(...flows: readonly string[]): Guard {
  return {
    name: 'retryWhilePending',
    async onRefusal(refusal, { event, now }, isPending) {
      const age = now - event.receivedAt
      if (age >= MAX_WAIT || !(await isPending(flows))) return refusal
      const { code, why } = refusal
      const until = now + pauseAfter(age, MINUTE)
      return {
        ...{ type: 'wait', until, code },
        why: `${why} What it is about may be on its way there: it is tried again after that`,
      }
    },
  }
}

/** Nothing to tell a destination that was never told of the subject. */
export function onlyIfNotified(isAbout: (event: Event) => boolean): Guard {
  return {
    name: 'onlyIfNotified',
    async check({ event, delivery: { destination }, unacknowledged }) {
      if (!unacknowledged || !isAbout(event)) return null
      return { superseded: `${destination} was never told of it before`, code: 'nothing-left' }
    },
  }
}

/** A step that takes something back has nothing to do where all steps of that flow were superseded unsent. */
export function undoes(flow: string): Guard {
  return {
    name: 'undoes',
    async check({ delivery: { destination, entity } }, { deliveries }) {
      if (entity === null) return null
      const made = await deliveries({ destination, entity, flow, limit: MAX_NAMED })
      const mayBeThere =
        made.length === 0 || made.length === MAX_NAMED || made.some(({ state }) => state !== 'superseded')
      if (mayBeThere) return null
      const why = `${destination} never had it: ${flow} was invalidated before it was made`
      return { superseded: why, code: 'nothing-left' }
    },
  }
}

interface Superseding {
  flows: readonly string[]
  /** Ordering key of the later steps, if it is not that of the step; null: any. */
  elsewhere?(event: Event): string | null
  /** What a later step leaves of it. */
  leaves(event: Event, later: Pick<Event, 'kind' | 'body'>): Event | null
}

/** A dead letter is not retried after later steps that restate it. Throws a PermanentError after too many. */
export function supersededBy(rule: Superseding): Guard {
  return {
    name: 'supersededBy',
    async check(step, { deliveries, event: read }) {
      if (!mayBeUndone(step, rule)) return null
      let left = step.event
      let by: number | null = null
      for (const row of await madeSince(step, rule, deliveries)) {
        const body = (await read(row.event))?.body ?? null
        const after = body === null ? left : rule.leaves(left, { kind: row.kind, body })
        if (after === null)
          return { superseded: `invalidated: delivery ${row.id}, of a later event, has been made`, code: 'invalidated' }
        if (after !== left) by = row.id
        left = after
      }
      return by === null ? null : { event: left, without: `what delivery ${by}, of a later event, has said anew` }
    },
  }
}

function mayBeUndone({ delivery }: Guarded, { elsewhere }: Pick<Superseding, 'elsewhere'>): boolean {
  if (delivery.entity === null || delivery.firstTriedAt === null) return false
  return delivery.tries === 0 || elsewhere !== undefined
}

const MAX = 1_000

async function madeSince(
  { event, delivery }: Guarded,
  { flows, elsewhere }: Superseding,
  deliveries: Sources['deliveries'],
): Promise<OtherDelivery[]> {
  const entity = elsewhere ? elsewhere(event) : delivery.entity
  const since = Math.floor(event.receivedAt / MINUTE - 1) * MINUTE
  const { destination } = delivery
  const filter: OtherDeliveries = { destination, flows, since, limit: MAX, ...(entity !== null && { entity }) }
  const later: OtherDelivery[] = []
  for (let rows = await deliveries(filter); ; ) {
    later.push(...rows.filter((row) => row.event > event.id && isMade(row)))
    if (later.length >= MAX) throw new PermanentError(TOO_MUCH_SINCE, { code: 'long-since' })
    const last = rows.at(-1)
    if (!last || rows.length < MAX || last.event <= event.id) break
    rows = await deliveries({ ...filter, before: last.id })
  }
  return later.sort((a, b) => a.event - b.event)
}

const TOO_MUCH_SINCE = 'so much has been told since that this would undo: submit it anew, as it is now'

function isMade({ state, code }: OtherDelivery): boolean {
  return state === 'delivered' || (state === 'superseded' && code === 'unchanged')
}

const MAX_FOUND = 100

/** The platform's zone is not documented (ms). */
const FARTHEST = 14 * 3_600_000

/** The search index lags by half a minute (ms). */
const RECENT_MS = 60_000
const TOLD_BY = new Set(['CustomerCreated', 'CustomerUpdated'])

/** What a customer agreed to and revoked since does not go out. `by`: who agrees by an event; `without`: what is left of it then. */
export function respectsConsent({
  by,
  without,
}: {
  by(event: Event): NamedCustomer | null
  without(event: Event, said: CustomerConsent): Event | null
}): Guard {
  return {
    name: 'respectsConsent',
    async check(step, sources) {
      const { event, delivery, now } = step
      const isOld = mayBeUndone(step, {}) || now - event.receivedAt > RECENT_MS
      const agreed = isOld ? by(event) : null
      if (agreed === null) return null
      const { customerId, extId = null } = agreed
      const links = extId === null ? [] : await sources.links(delivery.destination, 'customer', [extId])
      const ids = [...links.map(({ theirId }) => theirId), ...(customerId === undefined ? [] : [customerId])]
      const names = [...ids, ...(extId === null ? [] : [extId])]
      const keys = names.map((name) => ({ sort: 'id' as const, value: codeOf(name) }))
      for (const { event: row } of await sources.find(keys, MAX_FOUND)) {
        if (row.id <= event.id || !TOLD_BY.has(row.kind)) continue
        const said = readConsent(payloadOrNull((await sources.event(row.id))?.body ?? null))
        if (said === null || !(ids.includes(said.customerId) || (extId !== null && said.extId === extId))) continue
        const left = isSince(said.agreedAt, event.receivedAt) ? without(event, said) : event
        if (left === event) return null
        if (left !== null) return { event: left, without: `what the customer has revoked since, by event ${row.id}` }
        const why = `invalidated: event ${row.id} says that the customer has revoked it since`
        return { superseded: why, code: 'invalidated' }
      }
      return null
    },
  }
}

function isSince(saidAt: string | null, receivedAt: Instant): boolean {
  const at = saidAt === null ? null : wallClockInstant(saidAt, null)
  return at !== null && at > receivedAt - FARTHEST
}

interface StillTrue {
  orderOf(event: Event): string | null
  /** With it the step still holds. */
  status: string
  /** For the operator, when the platform cannot tell. Without it the step is superseded then. */
  contradiction?(event: Event): string
}

/** A fact contradicts the step: it goes out if the fact is of another order, or the platform says that the step still holds. */
export function stillTrue(rule: StillTrue | null = null): Guard {
  return {
    name: 'stillTrue',
    async check(step, sources, signal) {
      const { invalidated, event, delivery } = step
      if (invalidated === null || (await isOfAnother(event, invalidated, sources))) return null
      if (rule?.contradiction !== undefined && delivery.released !== null) return null
      const holds = rule !== null && (await holdsByStatus(step, rule, sources, signal))
      if (holds === null && rule?.contradiction !== undefined)
        throw new HeldError(`event ${invalidated} contradicts it: ${rule.contradiction(event)}`, {
          code: 'contradiction',
        })
      if (holds) return null
      const why = `invalidated: event ${invalidated} says that it is past that`
      return { superseded: why, code: 'invalidated', mayLook: true }
    },
  }
}

async function isOfAnother(event: Event, invalidated: number, { event: read }: Sources): Promise<boolean> {
  const own = platformIdOf(payloadOf(event))
  const body = own === null ? null : ((await read(invalidated))?.body ?? null)
  const other = body && platformIdOf(payloadOf({ body }))
  return own !== null && other !== null && own !== other
}

const MAX_STATUS_TRIES = 3

/** Null: the platform cannot tell. */
async function holdsByStatus(
  { event, delivery: { tries } }: Guarded,
  { orderOf, status: wanted }: StillTrue,
  { orders }: Sources,
  signal: AbortSignal,
): Promise<boolean | null> {
  const number = orderOf(event)
  if (number === null) return false
  const status = await readOrRetry('the order', () => orders.status(number, event.receivedAt, signal)).catch(
    (error: RetryLaterError) => {
      // The step blocks those after it, so it does not wait long for a status.
      if (tries >= MAX_STATUS_TRIES || outcomeOf(error.cause).type === 'dead') return null
      throw error
    },
  )
  return status === null ? null : status === wanted
}

export type Assertion = OrderAssertion | RefundAssertion | SaleAssertion

/** The record may follow its webhook. */
const MAX_ASKED = 3

/** What a step asserts, against the platform's record. After all other guards: it asks only where there is a call to make. */
export function verifyWithPlatform(assertionOf: (event: Event, step: Pick<Step, 'part'>) => Assertion): Guard {
  return {
    name: 'verifyWithPlatform',
    async check(step, { orders: { verifier, untakenCreation } }, signal) {
      const { event, delivery, now } = step
      if (step.onlyLook || !step.makesCall()) return null
      const asserted = assertionOf(event, step)
      // A released step was judged by its operator.
      if (verifier === 'operator' || delivery.released !== null) return null
      if (verifier === 'none') throw new HeldError(NO_VERIFIER, { code: 'webhooks-not-trusted' })
      const isFetched = step.known.isSent === false
      const since = event.receivedAt
      const judgement = await readOrRetry('the order', () => judge(asserted, since, verifier, isFetched, signal)).catch(
        neverTold,
      )
      if (judgement === 'verified') {
        if (asserted.is !== 'returned') return null
        const ask = () => untakenCreation(asserted.order, since, signal)
        const creation = await readOrRetry('the order', ask).catch(neverTold)
        if (creation !== null) throw notHereYet(creation, now, since)
        return null
      }
      return unverified(judgement, delivery.tries)
    },
  }
}

/** Throws a RetryLaterError or HeldError, but for what is past. */
function unverified(judgement: Exclude<Judgement, 'verified'>, tries: number): Verdict {
  if ('past' in judgement) return { superseded: `invalidated: ${judgement.past}`, code: 'invalidated', mayLook: true }
  if ('unclear' in judgement)
    throw new HeldError(
      `${judgement.unclear}. Release this if the customer fetches it, skip it if the store sends it`,
      { code: 'fetched-or-sent' },
    )
  // Quotes of a webhook may be of any length.
  const missing = judgement.missing.slice(0, LONGEST_WHY)
  if (tries + 1 < MAX_ASKED) throw new RetryLaterError(`${missing}; it is asked again`, { code: NOT_VERIFIED })
  throw new HeldError(`nothing but the webhook says so: ${missing}`, { code: NOT_VERIFIED })
}

/** The refund could go to the wrong customer until the POS order arrives. */
function notHereYet({ orderNo, receiptNo }: Creation, now: Instant, since: Instant): Error {
  const what = `the platform's event log has an order ${orderNo} of a POS (receipt ${receiptNo ?? 'without number'}), which has not come here: the goods may be that order's, or those of a web order ${orderNo}`
  const until = waitFor(now - since, now)
  return until === null
    ? new HeldError(`${what}. It did not come within a day. Ask the store which it is, do it by hand, then skip this`, {
        code: 'ambiguous-order',
      })
    : new WaitError(`${what}. This waits for it, for a day`, { code: 'ambiguous-order', until })
}

async function judge(
  asserted: Assertion,
  since: number,
  verifier: PlatformVerifier,
  isFetched: boolean,
  signal: AbortSignal,
): Promise<Judgement> {
  if (asserted.is === 'returned' || asserted.is === 'sold') {
    const kind = asserted.is === 'sold' ? asserted.kind : 'OmniChannelOrderRefundUpdated'
    const lately = await verifier.sent(kind, since, 'lately', signal)
    const judgement = verifySent(asserted, lately)
    if (judgement === 'verified') return judgement
    return verifySent(asserted, [...lately, ...(await verifier.sent(kind, since, 'long', signal))])
  }
  const order = await verifier.order(asserted.order, since, signal)
  if (order) return verifyOrder(asserted, order, isFetched)
  const unproven = (await verifier.knowsOrders())
    ? ''
    : '. It has not told of any order yet: if it cannot (platform.endpoints, orders.read), platform.trustWebhooks: true believes its webhooks'
  return { missing: `the platform does not know order ${asserted.order}${unproven}` }
}

function verifySent(asserted: RefundAssertion | SaleAssertion, sent: readonly LoggedEvent[]): Judgement {
  const [refunds, sales] = [sent.flatMap(({ refund }) => refund ?? []), sent.flatMap(({ identity }) => identity ?? [])]
  return asserted.is === 'returned' ? verifyRefund(asserted, refunds) : verifySale(asserted, sales)
}

/** A permanent refusal to answer holds the step. */
function neverTold(error: unknown): never {
  const { cause, message } = error as RetryLaterError
  if (outcomeOf(cause).type !== 'dead') throw error
  throw new HeldError(`${message}. If it never tells, platform.trustWebhooks: true believes its webhooks`, {
    code: NOT_VERIFIED,
    cause,
  })
}

const NOT_VERIFIED = 'not-verified'
const LONGEST_WHY = 500

const NO_VERIFIER =
  'nothing but the webhook says so, and the platform cannot be asked: set platform.baseUrl and its keys, or platform.trustWebhooks: true if the webhook token is known to nobody else'
