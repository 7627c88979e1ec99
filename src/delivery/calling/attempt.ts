import {
  cutShort,
  gotThrough,
  mayBeEverybodys,
  nobodyGotThrough,
  type Outcome,
  wasCut,
} from '../../domain/queue/outcome.ts'
import type { Flow } from '../../flows/flow.ts'
import type { Claim } from '../../store/claim.ts'
import type { Destination } from '../destination.ts'
import { bisect, type CallEnd, type CallTools, callFor, piecesOf, type Ready } from './call.ts'
import type { Sources } from './inputs.ts'
import { prepare as callOf } from './prepare.ts'

export interface Tried {
  outcomes: Outcome[]
  told: Outcome | null
  calls: number
}

interface Tools extends CallTools, Sources {
  isRunning: () => boolean
  /** False once the lease is too short for another call. */
  inTime: () => boolean
}

/** Nothing was sent and this delivery is not the cause: requeue without consuming an attempt. */
export const LEFT: Outcome = {
  type: 'retry',
  scope: 'destination',
  notBefore: null,
  code: 'not-its-turn',
  why: 'it went out together with others that failed, and the time to send it apart from them was over',
}

/** Nothing was sent after a stall; counts as an attempt, as this delivery may be the cause. */
const TOO_LATE = cutShort({
  type: 'retry',
  scope: 'destination',
  notBefore: null,
  code: 'too-late',
  why: 'the time that it was claimed for was over before it could be sent',
})

/** Sends the claims of one call; each gets its own outcome. Never throws. */
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

  // Enough halves to isolate one bad item early and its neighbours; beyond that the items are not the cause.
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
  // If the lease ended before any outcome, that counts as an attempt: otherwise it would repeat for ever.
  const left = wanted() && ends.size === 0 ? cutShort(LEFT) : LEFT
  return { outcomes: prepared.map((one) => ('call' in one ? (ends.get(one) ?? left) : one)), told, calls }
}

function askedOnce(deliveries: Sources['deliveries']): Sources['deliveries'] {
  const asked = new Map<string, ReturnType<Sources['deliveries']>>()
  return (filter) => {
    const key = JSON.stringify(filter)
    const answer = asked.get(key) ?? deliveries(filter)
    asked.set(key, answer)
    return answer
  }
}

/** One call for the batch; items that failed before and may hang again go in smaller pieces. */
function callsOf(ready: readonly Ready[]): Ready[][] {
  const failed = ({ claim: { delivery } }: Ready) =>
    delivery.tries > 0 && (delivery.open || delivery.urgency === 'prompt')
  const before = ready.filter(failed)
  if (before.length === 0) return ready.length === 0 ? [] : [[...ready]]
  const fresh = ready.filter((one) => !failed(one))
  const tries = Math.max(...before.map(({ claim }) => claim.delivery.tries))
  return [...(fresh.length > 0 ? [fresh] : []), ...piecesOf(before, tries)]
}

/** An unreachable destination tells most, an unknown outcome least. */
export function moreTelling(told: Outcome | null, outcome: Outcome): Outcome {
  return told === null || telling(outcome) > telling(told) ? outcome : told
}

function telling(outcome: Outcome): number {
  if (nobodyGotThrough(outcome)) return wasCut(outcome) ? 1 : 4
  if (outcome.type === 'delivered') return 3
  return gotThrough(outcome) ? 2 : 0
}
