import { z } from 'zod'
import {
  type Completeness,
  completenessOf,
  type Verdict,
  verdictOf,
  type WantedLog,
} from '../domain/ledger/completeness.ts'
import { type CompleteThere, completeThere, heldThere } from '../domain/ledger/destination/held-there.ts'
import { ALLOWED_LATENESS } from '../domain/ledger/horizon.ts'
import { type ProvenByFacts, stretchesByFacts } from '../domain/ledger/second-road.ts'
import { LEVELS, type Watermark } from '../domain/ledger/watermark.ts'
import { readDestinationsState } from './reading/destinations-state.ts'
import type { Store } from './store.ts'
import { allGaps } from './walk-pages.ts'

/** The answer to "is everything here?". */
export interface Answered {
  verdict: Verdict
  watermarks: Completeness[]
  /** What is here, and acted on nowhere: it leaves open whether its day is complete. */
  unresolved: UnresolvedEvents[]
  /** Kinds of the platform that no subscription of this hub is for, and nothing else tells of. */
  notWatched: NotWatched[]
}

/** Events of a kind that are in conflict or in quarantine, and that nobody has dismissed. */
export interface UnresolvedEvents {
  kind: string
  state: 'conflict' | 'quarantined'
  count: number
  /** The ids of the newest ones. */
  events: number[]
  /** There may be more. */
  more: boolean
}

export interface NotWatched {
  kind: string
  /** Config subscribes to it, so that something is wrong; else config leaves it out. */
  wanted: boolean
}

/** Until when, and of which store; the lag is the store's to say. */
type Asked = Omit<Parameters<typeof completenessOf>[2], 'lag'>

/** Whose events, and of when: `since` not given, from the beginning; `until` null, up to now. */
export type AskedEvents = Pick<Asked, 'since' | 'until' | 'storeId'>

/** What a judgement rests on besides watermarks and gaps. */
export interface CompletenessContext {
  wantedLogs: ReadWantedLogs
  /** Reads what is in conflict or in quarantine. */
  unresolved(asked: AskedEvents): Promise<UnresolvedEvents[]>
  /** The kinds that the platform has, as far as they are known, and those that config subscribes to. */
  kinds(): Promise<{ offered: readonly string[]; wanted: readonly string[] }>
}

/** Says which logs are to be looked through, whether anybody has begun with them or not. `marks`: those that there are. */
export type ReadWantedLogs = (marks: readonly Watermark[]) => Promise<WantedLog[]>

/**
 * Whether everything is here: the one judgement that `complete` and `/v1/completeness` give. What is in conflict or in
 * quarantine leaves it unknown, in its kind's lines too.
 */
export async function readCompleteness(
  store: Pick<Store, 'watermarks' | 'oldestGaps' | 'jobs'>,
  context: CompletenessContext,
  asked: Asked,
): Promise<Answered> {
  const lag = asked.until === null ? ALLOWED_LATENESS + (await logAhead(store)) : 0
  const [marks, unresolved, kinds, ...oldest] = await Promise.all([
    store.watermarks(),
    context.unresolved(asked),
    context.kinds(),
    ...LEVELS.map(async (level) => [level, await store.oldestGaps(level)] as const),
  ])
  const wanted = await context.wantedLogs(marks)
  const judged = completenessOf(marks, Object.fromEntries(oldest), { ...asked, lag }, wanted)
  const watermarks = judged.map((line) => {
    const isOpen = line.verdict === 'proven' && unresolved.some(({ kind }) => kind === line.kind)
    return isOpen ? { ...line, verdict: 'unknown' as const } : line
  })
  const there = heldThere(await store.oldestGaps('destination'), asked)
  const notWatched = kinds.offered
    .filter((kind) => !marks.some((mark) => mark.kind === kind))
    .map((kind) => ({ kind, wanted: kinds.wanted.includes(kind) }))
  const isOpen = unresolved.length > 0 || notWatched.some((one) => one.wanted)
  const lines = [...watermarks, ...there.values(), ...(isOpen ? [{ verdict: 'unknown' as const }] : [])]
  return { verdict: verdictOf(lines), watermarks, unresolved, notWatched }
}

const LeftByLedger = z.object({ ahead: z.object({ by: z.number() }).nullable() })

/** How far ahead of the hub's clock the log writes (milliseconds), as the job `ledger` has seen it. */
async function logAhead(store: Pick<Store, 'jobs'>): Promise<number> {
  const left = (await store.jobs()).find(({ name }) => name === 'ledger')?.state ?? 'null'
  return LeftByLedger.safeParse(JSON.parse(left)).data?.ahead?.by ?? 0
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
  /** What lists and the hub have, by kind, day and store, of the day that is asked about. */
  counts: ListCount[]
}

/** What the list of a day and the hub have of a kind in a store. */
interface ListCount {
  kind: string
  day: string
  /** Null: nobody knows of which store it is. */
  storeId: string | null
  listed: number
  listedSum: string
  here: number
  hereSum: string
}

/** The job's state, as it leaves it. */
const Left = z.object({
  cannotTell: z.record(z.string(), z.string()),
  counts: z.record(
    z.string(),
    z.record(
      z.string(),
      z.array(
        z.object({
          storeId: z.string().nullable(),
          listed: z.number(),
          listedSum: z.string(),
          here: z.number(),
          hereSum: z.string(),
        }),
      ),
    ),
  ),
})

/** What the facts have proven in the place of the log, of which kinds they cannot tell, and what they count of a day. */
export async function readSecondRoad(
  store: Pick<Store, 'gaps' | 'jobs'>,
  asked: { day?: string | undefined; storeId: string | null },
): Promise<SecondRoad> {
  const [jobs, closed] = await Promise.all([
    store.jobs(),
    allGaps(store, { road: 'log', cause: 'not-looked-at', state: 'mended' }),
  ])
  const left = jobs.find(({ name }) => name === 'compare-facts')?.state ?? 'null'
  const { cannotTell = {}, counts: all = {} } = Left.safeParse(JSON.parse(left)).data ?? {}
  const counts = Object.entries(all).flatMap(([kind, days]) =>
    Object.entries(days)
      .filter(([day]) => day === asked.day)
      .flatMap(([day, those]) => those.map((one) => ({ kind, day, ...one }))),
  )
  const isAsked = ({ storeId }: ListCount) => asked.storeId === null || storeId === asked.storeId
  return { byFacts: stretchesByFacts(closed), cannotTell, counts: counts.filter(isAsked) }
}
