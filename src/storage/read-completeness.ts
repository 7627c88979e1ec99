import { z } from 'zod'
import {
  type Completeness,
  completenessOf,
  isAbout,
  LEVELS,
  type Verdict,
  verdictOf,
  type WantedLog,
  type Watermark,
} from '../domain/completeness/completeness.ts'
import { type ProvenByLists, stretchesByLists } from '../domain/completeness/gap.ts'
import { ALLOWED_LATENESS } from '../domain/completeness/horizon.ts'
import {
  type DestinationCompleteness,
  DestinationReconciliation,
  destinationCompleteness,
  destinationVerdicts,
  StoreCount,
} from '../domain/completeness/reconciled.ts'
import type { Storage } from './storage.ts'
import { allGaps } from './walk-pages.ts'

const State = z.object({
  destinations: z.record(z.string(), DestinationReconciliation),
})

type DestinationsState = z.output<typeof State>

export function readDestinationsState(state: unknown): DestinationsState {
  return State.safeParse(state).data ?? { destinations: {} }
}

export interface CompletenessResult {
  verdict: Verdict
  watermarks: Completeness[]
  unresolved: UnresolvedEvents[]
  /** Platform kinds that no subscription is for. */
  notWatched: NotWatched[]
}

export interface UnresolvedEvents {
  kind: string
  state: 'conflict' | 'quarantined'
  count: number
  events: number[]
  more: boolean
}

export interface NotWatched {
  kind: string
  wanted: boolean
}

type Asked = Omit<Parameters<typeof completenessOf>[2], 'lag'>

export type AskedEvents = Pick<Asked, 'since' | 'until' | 'storeId'>

export interface CompletenessContext {
  wantedLogs: ReadWantedLogs
  unresolved(asked: AskedEvents): Promise<UnresolvedEvents[]>
  kinds(): Promise<{ offered: readonly string[]; wanted: readonly string[] }>
}

export type ReadWantedLogs = (marks: readonly Watermark[]) => Promise<WantedLog[]>

/** The one judgement behind `complete` and `/v1/completeness`; conflicts and quarantine leave a kind unknown. */
export async function readCompleteness(
  storage: Pick<Storage, 'watermarks' | 'oldestGaps' | 'jobs'>,
  context: CompletenessContext,
  asked: Asked,
): Promise<CompletenessResult> {
  const lag = asked.until === null ? ALLOWED_LATENESS + (await logAhead(storage)) : 0
  const [marks, unresolved, kinds, ...oldest] = await Promise.all([
    storage.watermarks(),
    context.unresolved(asked),
    context.kinds(),
    ...LEVELS.map(async (level) => [level, await storage.oldestGaps(level)] as const),
  ])
  const wanted = await context.wantedLogs(marks)
  const judged = completenessOf(marks, Object.fromEntries(oldest), { ...asked, lag }, wanted)
  const watermarks = judged.map((line) => {
    const isOpen = line.verdict === 'proven' && unresolved.some(({ kind }) => kind === line.kind)
    return isOpen ? { ...line, verdict: 'unknown' as const } : line
  })
  const there = destinationVerdicts(await storage.oldestGaps('destination'), asked)
  const notWatched = kinds.offered
    .filter((kind) => !marks.some((mark) => mark.kind === kind && isAbout(mark, asked.storeId, marks)))
    .map((kind) => ({ kind, wanted: kinds.wanted.includes(kind) }))
  const isOpen = unresolved.length > 0 || notWatched.some((one) => one.wanted)
  const lines = [...watermarks, ...there.values(), ...(isOpen ? [{ verdict: 'unknown' as const }] : [])]
  return { verdict: verdictOf(lines), watermarks, unresolved, notWatched }
}

const LeftByLog = z.object({ ahead: z.object({ by: z.number() }).nullable() })

/** Platform clock ahead of the hub's (ms), as the job `reconcile-log` saw it. */
async function logAhead(storage: Pick<Storage, 'jobs'>): Promise<number> {
  const left = (await storage.jobs()).find(({ name }) => name === 'reconcile-log')?.state ?? 'null'
  return LeftByLog.safeParse(JSON.parse(left)).data?.ahead?.by ?? 0
}

export interface There {
  destinations: DestinationCompleteness[]
}

export async function readThere(storage: Pick<Storage, 'oldestGaps' | 'jobs'>, asked: Asked): Promise<There> {
  const [oldest, jobs] = await Promise.all([storage.oldestGaps('destination'), storage.jobs()])
  const left = jobs.find(({ name }) => name === 'reconcile-destinations')?.state ?? 'null'
  const { destinations } = readDestinationsState(JSON.parse(left))
  return { destinations: destinationCompleteness(destinations, destinationVerdicts(oldest, asked), asked) }
}

export interface SecondSource {
  /** Stretches that only the lists could prove. */
  byLists: ProvenByLists[]
  cannotTell: Record<string, string>
  counts: ListCount[]
}

type ListCount = StoreCount & { kind: string; day: string }

const Left = z.object({
  cannotTell: z.record(z.string(), z.string()),
  counts: z.record(z.string(), z.record(z.string(), z.array(StoreCount))),
})

export async function readSecondSource(
  storage: Pick<Storage, 'gaps' | 'jobs'>,
  asked: { day?: string | undefined; storeId: string | null },
): Promise<SecondSource> {
  const [jobs, closed] = await Promise.all([
    storage.jobs(),
    allGaps(storage, { source: 'log', cause: 'not-looked-at', state: 'repaired' }),
  ])
  const left = jobs.find(({ name }) => name === 'reconcile-lists')?.state ?? 'null'
  const { cannotTell = {}, counts: all = {} } = Left.safeParse(JSON.parse(left)).data ?? {}
  const counts = Object.entries(all).flatMap(([kind, days]) =>
    Object.entries(days)
      .filter(([day]) => day === asked.day)
      .flatMap(([day, those]) => those.map((one) => ({ kind, day, ...one }))),
  )
  const isAsked = ({ storeId }: ListCount) => asked.storeId === null || storeId === asked.storeId
  return { byLists: stretchesByLists(closed), cannotTell, counts: counts.filter(isAsked) }
}
