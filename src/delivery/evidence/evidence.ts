import { judgeOrder, type Verdict } from '../../domain/orders/order-evidence.ts'
import { judgeRefund, type RefundClaim } from '../../domain/orders/refund-evidence.ts'
import { judgeSale, type SaleClaim } from '../../domain/orders/sale-evidence.ts'
import { outcomeOf } from '../../domain/queue/outcome.ts'
import { HeldError, RetryLaterError, WaitError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Claimed, Flow } from '../../flows/flow.ts'
import type { Claim } from '../../store/claim.ts'
import { asked, type OrderReader } from '../calling/inputs.ts'
import { waitFor } from '../cause.ts'
import type { Creation, PlatformWitness, Said } from './witness.ts'

/** How often the platform is asked, in the pauses of an item's schedule: its record may come a moment after its webhook. */
const MOST_ASKED = 3

/**
 * Sees that what a step takes for granted is so, by somebody else's word than the webhook's. Gives why there is nothing left
 * to do, or null: it may go out. Throws a RetryLaterError while the platform cannot tell, a HeldError that names what is
 * missing where a person must decide.
 */
export async function bearOut(
  { event, delivery }: Claim,
  flow: Flow,
  { witness, untakenCreation }: Pick<OrderReader, 'witness' | 'untakenCreation'>,
  { isSent, now }: { isSent: boolean | null; now: Instant },
  signal: AbortSignal,
): Promise<string | null> {
  const claimed = flow.claims?.(event, delivery)
  // A step that a person let go has been judged. An uncertain one is asked about again: it may never have come so far.
  if (!claimed || witness === 'operator' || delivery.released !== null) return null
  if (witness === 'nobody') throw new HeldError(NOBODY, { code: 'webhooks-not-trusted' })
  const isFetched = isSent === false
  const since = event.receivedAt
  const verdict = await asked('the order', () => judge(claimed, since, witness, isFetched, signal)).catch(refused)
  if (verdict === 'borne-out') {
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
  // The words that it quotes of a webhook may be of any length.
  const missing = verdict.missing.slice(0, LONGEST_WHY)
  if (delivery.tries + 1 < MOST_ASKED)
    throw new RetryLaterError(`${missing}; it is asked again`, { code: NOT_BORNE_OUT })
  throw new HeldError(`nothing but the webhook says so: ${missing}`, { code: NOT_BORNE_OUT })
}

/**
 * Money of a number that two orders have goes to the wrong customer where one of them is not known here yet. What makes it known comes by its
 * webhook, or from the event log.
 */
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
  witness: PlatformWitness,
  isFetched: boolean,
  signal: AbortSignal,
): Promise<Verdict> {
  if (claimed.is === 'returned' || claimed.is === 'sold') {
    const kind = claimed.is === 'sold' ? claimed.kind : 'OmniChannelOrderRefundUpdated'
    const lately = await witness.sent(kind, since, 'lately', signal)
    const verdict = judgeSent(claimed, lately)
    if (verdict === 'borne-out') return verdict
    return judgeSent(claimed, [...lately, ...(await witness.sent(kind, since, 'long', signal))])
  }
  const order = await witness.order(claimed.order, since, signal)
  if (order) return judgeOrder(claimed, order, isFetched)
  const unproven = (await witness.knowsOrders())
    ? ''
    : '. It has not told of any order yet: if it cannot (platform.endpoints, orders.read), platform.trustWebhooks: true believes its webhooks'
  return { missing: `the platform does not know order ${claimed.order}${unproven}` }
}

/** By the events of its kind that the platform says it sent. */
function judgeSent(claimed: RefundClaim | SaleClaim, sent: readonly Said[]): Verdict {
  if (claimed.is === 'returned')
    return judgeRefund(
      claimed,
      sent.flatMap(({ refund }) => refund ?? []),
    )
  return judgeSale(
    claimed,
    sent.flatMap(({ identity }) => identity ?? []),
  )
}

/** A refusal to tell is no trouble that passes. */
function refused(error: unknown): never {
  const { cause, message } = error as RetryLaterError
  if (outcomeOf(cause).type !== 'dead') throw error
  throw new HeldError(`${message}. If it never tells, platform.trustWebhooks: true believes its webhooks`, {
    code: NOT_BORNE_OUT,
    cause,
  })
}

const NOT_BORNE_OUT = 'not-borne-out'

/** Letters. */
const LONGEST_WHY = 500

const NOBODY =
  'nothing but the webhook says so, and the platform cannot be asked: set platform.baseUrl and its keys, or platform.trustWebhooks: true if the webhook token is known to nobody else'
