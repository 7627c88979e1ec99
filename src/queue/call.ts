import { isUtf8 } from 'node:buffer'
import type { Link } from '../domain/orders/link.ts'
import { inDoubtSince, nextLookup } from '../domain/queue/delivery.ts'
import { deliveryKey } from '../domain/queue/event.ts'
import { cutShort, isAuthFailure, type Outcome, outcomeOf, wasCut } from '../domain/queue/outcome.ts'
import { ITEM_LIFETIME } from '../domain/queue/retry.ts'
import { messageOf, RefusedTogetherError, UnknownOutcomeError, WaitError } from '../domain/values/errors.ts'
import { type Instant, isInFuture } from '../domain/values/instant.ts'
import { maskedAddress } from '../domain/values/text.ts'
import type { Flow } from '../flows/flow.ts'
import { type Clock, toMachineTime } from '../lib/clock.ts'
import type { Attempt, Effect } from '../ports/attempt.ts'
import { perform } from '../ports/perform.ts'
import type { Call } from '../ports/ports.ts'
import type { Claim } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'
import type { Destination } from './destination.ts'
import { lookUpAndPerform, whenUnknown } from './look.ts'

export interface Ready {
  claim: Claim
  call: Call
  /** Links stored with a successful outcome. */
  kept: Link[]
  /** Superseded in doubt: look it up, do not send. */
  onlyLook: boolean
  without?: string | null
}

export interface CallTools extends Omit<Limits, 'timeout'>, InDoubtRule {
  links: Storage['links']
}

export async function callFor(
  items: readonly Ready[],
  flow: Flow,
  destination: Destination,
  tools: CallTools,
): Promise<CallEnd[]> {
  const { name, ports, queue } = destination
  const { clock, underWay, links } = tools
  const looks = whenUnknown(flow, ports) === 'find' && items.some(({ claim }) => claim.delivery.open)
  const fence = items[0]?.claim.fence ?? 0
  const unlessFindable = flow.whenInDoubt ?? 'hold'
  const mayRepeat = whenUnknown(flow, ports) === 'repeat'
  let over = false
  const makeCall = async (signal: AbortSignal) => {
    const made = items.map(({ claim, call }) => ({ call, attempt: attemptOf(claim, signal) }))
    if (!looks) return await perform(ports, made)
    const together = await Promise.all(
      items.map(async ({ claim, call, onlyLook }) => {
        const inDoubtUntil = claim.delivery.open ? await doubtUntil(claim, queue, tools) : null
        const attempt = { ...attemptOf(claim, signal), mayStillLand: inDoubtUntil !== null }
        return { call, onlyLook, unlessFindable, attempt, inDoubtUntil }
      }),
    )
    return await lookUpAndPerform(ports, together)
  }
  const inTime = (end: CallEnd) => (over ? cut(end, mayRepeat) : end)
  try {
    const results = await withTimeout({ clock, underWay, timeout: queue.timeout }, fence, makeCall, () => {
      over = true
    })
    return results.map((result, index) => inTime(endOf(result, name, items[index])))
  } catch (error) {
    const end = inTime(failed(error))
    return items.map(() => end)
  }

  function attemptOf(claim: Claim, signal: AbortSignal): Attempt {
    const { delivery, event } = claim
    const firstTriedAt = firstTryOf(claim, clock.now())
    return {
      key: deliveryKey(event, flow.name, delivery.part, delivery.effect),
      previous: delivery.open ? 'open' : delivery.tries > 0 ? 'failed' : 'none',
      firstTriedAt: firstTriedAt === null ? null : toMachineTime(clock, firstTriedAt),
      signal,
      links: (kind, ids) => links(name, kind, ids),
    }
  }
}

function firstTryOf({ delivery, event }: Claim, now: Instant): Instant | null {
  const { firstTriedAt } = delivery
  if (firstTriedAt === null || !isInFuture(firstTriedAt, now)) return firstTriedAt
  return isInFuture(event.receivedAt, now) ? now - ITEM_LIFETIME : event.receivedAt
}

function endOf(result: Effect | Error | null, destination: string, item: Ready | undefined): CallEnd {
  if (result === null) return { outcome: INVALIDATED, together: false }
  if (result instanceof Error) return failed(result)
  const { kept = [], call, without = null } = item ?? {}
  try {
    const { links, note } = delivered(result, destination)
    const done = { type: 'delivered' as const, links: [...links, ...kept], note: withRecipient(note, call) }
    if (without === null) return { outcome: done, together: false }
    const said = [note, `without ${without}`].filter(Boolean).join(', ')
    return { outcome: { ...done, note: said, partly: true }, together: false }
  } catch (error) {
    return failed(error)
  }
}

function withRecipient(note: string | null, call: Call | undefined): string | null {
  if (call?.port !== 'email' && call?.port !== 'texts') return note
  const to = `to ${maskedAddress(call.argument.to)}`
  return note === null ? to : `${to}, ${note}`
}

const INVALIDATED: Outcome = {
  type: 'superseded',
  code: 'invalidated',
  why: 'invalidated, and it had not been made before',
}

function failed(error: unknown): CallEnd {
  const outcome = outcomeOf(error)
  return { outcome, together: error instanceof RefusedTogetherError && !isAuthFailure(error.code) }
}

function cut(end: CallEnd, mayRepeat: boolean): CallEnd {
  const outcome = cutShort(end.outcome)
  if (!wasCut(outcome)) return end
  return { outcome, together: mayRepeat || outcome.type === 'retry' }
}

export interface CallEnd {
  outcome: Outcome
  together: boolean
}

/** Sends again in halves until the bad items are isolated. Null: unsent. A cut item stays cut if it may have been executed or was in the last cut call. */
export async function bisect<Item>(
  items: readonly Item[],
  send: (items: readonly Item[]) => Promise<CallEnd[]>,
  goOn: () => boolean,
): Promise<(CallEnd | null)[]> {
  let lastCut = new Set<CallEnd>()

  async function sent(some: readonly Item[]): Promise<CallEnd[]> {
    const ends = await send(some)
    if (ends.some(isCut)) lastCut = new Set(ends)
    return ends
  }

  const sendOn = async (half: readonly Item[]) => (half.length > 0 && goOn() ? await sent(half) : null)

  async function halved(whole: readonly Item[], before: readonly CallEnd[]): Promise<(CallEnd | null)[]> {
    const ends: (CallEnd | null)[] = [...before]
    const failed = whole.flatMap((item, index) => (before[index]?.together ? [{ item, index }] : []))
    if (whole.length === 1 || failed.length === 0) return ends
    const middle = Math.ceil(failed.length / 2)
    const [first, second] = [failed.slice(0, middle), failed.slice(middle)]
    const ofFirst = await sendOn(itemsOf(first))
    // A cut call takes its full timeout: try the other half before bisecting further.
    const early = ofFirst?.some(isCut) ? await sendOn(itemsOf(second)) : null
    put(first, ofFirst ? await halved(itemsOf(first), ofFirst) : [])
    const ofSecond = early ?? (await sendOn(itemsOf(second)))
    put(second, ofSecond ? await halved(itemsOf(second), ofSecond) : [])
    return ends

    function put(half: readonly { index: number }[], again: readonly (CallEnd | null)[]) {
      for (const [place, { index }] of half.entries()) ends[index] = again[place] ?? staysCut(ends[index])
    }
  }

  function staysCut(end: CallEnd | null | undefined): CallEnd | null {
    return end && isCut(end) && (end.outcome.type === 'unknown' || lastCut.has(end)) ? end : null
  }

  return await halved(items, await sent(items))
}

/** A sixteenth after the first attempt, then a sixteenth of that, then single items. */
export function splitForRetry<Item>(items: readonly Item[], tries: number): Item[][] {
  const size = tries >= ALONE_AFTER ? 1 : Math.ceil(items.length / 16 ** tries)
  return Array.from({ length: Math.ceil(items.length / size) }, (_, no) => items.slice(no * size, (no + 1) * size))
}

const ALONE_AFTER = 3

function isCut({ outcome }: CallEnd): boolean {
  return wasCut(outcome)
}

function itemsOf<Item>(half: readonly { item: Item }[]): Item[] {
  return half.map(({ item }) => item)
}

interface InDoubtRule {
  clock: Clock
  delivery: Storage['delivery']
}

const RETRY_AFTER = 5_000

/** When to look again; null: no earlier call can still take effect. Throws a WaitError if the storage cannot tell. */
async function doubtUntil(
  { delivery: { id } }: Claim,
  { inDoubtFor, timeout }: Destination['queue'],
  { clock, delivery }: InDoubtRule,
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

/** Grace for an adapter that ignores its abort signal (ms). */
const GRACE = 1_000

export interface Limits {
  clock: Clock
  timeout: number
  underWay: Map<number, AbortController>
}

/** Aborts at the timeout. `over`: it had passed (slow answer or stall). */
export async function withTimeout<T>(
  { clock, timeout, underWay }: Limits,
  fence: number,
  call: (signal: AbortSignal) => Promise<T>,
  over = () => {},
): Promise<T> {
  const abort = new AbortController()
  const begun = clock.now()
  let isLate = false
  const cancel = clock.after(timeout, () => {
    isLate = !abort.signal.aborted
    // An Error captures the stack: expensive, and few calls need one.
    abort.abort(new Error(`no result within ${timeout} ms`))
  })
  const left = Promise.withResolvers<never>()
  let cancelGrace = () => {}
  const onAbort = () => {
    const leave = () => left.reject(new UnknownOutcomeError('The adapter did not stop when told to.'))
    cancelGrace = clock.after(GRACE, leave)
  }
  abort.signal.addEventListener('abort', onAbort)
  underWay.set(fence, abort)
  try {
    return await Promise.race([call(abort.signal), left.promise])
  } finally {
    abort.signal.removeEventListener('abort', onAbort)
    cancelGrace()
    cancel()
    underWay.delete(fence)
    if (abort.signal.aborted ? isLate : clock.now() - begun >= timeout) over()
  }
}

const RECORD = 2_000

/** Anything but text could not be stored. */
export function delivered(effect: Effect, destination: string): Outcome & { type: 'delivered' } {
  const note = effect.note ?? null
  const links = (effect.links ?? []).map(({ kind, id, theirId }) => {
    return { destination, kind: text(kind), id: text(id), theirId: text(theirId) }
  })
  return { type: 'delivered', links, note: note === null ? null : text(note) }
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError(`the adapter gave ${typeof value} where a note or a link must be text`)
}

function readable(bytes: Uint8Array): string {
  return isUtf8(bytes) ? Buffer.from(bytes).toString('utf8') : `${bytes.byteLength} bytes`
}

export function describe({ port, method, argument }: Call): string {
  // Erased data subjects appear in no record.
  if (method === 'erase') return `${port}.${method}`
  const text = JSON.stringify(argument, function (this: Record<string, unknown>, name: string, value: unknown) {
    const given = this[name]
    return given instanceof Uint8Array ? readable(given) : value
  })
  return `${port}.${method} ${text}`.slice(0, RECORD)
}
