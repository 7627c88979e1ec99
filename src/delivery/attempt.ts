import { nobodyGotThrough, type Outcome } from '../domain/outcome.ts'
import type { Flow } from '../flows/flow.ts'
import type { Claim } from '../store/store.ts'
import { type CallTools, callFor, type Ready } from './call.ts'
import type { Destination } from './destination.ts'
import { type Ended, sendInHalves } from './halving.ts'
import type { Sources } from './known.ts'
import { prepare } from './prepare.ts'

/** How the claims of one call ended. */
interface Tried {
  /** In their order. */
  outcomes: Outcome[]
  /** What tells whether the destination is in trouble; null: it was not called. */
  told: Outcome | null
}

interface Tools extends CallTools, Sources {
  isRunning: () => boolean
  /** Whether a call that begins now ends within the lease: after that, the claims may be another hub's. */
  inTime: () => boolean
}

/** Nothing of it was carried out, and it is not to blame: it goes out again, uncharged. */
const LEFT: Outcome = {
  type: 'retry',
  scope: 'destination',
  notBefore: null,
  code: 'not-its-turn',
  why: 'it was refused together with others, and the time to send it in halves was over',
}

/** The process, or its machine, stood still: nothing was sent. */
const TOO_LATE: Outcome = {
  type: 'retry',
  scope: 'destination',
  notBefore: null,
  code: 'too-late',
  why: 'the time that it was claimed for was over before it could be sent',
}

/** Carries out what was claimed for one call, each on its own account. Never throws. */
export async function tryTogether(
  claims: readonly Claim[],
  flow: Flow,
  destination: Destination,
  tools: Tools,
): Promise<Tried> {
  const { clock, underWay } = tools
  const limits = { clock, underWay, timeout: destination.lane.timeout }
  const prepared = await Promise.all(claims.map((claim) => prepare(claim, flow, destination, tools, limits)))
  const ready = prepared.filter((one) => 'call' in one)
  let told: Outcome | null = null

  async function send(items: readonly Ready[]): Promise<Ended[]> {
    if (!tools.inTime()) return items.map(() => ({ outcome: TOO_LATE, together: false }))
    const ends = await callFor(items, flow, destination, tools)
    for (const { outcome } of ends) told = moreTelling(told, outcome)
    return ends
  }

  const goOn = () => tools.isRunning() && tools.inTime() && !(told && nobodyGotThrough(told))
  const ends = ready.length > 1 ? await sendInHalves(ready, send, goOn) : ready.length === 1 ? await send(ready) : []
  let turn = 0
  return {
    outcomes: prepared.map((one) => ('call' in one ? (ends[turn++]?.outcome ?? LEFT) : one)),
    told,
  }
}

/** Trouble says the most, an unknown outcome the least. */
function moreTelling(told: Outcome | null, outcome: Outcome): Outcome {
  if (told === null || nobodyGotThrough(outcome)) return outcome
  return told.type === 'unknown' ? outcome : told
}
