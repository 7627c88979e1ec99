import { isUtf8 } from 'node:buffer'
import { secondCall } from '../../domain/ledger/destination/second-call.ts'
import type { Link } from '../../domain/orders/link.ts'
import { refusesUs } from '../../domain/queue/blame.ts'
import { deliveryKey } from '../../domain/queue/event.ts'
import { inDoubtSince, nextLookup } from '../../domain/queue/in-doubt.ts'
import { cutShort, type Outcome, outcomeOf, wasCut } from '../../domain/queue/outcome.ts'
import { ITEM_LIFETIME } from '../../domain/queue/retry.ts'
import { RefusedTogetherError, UnknownOutcomeError, WaitError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { maskedAddress } from '../../domain/values/masked.ts'
import { isStillToCome } from '../../domain/values/still-to-come.ts'
import type { Flow } from '../../flows/flow.ts'
import { type Clock, pastByOwnClock } from '../../lib/clock.ts'
import type { Table } from '../../lib/table.ts'
import type { Attempt, Effect } from '../../ports/attempt.ts'
import { canFindAll, perform } from '../../ports/perform.ts'
import type { Call } from '../../ports/ports.ts'
import type { Claim } from '../../store/claim.ts'
import type { Store } from '../../store/store.ts'
import type { Destination } from '../destination.ts'
import { lookAndPerform, whenUnknown } from './look.ts'

/** A claim that a call is to be made for. */
export interface Ready {
  claim: Claim
  call: Call
  /** Links to be kept once it is done: how much the destination has been told then. */
  told: Link[]
  /** A call that was overtaken after a try that may have had its effect is only looked for. */
  onlyLook: boolean
  /** The part of its event that is not said again, and why; null: all of it is said. */
  without?: string | null
}

export interface CallTools extends Omit<Limits, 'timeout'>, Doubting {
  links: Store['links']
}

/** Makes one call for all of them, in the time of one. Never rejects. */
export async function callFor(
  items: readonly Ready[],
  flow: Flow,
  destination: Destination,
  tools: CallTools,
): Promise<CallEnd[]> {
  const { name, ports, lane } = destination
  const { clock, underWay, links } = tools
  const looks = whenUnknown(flow, ports) === 'find' && items.some(({ claim }) => claim.delivery.open)
  const fence = items[0]?.claim.fence ?? 0
  const unlessFindable = flow.onUnknown ?? 'hold'
  const mayRepeat = whenUnknown(flow, ports) === 'repeat'
  let over = false
  const makeCall = async (signal: AbortSignal) => {
    if (!looks)
      return await perform(
        ports,
        items.map(({ claim, call }) => ({ call, attempt: attemptOf(claim, signal) })),
      )
    const together = await Promise.all(
      items.map(async ({ claim, call, onlyLook }) => {
        const doubt = await doubtOf(claim, call, destination, tools)
        const attempt = { ...attemptOf(claim, signal), mayStillLand: doubt.inDoubtUntil !== null }
        return {
          call,
          onlyLook,
          unlessFindable,
          attempt,
          ...doubt,
          noteSecondCall: () => doubt.noteSecondCall(attempt.key),
        }
      }),
    )
    return await lookAndPerform(ports, together)
  }
  const inTime = (end: CallEnd) => (over ? cut(end, mayRepeat) : end)
  try {
    const results = await withTimeout({ clock, underWay, timeout: lane.timeout }, fence, makeCall, () => {
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
      firstTriedAt: firstTriedAt === null ? null : pastByOwnClock(clock, firstTriedAt),
      signal,
      links: (kind, ids) => links(name, kind, ids),
    }
  }
}

/** When it was tried first. Where a clock that was ahead has noted that, nobody knows: since its event came, or within the days in which anything is tried. */
function firstTryOf({ delivery, event }: Claim, now: Instant): Instant | null {
  const { firstTriedAt } = delivery
  if (firstTriedAt === null || !isStillToCome(firstTriedAt, now)) return firstTriedAt
  return isStillToCome(event.receivedAt, now) ? now - ITEM_LIFETIME : event.receivedAt
}

function endOf(result: Effect | Error | null, destination: string, item: Ready | undefined): CallEnd {
  if (result === null) return { outcome: OVERTAKEN, together: false }
  if (result instanceof Error) return failed(result)
  const { told = [], call, without = null } = item ?? {}
  try {
    const { links, note } = delivered(result, destination)
    const done = { type: 'delivered' as const, links: [...links, ...told], note: withRecipient(note, call) }
    if (without === null) return { outcome: done, together: false }
    const said = [note, `without ${without}`].filter(Boolean).join(', ')
    return { outcome: { ...done, note: said, partly: true }, together: false }
  } catch (error) {
    return failed(error)
  }
}

/** The note with the recipient of a message, masked so far that people know the address again. */
function withRecipient(note: string | null, call: Call | undefined): string | null {
  if (call?.port !== 'email' && call?.port !== 'texts') return note
  const to = `to ${maskedAddress(call.argument.to)}`
  return note === null ? to : `${to}, ${note}`
}

const OVERTAKEN: Outcome = { type: 'superseded', code: 'overtaken', why: 'overtaken, and it had not been made before' }

function failed(error: unknown): CallEnd {
  const outcome = outcomeOf(error)
  // A system that refuses us refuses the halves too.
  return { outcome, together: error instanceof RefusedTogetherError && !refusesUs(error.code) }
}

/** The end of a call whose time was over. One in it may be what hangs: unless it may have had its effect, it is sent again in halves. */
function cut(end: CallEnd, mayRepeat: boolean): CallEnd {
  const outcome = cutShort(end.outcome)
  if (!wasCut(outcome)) return end
  return { outcome, together: mayRepeat || outcome.type === 'retry' }
}

/** How one of a call ended. `together`: it was refused with others, or cut short with them, because of it or of them. */
export interface CallEnd {
  outcome: Outcome
  together: boolean
}

/**
 * Sends what goes out together, and those that were refused or cut short together again in two halves, one after the other,
 * until the bad ones stand alone. `send` gives what became of each, in their order, and never rejects. Null: `goOn` said no
 * before this one's turn came again, and nothing of it was carried out: it has its turn before those that were cut short. What
 * was cut short stays so where it may have been carried out, and where it was in the last call that was: that one is charged.
 */
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
    const [first, second] = halvesOf(failed)
    const ofFirst = await sendOn(itemsOf(first))
    // A call that is cut takes all its time: the other half may pass before the first is halved on.
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

/**
 * The pieces of what went out together and failed, as smaller calls: a sixteenth of them after the first try, then a sixteenth of that, then
 * each alone.
 */
export function piecesOf<Item>(items: readonly Item[], tries: number): Item[][] {
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

/** The second of a single one is empty. */
function halvesOf<Item>(items: readonly Item[]): [Item[], Item[]] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)]
}

interface Doubting {
  clock: Clock
  delivery: Store['delivery']
  saveLedger: Store['saveLedger']
}

interface Doubt {
  /** When it is looked up again if nothing is found; null: an earlier call may take effect no more, or there was none. */
  inDoubtUntil: Instant | null
  /** Notes a second call by that key, before it is made. */
  noteSecondCall(key: string): Promise<void>
}

/** How soon an unavailable storage is asked again (milliseconds). */
const RETRY_AFTER = 5_000

/** Whether an earlier call of a claim may still take effect. Throws a WaitError where the storage cannot tell, or note it. */
async function doubtOf(
  { delivery, event }: Claim,
  call: Call,
  { name, ports, lane }: Pick<Destination, 'name' | 'ports' | 'lane'>,
  { clock, ...store }: Doubting,
): Promise<Doubt> {
  return {
    inDoubtUntil: delivery.open ? await until() : null,

    async noteSecondCall(key) {
      if (lane.lookAgain.length === 0 || !canFindAll(ports, call.port)) return
      const { id, flow } = delivery
      const gap = secondCall(
        { destination: name, key, kind: event.kind, at: event.receivedAt },
        {
          delivery: id,
          flow,
          calledAt: clock.now(),
          looks: 0,
        },
      )
      await written(store.saveLedger({ gaps: [{ type: 'note', gap }] }, clock.now()))
    },
  }

  async function until(): Promise<Instant | null> {
    const now = clock.now()
    const attempts = (await written(store.delivery(delivery.id)))?.attempts ?? []
    return nextLookup(inDoubtSince(attempts, now), now, lane.inDoubtFor, lane.timeout)
  }

  /** Nothing was sent: what is in doubt stays so. */
  async function written<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new WaitError(`what its earlier tries were could not be read: ${why}`, {
        code: 'unread',
        until: clock.now() + RETRY_AFTER,
      })
    }
  }
}

/** An adapter that does not stop when told to is left behind after so long (milliseconds). */
const GRACE = 1_000

/** How long a call may take, and who may end it early. */
export interface Limits {
  clock: Clock
  /** Milliseconds. */
  timeout: number
  /** The abort of each call under way, by the fence of a claim in it: a hub that stops ends them all. */
  underWay: Table<AbortController>
}

/**
 * Makes a call with a signal that is aborted when its time is over; ends with it, or a little after it was told to stop.
 * `over` is called at the end if the time was over before: because nobody answered, or because the process stood still.
 */
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
    // Made only now: an error takes note of the stack, which is dear, and few calls need one.
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

/** Longest text of a dry run's record. */
const RECORD = 2_000

/** An adapter's word is checked before it counts: what is no text could not be kept. */
export function delivered(effect: Effect, destination: string): Outcome & { type: 'delivered' } {
  const note = effect.note ?? null
  const links = (effect.links ?? []).map(({ kind, id, theirId }) => ({
    destination,
    kind: text(kind),
    id: text(id),
    theirId: text(theirId),
  }))
  return { type: 'delivered', links, note: note === null ? null : text(note) }
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError(`the adapter gave ${typeof value} where a note or a link must be text`)
}

/** Bytes that are no text, such as a picture, are told by their size. */
function readable(bytes: Uint8Array): string {
  return isUtf8(bytes) ? Buffer.from(bytes).toString('utf8') : `${bytes.byteLength} bytes`
}

/** A call for people: what would be sent. A Buffer turns itself into a list of numbers before a replacer sees it. */
export function describe({ port, method, argument }: Call): string {
  // Whoever is forgotten stands in no record.
  if (method === 'erase') return `${port}.${method}`
  const text = JSON.stringify(argument, function (this: Record<string, unknown>, name: string, value: unknown) {
    const given = this[name]
    return given instanceof Uint8Array ? readable(given) : value
  })
  return `${port}.${method} ${text}`.slice(0, RECORD)
}
