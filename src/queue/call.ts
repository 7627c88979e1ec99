import { isUtf8 } from 'node:buffer'
import type { Link } from '../domain/orders/link.ts'
import {
  FIND_FAILED,
  FIND_UNANSWERED,
  FIND_UNFINISHED,
  inDoubtSince,
  MAY_REPEAT,
  MAY_STILL_LAND,
  NO_TIME_LEFT,
  NOT_FOUND_YET,
  nextLookup,
  partOf,
  type WhenUnknown,
} from '../domain/queue/delivery.ts'
import { deliveryKey } from '../domain/queue/event.ts'
import { cutShort, isAuthFailure, isUnreachable, type Outcome, outcomeOf, wasCut } from '../domain/queue/outcome.ts'
import { ITEM_LIFETIME } from '../domain/queue/retry.ts'
import {
  messageOf,
  PermanentError,
  RefusedTogetherError,
  UnfinishedLookError,
  UnknownOutcomeError,
  WaitError,
} from '../domain/values/errors.ts'
import { type Instant, isInFuture } from '../domain/values/instant.ts'
import { maskedAddress } from '../domain/values/text.ts'
import { EMPTY_CONTEXT, type Flow, type Guarded, hasGuard, type Sources } from '../flows/flow.ts'
import { stillTrue } from '../flows/guards.ts'
import { type Clock, toMachineTime, toStorageTime } from '../lib/clock.ts'
import { type CallAttempt, effectLookupOf, perform } from '../ports/perform.ts'
import type { Attempt, Call, Effect, Ports } from '../ports/ports.ts'
import type { Claim } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'
import type { Destination } from './destination.ts'

/** A delivery in flight, from its claim to its outcome. */
export interface InFlight extends Claim, Pick<Guarded, 'part' | 'now' | 'known' | 'onlyLook' | 'makesCall'> {
  /** As config maps it; guards take away what does not hold any more. */
  event: Claim['event']
  /** What becomes of it when its effect is unknown. */
  way: WhenUnknown
  /** What they took away. */
  without: string[]
  /** Links stored with a success. */
  kept: Link[]
  call: Call | null
  /** Null: it was not sent. */
  outcome: Outcome | null
  /** Refused or cut with others: these are sent again in halves. */
  together: boolean
  /** The process stood still meanwhile. */
  hasStalled: boolean
}

export function begin(
  claim: Claim,
  flow: Flow,
  { ports, channels, accounts }: Pick<Destination, 'ports' | 'channels' | 'accounts'>,
  { storeOf }: Pick<Sources, 'storeOf'>,
  now: Instant,
): InFlight {
  const part = partOf(claim.delivery.part)
  const { released } = claim.delivery
  const one: InFlight = {
    ...claim,
    ...{ part, now, way: whenUnknown(flow, ports), onlyLook: false, without: [], kept: [] },
    ...{ call: null, outcome: null, together: false, hasStalled: false },
    known: { ...EMPTY_CONTEXT, channels, accounts, released, storeOf },
    makesCall: () => flow.call(one.event, { part }, one.known) !== null,
  }
  return one
}

/** What becomes of a call whose effect is unknown. */
export function whenUnknown(flow: Flow, ports: Ports): WhenUnknown {
  if (!flow.atMostOnce) return 'repeat'
  const port: { find?: unknown } | undefined = ports[flow.port]
  if (!flow.noLookup && port?.find) return 'find'
  return flow.whenInDoubt === 'repeat' ? 'repeat' : 'hold'
}

/** Asks the guards of the flow in order, and has it make the call. Never throws; sets the call, or an outcome without one. */
export async function prepare(
  one: InFlight,
  flow: Flow,
  destination: Destination,
  sources: Sources,
  limits: Limits,
): Promise<void> {
  const { delivery, event, way, invalidated } = one
  const { name, dryRun } = destination
  // A step with a fact against it never goes out unasked.
  const isAsked = invalidated === null || hasGuard(flow, 'stillTrue')
  const guards = isAsked ? (flow.guards ?? []) : [...(flow.guards ?? []), stillTrue()]

  async function guarded(signal: AbortSignal): Promise<void> {
    for (const { check } of guards) {
      const verdict = check ? await check(one, sources, signal) : null
      // A guard that did not stop when told to comes too late.
      if (one.outcome !== null) return
      if (verdict === null) continue
      if ('known' in verdict) {
        one.known = { ...one.known, ...verdict.known }
        one.kept.push(...(verdict.kept ?? []))
      } else if ('event' in verdict) {
        one.event = verdict.event
        one.without.push(verdict.without)
      } else if (verdict.mayLook && delivery.open && way === 'find') one.onlyLook = true
      else {
        one.outcome = notMade(verdict.code, verdict.superseded)
        return
      }
    }
  }

  if (one.unchanged) one.outcome = notMade('unchanged', `unchanged: ${name} has acknowledged the same`)
  else if (one.stale) one.outcome = notMade('stale', `stale: ${name} has acknowledged a newer one`)
  else if (delivery.open && way === 'hold') one.outcome = UNCERTAIN
  else if (event.body.byteLength === 0) one.outcome = PAYLOAD_GONE
  if (one.outcome !== null) return
  try {
    if (guards.length > 0) await withTimeout(limits, one.fence, guarded)
    if (one.outcome !== null) return
    const call = flow.call(one.event, one, one.known)
    if (call === null) one.outcome = notMade('nothing-left', 'there is nothing left to do about it')
    else if (dryRun) one.outcome = { type: 'delivered', links: [], note: `dry run: ${describe(call)}` }
    else one.call = delivery.released?.to === undefined ? call : redirected(call, delivery.released.to)
  } catch (error) {
    one.outcome = failureOf(error, limits.clock)
  }
}

function notMade(code: string, why: string): Outcome {
  return { type: 'superseded', code, why }
}

const UNCERTAIN: Outcome = {
  type: 'unknown',
  code: 'uncertain',
  why: 'an earlier try may have had its effect, and nobody can look it up',
}

const PAYLOAD_GONE: Outcome = { type: 'dead', code: 'payload-gone', why: 'The payload is not kept any more.' }

/** An operator has a message sent to another address. */
function redirected(call: Call, to: string): Call {
  if (call.port !== 'email' && call.port !== 'texts') return call
  return { ...call, argument: { ...call.argument, to } } as Call
}

export interface CallTools extends Omit<Limits, 'timeout'> {
  links: Storage['links']
  delivery: Storage['delivery']
}

/** One call for all of these. Never throws; sets the outcome of each. */
export async function makeCall(
  items: readonly InFlight[],
  flow: Flow,
  destination: Destination,
  tools: CallTools,
): Promise<void> {
  const { name, ports, queue } = destination
  const { clock, underWay } = tools
  const isInDoubt = items.some(({ way, delivery }) => way === 'find' && delivery.open)
  let isLate = false
  try {
    const limits = { clock, underWay, timeout: queue.timeout }
    const results: readonly (Effect | Error | null)[] = await withTimeout(
      limits,
      items[0]?.fence ?? 0,
      (signal) => {
        const sent = items.map((one) => {
          return { call: one.call as Call, attempt: attemptOf(one, flow, name, tools, signal) }
        })
        return isInDoubt ? lookUpFirst(items, sent, flow, destination, tools) : perform(ports, sent)
      },
      () => {
        isLate = true
      },
    )
    for (const [index, result] of results.entries()) {
      const one = items[index]
      if (one) end(one, result, name, clock)
    }
  } catch (error) {
    for (const one of items) fail(one, error, clock)
  }
  if (isLate) for (const one of items) cut(one)
}

async function lookUpFirst(
  items: readonly InFlight[],
  sent: readonly CallAttempt[],
  { whenInDoubt: unlessFindable = 'hold' }: Flow,
  { ports, queue }: Destination,
  tools: CallTools,
): Promise<(Effect | Error | null)[]> {
  const together = sent.map(async ({ call, attempt }, index) => {
    const { delivery, onlyLook } = items[index] as InFlight
    const inDoubtUntil = delivery.open ? await doubtUntil(delivery.id, queue, tools) : null
    const mayStillLand = inDoubtUntil !== null
    return { call, onlyLook, unlessFindable, inDoubtUntil, attempt: { ...attempt, mayStillLand } }
  })
  return await lookUpAndPerform(ports, await Promise.all(together))
}

function attemptOf(
  { delivery, event }: InFlight,
  flow: Flow,
  destination: string,
  { clock, links }: CallTools,
  signal: AbortSignal,
): Attempt {
  const { firstTriedAt } = delivery
  return {
    key: deliveryKey(event, flow.name, delivery.part, delivery.effect),
    previous: delivery.open ? 'open' : delivery.tries > 0 ? 'failed' : 'none',
    firstTriedAt: firstTriedAt === null ? null : toMachineTime(clock, pastTry(firstTriedAt, event, clock.now())),
    signal,
    links: (kind, ids) => links(destination, kind, ids),
  }
}

/** A clock that was ahead may have written it. */
function pastTry(firstTriedAt: Instant, event: Claim['event'], now: Instant): Instant {
  if (!isInFuture(firstTriedAt, now)) return firstTriedAt
  return isInFuture(event.receivedAt, now) ? now - ITEM_LIFETIME : event.receivedAt
}

function end(one: InFlight, result: Effect | Error | null, destination: string, clock: Clock): void {
  one.together = false
  if (result === null) one.outcome = INVALIDATED
  else if (result instanceof Error) fail(one, result, clock)
  else
    try {
      const { call, kept, without } = one
      const { note = null, links: given = [] } = result
      const links = given.map(({ kind, id, theirId }) => ({ destination, kind, id, theirId }))
      // Anything but text could not be stored.
      for (const text of [note ?? '', ...links.flatMap(({ kind, id, theirId }) => [kind, id, theirId])])
        if (typeof text !== 'string')
          throw new TypeError(`the adapter gave ${typeof text} where a note or a link must be text`)
      const isMessage = call?.port === 'email' || call?.port === 'texts'
      const notes = [
        ...(isMessage ? [`to ${maskedAddress(call.argument.to)}`] : []),
        ...(note === null ? [] : [note]),
        ...(without.length > 0 ? [`without ${without.join(', and ')}`] : []),
      ]
      one.outcome = {
        ...{ type: 'delivered', links: [...links, ...kept], note: notes.length > 0 ? notes.join(', ') : null },
        ...(without.length > 0 && { partly: true }),
      }
    } catch (error) {
      fail(one, error, clock)
    }
}

const INVALIDATED: Outcome = {
  type: 'superseded',
  code: 'invalidated',
  why: 'invalidated, and it had not been made before',
}

function fail(one: InFlight, error: unknown, clock: Clock): void {
  one.outcome = failureOf(error, clock)
  one.together = error instanceof RefusedTogetherError && !isAuthFailure(error.code)
}

/** An adapter's instant is of this machine's clock, an outcome's of the one that hubs share. */
function failureOf(error: unknown, clock: Clock): Outcome {
  const outcome = outcomeOf(error)
  if (outcome.type !== 'retry' || outcome.notBefore === null) return outcome
  return { ...outcome, notBefore: toStorageTime(clock, outcome.notBefore) }
}

function cut(one: InFlight): void {
  one.outcome = one.outcome && cutShort(one.outcome)
  if (one.outcome && wasCut(one.outcome)) one.together = one.way === 'repeat' || one.outcome.type === 'retry'
}

/** Grace for an adapter that ignores its abort signal (ms). */
const GRACE = 1_000

export interface Limits {
  clock: Clock
  timeout: number
  underWay: Map<number, { abort(why: Error): void }>
}

/** Aborts at the timeout. `over`: it had passed (slow answer or stall). */
export async function withTimeout<T>(
  { clock, timeout, underWay }: Limits,
  fence: number,
  call: (signal: AbortSignal) => Promise<T>,
  over: (() => void) | null = null,
): Promise<T> {
  const abort = new AbortController()
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const begun = clock.now()
  let isLate = false
  let cancel = clock.after(timeout, () => {
    isLate = true
    // An Error captures the stack: expensive, and few calls need one.
    stop(new Error(`no result within ${timeout} ms`))
  })
  function stop(why: Error): void {
    // Told twice, it has no longer to stop.
    if (abort.signal.aborted) return
    cancel()
    abort.abort(why)
    cancel = clock.after(GRACE, () => reject(new UnknownOutcomeError('The adapter did not stop when told to.')))
  }
  underWay.set(fence, { abort: stop })
  try {
    call(abort.signal).then(resolve, reject)
    return await promise
  } finally {
    cancel()
    underWay.delete(fence)
    if (abort.signal.aborted ? isLate : clock.now() - begun >= timeout) over?.()
  }
}

const RECORD = 2_000

function describe({ port, method, argument }: Call): string {
  // Erased data subjects appear in no record.
  if (method === 'erase') return `${port}.${method}`
  const text = JSON.stringify(argument, function (this: Record<string, unknown>, name: string, value: unknown) {
    const given = this[name]
    return given instanceof Uint8Array ? readable(given) : value
  })
  return `${port}.${method} ${text}`.slice(0, RECORD)
}

function readable(bytes: Uint8Array): string {
  return isUtf8(bytes) ? Buffer.from(bytes).toString('utf8') : `${bytes.byteLength} bytes`
}

const CANNOT_FIND = 'cannot-find'

interface InDoubtAttempt extends CallAttempt {
  /** Superseded meanwhile: not sent if its effect is not there. */
  onlyLook: boolean
  unlessFindable: 'repeat' | 'hold'
  /** Null: no earlier call can still take effect. */
  inDoubtUntil: Instant | null
}

/** Sends only what is not there, once no earlier call can take effect. Null: superseded. WaitError `not-found-yet`: it may still appear. */
export async function lookUpAndPerform(
  ports: Ports,
  together: readonly InDoubtAttempt[],
): Promise<(Effect | Error | null)[]> {
  const results = new Map<CallAttempt, Effect | Error>()
  for (const one of together.filter(isInDoubt)) {
    const found = await lookUpEffect(ports, one).catch((error: unknown) => notFindable(error, one.unlessFindable))
    if (found === 'repeat') continue
    if (found) results.set(one, found)
    else if (one.inDoubtUntil !== null) results.set(one, notFoundYet(one.inDoubtUntil))
  }
  const missing = together.filter((one) => !results.has(one) && !one.onlyLook)
  if (missing.some(isInDoubt)) refuseLate(missing)
  const performed = await perform(ports, missing)
  missing.forEach((one, index) => {
    results.set(one, performed[index] as Effect | Error)
  })
  return together.map((one) => results.get(one) ?? null)
}

function notFoundYet(until: Instant): WaitError {
  return new WaitError('nothing is there of an earlier call that went unanswered, and it may still take effect', {
    code: NOT_FOUND_YET,
    until,
  })
}

function isInDoubt({ attempt }: CallAttempt): boolean {
  return attempt.previous === 'open'
}

function notFindable(error: unknown, rule: 'repeat' | 'hold'): Error | 'repeat' {
  if (error instanceof PermanentError && error.code === MAY_REPEAT) return 'repeat'
  if (!(error instanceof PermanentError && error.code === CANNOT_FIND)) throw error
  if (rule === 'repeat') return 'repeat'
  return new UnknownOutcomeError(`an earlier try may have had its effect: ${error.message}`, {
    code: CANNOT_FIND,
    byHand: true,
  })
}

async function lookUpEffect(ports: Ports, { call, attempt }: CallAttempt): Promise<Effect | null> {
  try {
    const find = effectLookupOf(ports, call.port)
    const effect = find ? await find(attempt, call) : null
    return effect && { ...effect, note: `found there: ${effect.note ?? 'it had happened'}` }
  } catch (error) {
    const outcome = outcomeOf(error)
    if (outcome.type === 'unknown' && outcome.code === MAY_STILL_LAND) return null
    if (isUnreachable(outcome) || isConclusive(outcome)) throw error
    const { code, why, mayBeWide } = { code: 'unexpected-error', why: '', mayBeWide: false, ...outcome }
    throw new UnknownOutcomeError(`looking for the effect of an earlier try failed: ${why}`, {
      code: codeOfFailed(error, outcome),
      because: code,
      mayBeWide,
      cause: error,
    })
  }
}

function codeOfFailed(error: unknown, outcome: Outcome): string {
  if (error instanceof UnfinishedLookError) return FIND_UNFINISHED
  return outcome.type === 'unknown' ? FIND_UNANSWERED : FIND_FAILED
}

function isConclusive(outcome: Outcome): boolean {
  if (outcome.type === 'unknown') return outcome.byHand === true
  if (outcome.type === 'held') return true
  return outcome.type === 'dead' && (outcome.code === CANNOT_FIND || outcome.code === MAY_REPEAT)
}

function refuseLate(missing: readonly CallAttempt[]): void {
  if (missing.some(({ attempt }) => attempt.signal.aborted))
    throw new UnknownOutcomeError('No time was left for the call.', { code: NO_TIME_LEFT })
}

/** (ms) */
const RETRY_AFTER = 5_000

/** When to look again; null: no earlier call can still take effect. Throws a WaitError if the storage cannot tell. */
async function doubtUntil(
  id: number,
  { inDoubtFor, timeout }: Destination['queue'],
  { clock, delivery }: { clock: Clock; delivery: Storage['delivery'] },
): Promise<Instant | null> {
  const now = clock.now()
  try {
    const attempts = (await delivery(id))?.attempts ?? []
    return nextLookup(inDoubtSince(attempts, now), now, inDoubtFor, timeout)
  } catch (error) {
    const why = messageOf(error)
    throw new WaitError(`what its earlier tries were could not be read: ${why}`, {
      code: 'unread',
      until: clock.now() + RETRY_AFTER,
    })
  }
}
