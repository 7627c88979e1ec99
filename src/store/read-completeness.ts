import { z } from 'zod'
import { type Completeness, completenessOf, type Verdict, verdictOf } from '../domain/ledger/completeness.ts'
import { lagOf, NO_LATENESSES } from '../domain/ledger/lag.ts'
import { NO_LOG_CAUSES, type ProvenByFacts, stretchesByFacts } from '../domain/ledger/second-road.ts'
import { LEVELS } from '../domain/ledger/watermark.ts'
import type { Store } from './store.ts'

/** The answer to "is everything here?". */
export interface Answered {
  verdict: Verdict
  watermarks: Completeness[]
}

/** What a store of the hub knows of it now. */
export async function readCompleteness(
  store: Pick<Store, 'watermarks' | 'oldestGaps' | 'jobs'>,
  asked: Omit<Parameters<typeof completenessOf>[2], 'lag'>,
): Promise<Answered> {
  const lag = asked.until === null ? await lagNow(store) : 0
  const [watermarks, ...oldest] = await Promise.all([
    store.watermarks(),
    ...LEVELS.map(async (level) => [level, await store.oldestGaps(level)] as const),
  ])
  const all = completenessOf(watermarks, Object.fromEntries(oldest), { ...asked, lag })
  return { verdict: verdictOf(all), watermarks: all }
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
