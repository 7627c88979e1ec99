import { gotThrough, mayBeEverybodys } from '../../domain/queue/blame.ts'
import { cutShort, nobodyGotThrough, type Outcome, wasCut } from '../../domain/queue/outcome.ts'
import type { Flow } from '../../flows/flow.ts'
import type { Claim } from '../../store/claim.ts'
import type { Destination } from '../destination.ts'
import { bisect, type CallEnd, type CallTools, callFor, piecesOf, type Ready } from './call.ts'
import type { Sources } from './inputs.ts'
import { prepare as callOf } from './prepare.ts'

/** How the claims of one call ended. */
export interface Tried {
  /** In their order. */
  outcomes: Outcome[]
  /** The outcome that tells whether the destination is in trouble; null: it was not called. */
  told: Outcome | null
  /** How many calls were made, halves included. */
  calls: number
}

interface Tools extends CallTools, Sources {
  isRunning: () => boolean
  /** Whether a call that begins now ends within the lease: after that, the claims may be another hub's. */
  inTime: () => boolean
}

/** The outcome of a delivery of which nothing was carried out, and that is not to blame: it goes out again, uncharged. */
export const LEFT: Outcome = {
  type: 'retry',
  scope: 'destination',
  notBefore: null,
  code: 'not-its-turn',
  why: 'it went out together with others that failed, and the time to send it apart from them was over',
}

/** The process or its machine stalled: nothing was sent. It counts as a try: this delivery may be what stalled it. */
const TOO_LATE = cutShort({
  type: 'retry',
  scope: 'destination',
  notBefore: null,
  code: 'too-late',
  why: 'the time that it was claimed for was over before it could be sent',
})

/** Carries out what was claimed for one call, each on its own account. Never throws. */
export async function tryTogether(
  claims: readonly Claim[],
  flow: Flow,
  destination: Destination,
  tools: Tools,
): Promise<Tried> {
  const { clock, underWay } = tools
  const limits = { clock, underWay, timeout: destination.lane.timeout }
  const sources = { ...tools, deliveries: askedOnce(tools.deliveries) }
  const prepare = (claim: Claim) => callOf(claim, flow, destination, sources, limits)
  const prepared = await Promise.all(claims.map(prepare))
  const ready = prepared.filter((one) => 'call' in one)
  let told: Outcome | null = null
  let calls = 0
  let refusedInARow = 0

  async function send(items: readonly Ready[]): Promise<CallEnd[]> {
    if (!tools.inTime()) return items.map(() => ({ outcome: TOO_LATE, together: false }))
    const ends = await callFor(items, flow, destination, tools)
    calls += 1
    refusedInARow = ends.every(({ outcome }) => mayBeEverybodys(outcome) && !wasCut(outcome)) ? refusedInARow + 1 : 0
    for (const { outcome } of ends) told = moreTelling(told, outcome)
    return ends
  }

  // Enough halves to come to a bad one at the beginning, and to its neighbours: after that it is not a matter of which.
  const enough = 2 * Math.ceil(Math.log2(ready.length + 1)) + 4
  const wanted = () => tools.isRunning() && refusedInARow < enough && !(told && nobodyGotThrough(told) && !wasCut(told))
  const goOn = () => wanted() && tools.inTime()
  const ends = new Map<Ready, Outcome>()
  for (const piece of callsOf(ready)) {
    if (ends.size > 0 && !goOn()) break
    const ended = piece.length > 1 ? await bisect(piece, send, goOn) : await send(piece)
    for (const [place, one] of piece.entries()) {
      const outcome = ended[place]?.outcome
      if (outcome) ends.set(one, outcome)
    }
  }
  // Where our time ended before anything came of it, that counts: else it would be tried for ever, all in the same way.
  const left = wanted() && ends.size === 0 ? cutShort(LEFT) : LEFT
  return {
    outcomes: prepared.map((one) => ('call' in one ? (ends.get(one) ?? left) : one)),
    told,
    calls,
  }
}

/** The same list, asked for by many claims of one call, is read once. */
function askedOnce(deliveries: Sources['deliveries']): Sources['deliveries'] {
  const asked = new Map<string, ReturnType<Sources['deliveries']>>()
  return (filter) => {
    const key = JSON.stringify(filter)
    const answer = asked.get(key) ?? deliveries(filter)
    asked.set(key, answer)
    return answer
  }
}

/**
 * The calls of a batch: all of it in one, but for what failed before and may hang again where halves cannot follow at once. That
 * is what went unanswered, and what is prompt: its lease is too short for them.
 */
function callsOf(ready: readonly Ready[]): Ready[][] {
  const failed = ({ claim: { delivery } }: Ready) =>
    delivery.tries > 0 && (delivery.open || delivery.urgency === 'prompt')
  const before = ready.filter(failed)
  if (before.length === 0) return ready.length === 0 ? [] : [[...ready]]
  const fresh = ready.filter((one) => !failed(one))
  const tries = Math.max(...before.map(({ claim }) => claim.delivery.tries))
  return [...(fresh.length > 0 ? [fresh] : []), ...piecesOf(before, tries)]
}

/** Trouble says the most, an unknown outcome the least. Where one got through, it was not the destination that hung on another. */
export function moreTelling(told: Outcome | null, outcome: Outcome): Outcome {
  return told === null || telling(outcome) > telling(told) ? outcome : told
}

function telling(outcome: Outcome): number {
  if (nobodyGotThrough(outcome)) return wasCut(outcome) ? 1 : 4
  if (outcome.type === 'delivered') return 3
  return gotThrough(outcome) ? 2 : 0
}
