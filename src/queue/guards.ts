import type { Link } from '../domain/orders/link.ts'
import {
  type Verdict as Judgement,
  type RefundAssertion,
  type SaleAssertion,
  verifyOrder,
  verifyRefund,
  verifySale,
} from '../domain/orders/order-evidence.ts'
import { partOf } from '../domain/queue/delivery.ts'
import { type Event, payloadOf, payloadOrNull } from '../domain/queue/event.ts'
import { type Outcome, outcomeOf } from '../domain/queue/outcome.ts'
import { codeOf } from '../domain/queue/search-keys.ts'
import { HeldError, PermanentError, RetryLaterError, WaitError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { wallClockInstant } from '../domain/values/store-time.ts'
import type { Assertion, CallContext, Flow } from '../flows/flow.ts'
import { readConsent } from '../platform/payloads/customer.ts'
import { platformIdOf } from '../platform/payloads/order-update.ts'
import type { Call } from '../ports/ports.ts'
import type { Claim, Released } from '../storage/claim.ts'
import type { DeliveryRow } from '../storage/rows.ts'
import { delivered, describe, type Limits, type Ready, withTimeout } from './call.ts'
import type { Destination } from './destination.ts'
import { needsContext, ownContext, readOrRetry, resolveContext, type Sources } from './inputs.ts'
import { whenUnknown } from './look.ts'
import { pauseAfter, waitFor } from './on-its-way.ts'
import type { Creation, LoggedEvent, OrderReader, PlatformVerifier } from './order-reader.ts'

/** What is asked before a call: guards in order, then the inputs, then the platform's record. */
export async function prepare(
  claim: Claim,
  flow: Flow,
  destination: Destination,
  sources: Sources,
  limits: Limits,
): Promise<Ready | Outcome> {
  const { delivery, event, unchanged, stale } = claim
  const { name, ports } = destination
  const part = partOf(delivery.part)
  const callOf = (known: CallContext, about = event) => redirected(flow.call(about, { part }, known), delivery.released)
  const way = whenUnknown(flow, ports)
  if (unchanged) return notMade('unchanged', `unchanged: ${name} has acknowledged the same`)
  if (stale) return notMade('stale', `stale: ${name} has acknowledged a newer one`)
  if (claim.unacknowledged && flow.onlyIfNotified?.(event))
    return notMade('nothing-left', `${name} was never told of it before`)
  if (delivery.open && way === 'hold')
    return {
      type: 'unknown',
      code: 'uncertain',
      why: 'an earlier try may have had its effect, and nobody can look it up',
    }
  try {
    if (event.body.byteLength === 0)
      throw new PermanentError('The payload is not kept any more.', { code: 'payload-gone' })
    const step = { claim, flow, event, now: limits.clock.now() }
    const guards = GUARDS.filter(({ applies }) => applies(step))
    if (guards.length === 0 && !needsContext(claim, flow))
      return made(claim, callOf(ownContext(claim, destination, sources)), destination, [], false)
    return await withTimeout(limits, claim.fence, async (signal) => {
      const mayLook = delivery.open && way === 'find'
      let left = event
      let onlyLook = false
      const without: string[] = []
      for (const { check } of guards) {
        const verdict = await check({ ...step, event: left }, sources, signal)
        if (verdict === null) continue
        if ('event' in verdict) {
          left = verdict.event
          without.push(verdict.without)
          continue
        }
        if (!verdict.mayLook || !mayLook) return notMade(verdict.code, verdict.superseded)
        onlyLook = true
      }
      const { known, kept } = await resolveContext(claim, flow, destination, sources, signal)
      const call = callOf(known, left)
      const said = { isSent: known.isSent, now: step.now }
      const over = call && !onlyLook ? await verifyWithPlatform(claim, flow, sources.orders, said, signal) : null
      if (over !== null && !mayLook) return notMade('invalidated', `invalidated: ${over}`)
      const ready = made(claim, call, destination, kept, onlyLook || over !== null)
      return 'call' in ready ? { ...ready, without: without.join(', and ') || null } : ready
    })
  } catch (error) {
    return outcomeOf(error)
  }
}

function made(
  claim: Claim,
  call: Call | null,
  { name, dryRun }: Destination,
  kept: Link[],
  onlyLook: boolean,
): Ready | Outcome {
  if (call === null) return notMade('nothing-left', 'there is nothing left to do about it')
  if (dryRun) return delivered({ note: `dry run: ${describe(call)}` }, name)
  return { claim, call, kept, onlyLook }
}

function redirected(call: Call | null, released: Released | null): Call | null {
  if (call === null || released?.to === undefined || (call.port !== 'email' && call.port !== 'texts')) return call
  return { ...call, argument: { ...call.argument, to: released.to } } as Call
}

function notMade(code: string, why: string): Outcome {
  return { type: 'superseded', code, why }
}

/** A step before its call. `event`: what earlier guards have left of it. */
interface Guarded {
  claim: Claim
  flow: Flow
  event: Event
  now: Instant
}

/** `mayLook`: where an earlier call may have had its effect, that is looked up all the same. */
type Verdict =
  | { superseded: string; code: 'invalidated' | 'nothing-left'; mayLook?: true }
  | { event: Event; without: string }

/** Null: nothing keeps the step from its call. Throws a WaitError, RetryLaterError or HeldError. */
export interface Guard {
  applies(step: Guarded): boolean
  check(step: Guarded, sources: Sources, signal: AbortSignal): Promise<Verdict | null>
}

const MINUTE = 60_000

const MAX_NAMED = 20
const OPEN = ['waiting', 'claimed', 'held']

/** Waits while the step that creates what this one is about is pending there. */
export const dependsOn: Guard = {
  applies: ({ flow }) => flow.dependsOn !== undefined,
  async check({ claim: { event, delivery }, flow, now }, { deliveries }) {
    const entity = flow.dependsOn?.(event) ?? null
    if (entity === null) return null
    const pending = await deliveries({ destination: delivery.destination, entity, limit: MAX_NAMED })
    const first = pending.find(({ state }) => OPEN.includes(state))
    if (first) throw notItsTurn(first, 'it makes what this one is about', event, now)
    return null
  },
}

const MAX_EARLIER = 10_000

/** Waits while an earlier step with another ordering key was not tried: the later one wins. */
export const dependsOnEarlier: Guard = {
  applies: ({ flow }) => flow.dependsOnEarlier !== undefined,
  async check({ claim: { event, delivery }, flow, now }, { deliveries }) {
    if (!flow.dependsOnEarlier) return null
    const about = flow.dependsOnEarlier.about(event)
    const filter = { destination: delivery.destination, flow: flow.dependsOnEarlier.flow, state: 'waiting' } as const
    const waiting = await deliveries({ ...filter, limit: MAX_EARLIER })
    const first = waiting.find(
      (one) => one.event < event.id && one.firstTriedAt === null && one.entity?.startsWith(about),
    )
    if (first) throw notItsTurn(first, 'it is of an earlier event', event, now)
    return null
  },
}

function notItsTurn({ id }: DeliveryRow, why: string, { receivedAt }: Event, now: Instant): WaitError {
  const until = now + pauseAfter(now - receivedAt, MINUTE)
  return new WaitError(`delivery ${id} goes first: ${why}`, { code: 'not-its-turn', until })
}

/** Nothing to take back if all steps of that flow were superseded unsent. */
export const undoes: Guard = {
  applies: ({ flow }) => flow.undoes !== undefined,
  async check({ claim: { delivery }, flow }, { deliveries }) {
    const { destination, entity } = delivery
    if (flow.undoes === undefined || entity === null) return null
    const made = await deliveries({ destination, entity, flow: flow.undoes, limit: MAX_NAMED })
    const isMade = made.length === 0 || made.length === MAX_NAMED || made.some(({ state }) => state !== 'superseded')
    if (isMade) return null
    const why = `${destination} never had it: ${flow.undoes} was invalidated before it was made`
    return { superseded: why, code: 'nothing-left' }
  },
}

const MAX = 1_000

/** What later steps, which were made, have left of a dead letter. Throws a PermanentError after too many. */
export const supersededBy: Guard = {
  applies: ({ claim, flow }) => mayBeUndone(claim, flow),
  async check({ claim, flow }, { deliveries, event }) {
    if (!flow.supersededBy) return null
    const later = await madeSince(claim, flow.supersededBy, deliveries)
    let left = claim.event
    let by: number | null = null
    for (const row of later) {
      const body = (await event(row.event))?.body ?? null
      const after = body === null ? left : flow.supersededBy.leaves(left, { kind: row.kind, body })
      if (after === null)
        return { superseded: `invalidated: delivery ${row.id}, of a later event, has been made`, code: 'invalidated' }
      if (after !== left) by = row.id
      left = after
    }
    return by === null ? null : { event: left, without: `what delivery ${by}, of a later event, has said anew` }
  },
}

function mayBeUndone({ delivery }: Claim, flow: Flow): boolean {
  if (flow.supersededBy === undefined || delivery.entity === null || delivery.firstTriedAt === null) return false
  return delivery.tries === 0 || flow.supersededBy.elsewhere !== undefined
}

async function madeSince(
  { event, delivery }: Claim,
  { flows, elsewhere }: NonNullable<Flow['supersededBy']>,
  deliveries: Sources['deliveries'],
): Promise<DeliveryRow[]> {
  const entity = elsewhere ? elsewhere(event) : delivery.entity
  const since = Math.floor(event.receivedAt / MINUTE - 1) * MINUTE
  const filter = { destination: delivery.destination, flows, since, limit: MAX, ...(entity !== null && { entity }) }
  const later: DeliveryRow[] = []
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

function isMade({ state, code }: DeliveryRow): boolean {
  return state === 'delivered' || (state === 'superseded' && code === 'unchanged')
}

const MAX_FOUND = 100

/** The platform's zone is not documented (ms). */
const FARTHEST = 14 * 3_600_000

/** The search index lags by half a minute (ms). */
const RECENT_MS = 60_000
const TOLD_BY = new Set(['CustomerCreated', 'CustomerUpdated'])

/** What a customer agreed to and revoked since does not go out. */
export const respectsConsent: Guard = {
  applies: ({ claim, flow, now }) =>
    flow.consent !== undefined &&
    flow.consent.by(claim.event) !== null &&
    (mayBeUndone(claim, flow) || now - claim.event.receivedAt > RECENT_MS),
  async check({ claim, flow, event }, sources) {
    const agreed = flow.consent?.by(event) ?? null
    if (!flow.consent || agreed === null) return null
    const { customerId, extId = null } = agreed
    const links = extId === null ? [] : await sources.links(claim.delivery.destination, 'customer', [extId])
    const ids = [...links.map(({ theirId }) => theirId), ...(customerId === undefined ? [] : [customerId])]
    const names = [...ids, ...(extId === null ? [] : [extId])]
    const keys = names.map((name) => ({ sort: 'id' as const, value: codeOf(name) }))
    for (const { event: row } of await sources.find(keys, MAX_FOUND)) {
      if (row.id <= claim.event.id || !TOLD_BY.has(row.kind)) continue
      const said = readConsent(payloadOrNull((await sources.event(row.id))?.body ?? null))
      if (said === null || !(ids.includes(said.customerId) || (extId !== null && said.extId === extId))) continue
      const left = isSince(said.agreedAt, claim.event.receivedAt) ? flow.consent.without(event, said) : event
      if (left === event) return null
      if (left !== null) return { event: left, without: `what the customer has revoked since, by event ${row.id}` }
      const why = `invalidated: event ${row.id} says that the customer has revoked it since`
      return { superseded: why, code: 'invalidated' }
    }
    return null
  },
}

function isSince(saidAt: string | null, receivedAt: Instant): boolean {
  const at = saidAt === null ? null : wallClockInstant(saidAt, null)
  return at !== null && at > receivedAt - FARTHEST
}

/** A fact contradicts the step: it goes out if the fact is of another order, or the platform says that the step still holds. */
export const isStillTrue: Guard = {
  applies: ({ claim }) => claim.invalidated !== null,
  async check({ claim, flow }, sources, signal) {
    const { invalidated, event, delivery } = claim
    if (await isOfAnother(claim, sources)) return null
    if (flow.contradiction !== undefined && delivery.released !== null) return null
    const holds = await holdsByStatus(claim, flow, sources, signal)
    if (holds === null && flow.contradiction !== undefined)
      throw new HeldError(`event ${invalidated} contradicts it: ${flow.contradiction(event)}`, {
        code: 'contradiction',
      })
    if (holds) return null
    const why = `invalidated: event ${invalidated} says that it is past that`
    return { superseded: why, code: 'invalidated', mayLook: true }
  },
}

async function isOfAnother({ event, invalidated }: Claim, { event: read }: Pick<Sources, 'event'>): Promise<boolean> {
  const own = platformIdOf(payloadOf(event))
  const body = own === null || invalidated === null ? null : ((await read(invalidated))?.body ?? null)
  const other = body && platformIdOf(payloadOf({ body }))
  return own !== null && other !== null && own !== other
}

const MAX_STATUS_TRIES = 3

/** Null: the platform cannot tell. */
async function holdsByStatus(
  { event, delivery }: Claim,
  flow: Flow,
  { orders }: Sources,
  signal: AbortSignal,
): Promise<boolean | null> {
  const number = flow.orderOf?.(event) ?? null
  if (!flow.isStillTrue || number === null) return false
  const { tries } = delivery
  const status = await readOrRetry('the order', () => orders.status(number, event.receivedAt, signal)).catch(
    (error: RetryLaterError) => {
      // The step blocks those after it, so it does not wait long for a status.
      if (tries >= MAX_STATUS_TRIES || outcomeOf(error.cause).type === 'dead') return null
      throw error
    },
  )
  return status === null ? null : flow.isStillTrue(status)
}

const GUARDS: readonly Guard[] = [dependsOn, dependsOnEarlier, undoes, supersededBy, respectsConsent, isStillTrue]

/** The record may follow its webhook. */
const MAX_ASKED = 3

/** What a step asserts, against the platform's record. Returns why nothing is left to do, or null. Throws a RetryLaterError or HeldError. */
export async function verifyWithPlatform(
  { event, delivery }: Claim,
  flow: Flow,
  { verifier, untakenCreation }: Pick<OrderReader, 'verifier' | 'untakenCreation'>,
  { isSent, now }: { isSent: boolean | null; now: Instant },
  signal: AbortSignal,
): Promise<string | null> {
  const claimed = flow.assertionOf?.(event, delivery)
  // A released step was judged by its operator.
  if (!claimed || verifier === 'operator' || delivery.released !== null) return null
  if (verifier === 'none') throw new HeldError(NO_VERIFIER, { code: 'webhooks-not-trusted' })
  const isFetched = isSent === false
  const since = event.receivedAt
  const verdict = await readOrRetry('the order', () =>
    verifyAssertion(claimed, since, verifier, isFetched, signal),
  ).catch(refused)
  if (verdict === 'verified') {
    if (claimed.is !== 'returned') return null
    const creation = await readOrRetry('the order', () => untakenCreation(claimed.order, since, signal)).catch(refused)
    if (creation !== null) throw notHereYet(creation, now, since)
    return null
  }
  if ('past' in verdict) return verdict.past
  if ('unclear' in verdict)
    throw new HeldError(`${verdict.unclear}. Release this if the customer fetches it, skip it if the store sends it`, {
      code: 'fetched-or-sent',
    })
  // Quotes of a webhook may be of any length.
  const missing = verdict.missing.slice(0, LONGEST_WHY)
  if (delivery.tries + 1 < MAX_ASKED) throw new RetryLaterError(`${missing}; it is asked again`, { code: NOT_VERIFIED })
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

async function verifyAssertion(
  claimed: Assertion,
  since: number,
  verifier: PlatformVerifier,
  isFetched: boolean,
  signal: AbortSignal,
): Promise<Judgement> {
  if (claimed.is === 'returned' || claimed.is === 'sold') {
    const kind = claimed.is === 'sold' ? claimed.kind : 'OmniChannelOrderRefundUpdated'
    const lately = await verifier.sent(kind, since, 'lately', signal)
    const verdict = verifySent(claimed, lately)
    if (verdict === 'verified') return verdict
    return verifySent(claimed, [...lately, ...(await verifier.sent(kind, since, 'long', signal))])
  }
  const order = await verifier.order(claimed.order, since, signal)
  if (order) return verifyOrder(claimed, order, isFetched)
  const unproven = (await verifier.knowsOrders())
    ? ''
    : '. It has not told of any order yet: if it cannot (platform.endpoints, orders.read), platform.trustWebhooks: true believes its webhooks'
  return { missing: `the platform does not know order ${claimed.order}${unproven}` }
}

function verifySent(claimed: RefundAssertion | SaleAssertion, sent: readonly LoggedEvent[]): Judgement {
  const [refunds, sales] = [sent.flatMap(({ refund }) => refund ?? []), sent.flatMap(({ identity }) => identity ?? [])]
  return claimed.is === 'returned' ? verifyRefund(claimed, refunds) : verifySale(claimed, sales)
}

/** A permanent refusal to answer holds the step. */
function refused(error: unknown): never {
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
