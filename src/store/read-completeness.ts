import { z } from 'zod'
import { type Completeness, completenessOf, type Verdict, verdictOf } from '../domain/ledger/completeness.ts'
import { type CompleteThere, completeThere, heldThere } from '../domain/ledger/destination/held-there.ts'
import { lagOf, NO_LATENESSES } from '../domain/ledger/lag.ts'
import { NO_LOG_CAUSES, type ProvenByFacts, stretchesByFacts } from '../domain/ledger/second-road.ts'
import { LEVELS } from '../domain/ledger/watermark.ts'
import { readDestinationsState } from './reading/destinations-state.ts'
import type { Store } from './store.ts'

/** The answer to "is everything here?". */
export interface Answered {
  verdict: Verdict
  watermarks: Completeness[]
}

/** Until when, and of which store; the lag is the store's to say. */
type Asked = Omit<Parameters<typeof completenessOf>[2], 'lag'>

/** What a store of the hub knows of it now. */
export async function readCompleteness(
  store: Pick<Store, 'watermarks' | 'oldestGaps' | 'jobs'>,
  asked: Asked,
): Promise<Answered> {
  const lag = asked.until === null ? await lagNow(store) : 0
  const [watermarks, ...oldest] = await Promise.all([
    store.watermarks(),
    ...LEVELS.map(async (level) => [level, await store.oldestGaps(level)] as const),
  ])
  const all = completenessOf(watermarks, Object.fromEntries(oldest), { ...asked, lag })
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

/** The lag that the job `ledger` has learned. */
async function lagNow(store: Pick<Store, 'jobs'>): Promise<number> {
  const left = (await store.jobs()).find(({ name }) => name === 'ledger')?.state ?? 'null'
  return lagOf(Learned.safeParse(JSON.parse(left)).data?.latenesses ?? NO_LATENESSES)
}

/** Its state, as far as it matters here. */
const Learned = z.object({ latenesses: z.array(z.number()) })

/** What else is to be said of how complete it is. */
export interface SecondRoad {
  /** Stretches that the log could not prove, and that the facts have. */
  byFacts: ProvenByFacts[]
  /** By kind: why the platform's lists cannot tell of it. */
  cannotTell: Record<string, string>
}

/** The log is gone, or a subscription away, a few times in a year. */
const MOST = 1_000

/** The job's state, as it leaves it. */
const Left = z.object({ cannotTell: z.record(z.string(), z.string()) })

/** What the facts have proven in the place of the log, and of which kinds they cannot tell. */
export async function readSecondRoad(store: Pick<Store, 'gaps' | 'jobs'>): Promise<SecondRoad> {
  const [jobs, ...closed] = await Promise.all([
    store.jobs(),
    ...NO_LOG_CAUSES.map((cause) => store.gaps({ road: 'log', cause, state: 'mended' }, 0, MOST)),
  ])
  const left = jobs.find(({ name }) => name === 'compare-facts')?.state ?? 'null'
  const cannotTell = Left.safeParse(JSON.parse(left)).data?.cannotTell ?? {}
  return { byFacts: stretchesByFacts(closed.flat()), cannotTell }
}
