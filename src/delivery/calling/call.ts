import type { Link } from '../../domain/orders/link.ts'
import { refusesUs } from '../../domain/queue/blame.ts'
import { deliveryKey } from '../../domain/queue/event.ts'
import { cutShort, type Outcome, outcomeOf, wasCut } from '../../domain/queue/outcome.ts'
import { ITEM_LIFETIME } from '../../domain/queue/retry.ts'
import { RefusedTogetherError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { maskedAddress } from '../../domain/values/masked.ts'
import { isStillToCome } from '../../domain/values/still-to-come.ts'
import type { Flow } from '../../flows/flow.ts'
import { pastByOwnClock } from '../../lib/clock.ts'
import type { Attempt, Effect } from '../../ports/attempt.ts'
import { perform } from '../../ports/perform.ts'
import type { Call } from '../../ports/ports.ts'
import type { Claim } from '../../store/claim.ts'
import type { Store } from '../../store/store.ts'
import type { Destination } from '../destination.ts'
import { delivered } from '../effect.ts'
import type { CallEnd } from './bisect.ts'
import { type Doubting, doubtOf } from './doubt.ts'
import { lookAndPerform, whenUnknown } from './look.ts'
import { type Limits, withTimeout } from './with-timeout.ts'

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
