import { z } from 'zod'
import {
  type Completeness,
  completenessOf,
  type Verdict,
  verdictOf,
  type WantedLog,
} from '../domain/ledger/completeness.ts'
import { type CompleteThere, completeThere, heldThere } from '../domain/ledger/destination/held-there.ts'
import { type ProvenByFacts, STRETCH_CAUSES, stretchesByFacts } from '../domain/ledger/second-road.ts'
import { LEVELS, type Watermark } from '../domain/ledger/watermark.ts'
import { readDestinationsState } from './reading/destinations-state.ts'
import { learnedDistance } from './reading/learned-lag.ts'
import type { Store } from './store.ts'
import { allGaps } from './walk-pages.ts'

/** The answer to "is everything here?". */
export interface Answered {
  verdict: Verdict
  watermarks: Completeness[]
}

/** Until when, and of which store; the lag is the store's to say. */
type Asked = Omit<Parameters<typeof completenessOf>[2], 'lag'>

/** Says which logs are to be looked through, whether anybody has begun with them or not. `marks`: those that there are. */
export type ReadWantedLogs = (marks: readonly Watermark[]) => Promise<WantedLog[]>

/** What a store of the hub knows of it now. */
export async function readCompleteness(
  store: Pick<Store, 'watermarks' | 'oldestGaps' | 'jobs'>,
  wantedLogs: ReadWantedLogs,
  asked: Asked,
): Promise<Answered> {
  const lag = asked.until === null ? await learnedDistance(store) : 0
  const [watermarks, ...oldest] = await Promise.all([
    store.watermarks(),
    ...LEVELS.map(async (level) => [level, await store.oldestGaps(level)] as const),
  ])
  const wanted = await wantedLogs(watermarks)
  const all = completenessOf(watermarks, Object.fromEntries(oldest), { ...asked, lag }, wanted)
  const there = heldThere(await store.oldestGaps('destination'), asked)
  return { verdict: verdictOf([...all, ...there.values()]), watermarks: all }
}

/** What destinations have of what they were given. */
export interface There {
  destinations: CompleteThere[]
}

/** The other side, as far as it was asked. */
export async function readThere(store: Pick<Store, 'oldestGaps' | 'jobs'>, asked: Asked): Promise<There> {
  const [oldest, jobs] = await Promise.all([store.oldestGaps('destination'), store.jobs()])
  const left = jobs.find(({ name }) => name === 'compare-destinations')?.state ?? 'null'
  const { destinations } = readDestinationsState(JSON.parse(left))
  return { destinations: completeThere(destinations, heldThere(oldest, asked), asked) }
}

/** What else is to be said of how complete it is. */
export interface SecondRoad {
  /** Stretches that the log could not prove, and that the facts have. */
  byFacts: ProvenByFacts[]
  /** By kind: why the platform's lists cannot tell of it. */
  cannotTell: Record<string, string>
}

/** The job's state, as it leaves it. */
const Left = z.object({ cannotTell: z.record(z.string(), z.string()) })

/** What the facts have proven in the place of the log, and of which kinds they cannot tell. */
export async function readSecondRoad(store: Pick<Store, 'gaps' | 'jobs'>): Promise<SecondRoad> {
  const [jobs, ...closed] = await Promise.all([
    store.jobs(),
    ...STRETCH_CAUSES.map((cause) => allGaps(store, { road: 'log', cause, state: 'mended' })),
  ])
  const left = jobs.find(({ name }) => name === 'compare-facts')?.state ?? 'null'
  const cannotTell = Left.safeParse(JSON.parse(left)).data?.cannotTell ?? {}
  return { byFacts: stretchesByFacts(closed.flat()), cannotTell }
}
