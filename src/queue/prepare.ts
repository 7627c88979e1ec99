import type { Link } from '../domain/orders/link.ts'
import {
  judgeOrder,
  judgeRefund,
  judgeSale,
  type RefundClaim,
  type SaleClaim,
  type Verdict,
} from '../domain/orders/order-evidence.ts'
import { partOf } from '../domain/queue/delivery.ts'
import { type Event, payloadOrNull } from '../domain/queue/event.ts'
import { type Outcome, outcomeOf } from '../domain/queue/outcome.ts'
import { codeOf } from '../domain/queue/search-keys.ts'
import { HeldError, PermanentError, RetryLaterError, WaitError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { wallClockInstant } from '../domain/values/store-time.ts'
import type { Claimed, Flow, Known } from '../flows/flow.ts'
import { readConsent } from '../platform/payloads/customer.ts'
import type { Call } from '../ports/ports.ts'
import type { Claim, Released } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'
import { delivered, describe, type Limits, type Ready, withTimeout } from './call.ts'
import { afterCreation, dependsOnEarlier, waitFor, wasNeverMade } from './cause.ts'
import type { Destination } from './destination.ts'
import {
  asked,
  isOfAnother,
  knownAtOnce,
  learn,
  mayBeUndone,
  mustLearn,
  type OrderReader,
  type Remainder,
  remainder,
  type Sources,
  stillHolds,
} from './inputs.ts'
import { whenUnknown } from './look.ts'
import type { Creation, PlatformVerifier, Said } from './verify.ts'

export async function prepare(
  claim: Claim,
  flow: Flow,
  destination: Destination,
  sources: Sources,
  limits: Limits,
): Promise<Ready | Outcome> {
  const { delivery, event, unchanged, stale } = claim
  const { name } = destination
  const step = { part: partOf(delivery.part) }
  const callOf = (known: Known, about = event) => redirected(flow.call(about, step, known), delivery.released)
  if (unchanged) return notMade('unchanged', `unchanged: ${name} has acknowledged the same`)
  if (stale) return notMade('stale', `stale: ${name} has acknowledged a newer one`)
  if (claim.unacknowledged && flow.onlyIfTold?.(event))
    return notMade('nothing-left', `${name} was never told of it before`)
  if (delivery.open && whenUnknown(flow, destination.ports) === 'hold')
    return {
      type: 'unknown',
      code: 'uncertain',
      why: 'an earlier try may have had its effect, and nobody can look it up',
    }
  try {
    if (event.body.byteLength === 0)
      throw new PermanentError('The payload is not kept any more.', { code: 'payload-gone' })
    const now = limits.clock.now()
    if (!mustLearn(claim, flow) && !mayBeRevoked(claim, flow, now))
      return made(claim, callOf(knownAtOnce(claim, destination, sources)), destination, [], false)
    return await withTimeout(limits, claim.fence, async (signal) => {
      await afterCreation(claim, flow, sources.deliveries, now)
      await dependsOnEarlier(claim, flow, sources.deliveries, now)
      if (await wasNeverMade(claim, flow, sources.deliveries))
        return notMade('nothing-left', `${name} never had it: ${flow.takesBack} was invalidated before it was made`)
      const left = await remainder(claim, flow, sources)
      if (left?.event === null)
        return notMade('invalidated', `invalidated: delivery ${left.by}, of a later event, has been made`)
      const revoked = await revokedSince(claim, flow, left?.event ?? event, sources, now)
      if (revoked?.event === null)
        return notMade('invalidated', `invalidated: event ${revoked.by} says that the customer has revoked it since`)
      const isOver = claim.invalidated !== null && !(await isOfAnother(claim, sources))
      const past = isOver && !(await holdsAllTheSame(claim, flow, sources, signal))
      const mayLook = delivery.open && whenUnknown(flow, destination.ports) === 'find'
      if (past && !mayLook)
        return notMade('invalidated', `invalidated: event ${claim.invalidated} says that it is past that`)
      const { known, kept } = await learn(claim, flow, destination, sources, signal)
      const call = callOf(known, revoked?.event ?? left?.event)
      const said = { isSent: known.isSent, now }
      const over = call && !past ? await verify(claim, flow, sources.orders, said, signal) : null
      if (over !== null && !mayLook) return notMade('invalidated', `invalidated: ${over}`)
      const ready = made(claim, call, destination, kept, past || over !== null)
      return 'call' in ready ? { ...ready, without: partSaid(left, revoked) } : ready
    })
  } catch (error) {
    return outcomeOf(error)
  }
}

function partSaid(left: Remainder | null, revoked: Revoked | null): string | null {
  const parts = [
    left && `what delivery ${left.by}, of a later event, has said anew`,
    revoked && `what the customer has revoked since, by event ${revoked.by}`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(', and ')
}

async function holdsAllTheSame(claim: Claim, flow: Flow, sources: Sources, signal: AbortSignal): Promise<boolean> {
  const { event, delivery, invalidated } = claim
  if (flow.contradiction !== undefined && delivery.released !== null) return true
  const holds = await stillHolds(claim, flow, sources, signal)
  if (holds === null && flow.contradiction !== undefined)
    throw new HeldError(`event ${invalidated} contradicts it: ${flow.contradiction(event)}`, { code: 'contradiction' })
  return holds ?? false
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

const MAX = 100

/** The platform's zone is not documented (ms). */
const FARTHEST = 14 * 3_600_000

/** The search index lags by half a minute (ms). */
const RECENT_MS = 60_000
const TOLD_BY = new Set(['CustomerCreated', 'CustomerUpdated'])

interface Revoked {
  event: Event | null
  by: number
}

function mayBeRevoked(claim: Claim, flow: Flow, now: Instant): boolean {
  if (!flow.agreed || flow.agreed.by(claim.event) === null) return false
  return mayBeUndone(claim, flow) || now - claim.event.receivedAt > RECENT_MS
}

async function revokedSince(
  claim: Claim,
  flow: Flow,
  event: Event,
  storage: Pick<Storage, 'links' | 'find' | 'event'>,
  now: Instant,
): Promise<Revoked | null> {
  const agreed = flow.agreed?.by(event) ?? null
  if (!flow.agreed || agreed === null || !mayBeRevoked(claim, flow, now)) return null
  const { delivery, event: claimed } = claim
  const { customerId, extId = null } = agreed
  const links = extId === null ? [] : await storage.links(delivery.destination, 'customer', [extId])
  const ids = [...links.map(({ theirId }) => theirId), ...(customerId === undefined ? [] : [customerId])]
  const names = [...ids, ...(extId === null ? [] : [extId])]
  const keys = names.map((name) => ({ sort: 'id' as const, value: codeOf(name) }))
  for (const { event: row } of await storage.find(keys, MAX)) {
    if (row.id <= claimed.id || !TOLD_BY.has(row.kind)) continue
    const said = readConsent(payloadOrNull((await storage.event(row.id))?.body ?? null))
    if (said === null || !(ids.includes(said.customerId) || (extId !== null && said.extId === extId))) continue
    const left = isSince(said.agreedAt, claimed.receivedAt) ? flow.agreed.without(event, said) : event
    return left === event ? null : { event: left, by: row.id }
  }
  return null
}

function isSince(saidAt: string | null, receivedAt: Instant): boolean {
  const at = saidAt === null ? null : wallClockInstant(saidAt, null)
  return at !== null && at > receivedAt - FARTHEST
}

/** The record may follow its webhook. */
const MAX_ASKED = 3

/** Verifies a step against the platform. Returns why nothing is left to do, or null. Throws RetryLaterError or HeldError. */
export async function verify(
  { event, delivery }: Claim,
  flow: Flow,
  { verifier, untakenCreation }: Pick<OrderReader, 'verifier' | 'untakenCreation'>,
  { isSent, now }: { isSent: boolean | null; now: Instant },
  signal: AbortSignal,
): Promise<string | null> {
  const claimed = flow.claims?.(event, delivery)
  // A released step was judged by its operator.
  if (!claimed || verifier === 'operator' || delivery.released !== null) return null
  if (verifier === 'none') throw new HeldError(NO_VERIFIER, { code: 'webhooks-not-trusted' })
  const isFetched = isSent === false
  const since = event.receivedAt
  const verdict = await asked('the order', () => judge(claimed, since, verifier, isFetched, signal)).catch(refused)
  if (verdict === 'verified') {
    if (claimed.is !== 'returned') return null
    const creation = await asked('the order', () => untakenCreation(claimed.order, since, signal)).catch(refused)
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

async function judge(
  claimed: Claimed,
  since: number,
  verifier: PlatformVerifier,
  isFetched: boolean,
  signal: AbortSignal,
): Promise<Verdict> {
  if (claimed.is === 'returned' || claimed.is === 'sold') {
    const kind = claimed.is === 'sold' ? claimed.kind : 'OmniChannelOrderRefundUpdated'
    const lately = await verifier.sent(kind, since, 'lately', signal)
    const verdict = judgeSent(claimed, lately)
    if (verdict === 'verified') return verdict
    return judgeSent(claimed, [...lately, ...(await verifier.sent(kind, since, 'long', signal))])
  }
  const order = await verifier.order(claimed.order, since, signal)
  if (order) return judgeOrder(claimed, order, isFetched)
  const unproven = (await verifier.knowsOrders())
    ? ''
    : '. It has not told of any order yet: if it cannot (platform.endpoints, orders.read), platform.trustWebhooks: true believes its webhooks'
  return { missing: `the platform does not know order ${claimed.order}${unproven}` }
}

function judgeSent(claimed: RefundClaim | SaleClaim, sent: readonly Said[]): Verdict {
  const [refunds, sales] = [sent.flatMap(({ refund }) => refund ?? []), sent.flatMap(({ identity }) => identity ?? [])]
  return claimed.is === 'returned' ? judgeRefund(claimed, refunds) : judgeSale(claimed, sales)
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
