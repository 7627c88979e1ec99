import { add, covers, intersected, merged, type Range } from '../../domain/completeness/covered.ts'
import { type GapChange, type KeptGap, PROVEN_BY_LISTS, stretchOf } from '../../domain/completeness/gap.ts'
import { marksOf, NEVER, provenUntil, type WatermarkChange } from '../../domain/completeness/watermark.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Storage } from '../../storage/storage.ts'
import { allGaps } from '../../storage/walk-pages.ts'
import type { OwnSubscription } from '../subscriptions/decide.ts'
import type { LogState } from './scan.ts'

interface Tools {
  storage: Pick<Storage, 'covered' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveReconciliation'>
  state: LogState
  /** `storeId` null: for all stores. */
  isWanted(kind: string, storeId: string | null): boolean
  logger: Logger
}

/** (ms) */
const DAY = 86_400_000

const EVER = Number.MIN_SAFE_INTEGER

/** Moves the watermarks of the log for each kind, and each store with a subscription or open gap of its own. */
export async function moveWatermarks(ours: readonly OwnSubscription[], now: Instant, tools: Tools): Promise<void> {
  const { storage, state, isWanted, logger } = tools
  const before = await storage.watermarks()
  const gaps: GapChange[] = []
  const unswept: WatermarkChange[] = []
  const proofs: { kind: string; storeId: string | null; from: Instant; covered: Range[]; excused: Range[] }[] = []
  const groups = Map.groupBy(ours, ({ kind, storeId }) => JSON.stringify([kind, storeId]))
  for (const group of groups.values()) {
    const [first] = group
    if (first !== undefined) await prove(first, group)
  }
  if (gaps.length > 0) await storage.saveReconciliation({ gaps }, now)
  const oldest = await storage.oldestGaps('log')
  const watermarks = proofs.flatMap((proof) => {
    const isIsolated = (storeId: string) => groups.has(JSON.stringify([proof.kind, storeId]))
    const ahead = state.ahead?.by ?? 0
    const { changes, wentBack } = marksOf({ level: 'log', ...proof }, { marks: before, oldest, now, ahead, isIsolated })
    for (const { level: _, ...back } of wentBack) logger.error(back, 'watermark.went-back')
    return changes
  })
  await storage.saveReconciliation({ watermarks: [...unswept, ...watermarks, ...left()] }, now)

  async function prove({ kind, storeId }: OwnSubscription, group: readonly OwnSubscription[]): Promise<void> {
    const starts = group.flatMap(({ webhookId }) => standsFrom(webhookId) ?? [])
    if (starts.length === 0) return neverScanned(kind, storeId)
    const begins = Math.min(...starts)
    const scope = `${kind}/${storeId ?? ''}`
    let all: Range[] = [{ from: begins, to: now }]
    for (const { webhookId } of group) {
      const from = standsFrom(webhookId)
      if (from === null) continue
      // A subscription says nothing of the time before it was made.
      all = intersected(all, add(await storage.covered('log', webhookId), { from: EVER, to: from }))
    }
    const covered = merged([...(await storage.covered('log', scope)), ...all])
    await storage.saveReconciliation({ covered: all.map((range) => ({ source: 'log', scope, ...range })) }, now)
    const mark = before.find((one) => one.level === 'log' && one.kind === kind && one.storeId === storeId)
    // A mark that begins in the future was written by a clock that was ahead.
    const from = mark === undefined || mark.until === NEVER || mark.from > now ? begins : mark.from
    const byLists = await provenByLists(kind, storeId, storage)
    gaps.push(...byLists.changes)
    const excused = [...(await excusedOf(kind, storeId)), ...byLists.ranges]
    const proof = { kind, storeId, from, covered, excused }
    proofs.push(proof)
    const until = provenUntil({ ...proof, oldestGap: null })
    const next = covered.find((range) => range.from > until) ?? (until < now - DAY ? { from: now - DAY } : undefined)
    for (const { at, key } of await unreadOf(kind, storeId))
      if (at < until) gaps.push({ type: 'repair', key, reason: 'the log was read' })
    if (next === undefined) return
    // The log is asked again until it has expired.
    const isAskedAgain = begins <= until
    const end = isAskedAgain ? next.from : Math.min(next.from, begins)
    const where = { source: 'log', kind, storeId, destination: null, day: null } as const
    const isExpired = group.some(({ webhookId }) => hasLost(webhookId, begins))
    const why = isAskedAgain ? 'the log could not be read' : isExpired ? 'the log was gone' : 'no subscription stood'
    const evidence = { log: { from: until, to: end, why } }
    const cause = 'not-looked-at'
    gaps.push({ type: 'see', gap: { ...where, cause, subject: `${scope}/${until}`, at: until, evidence } })
  }

  function neverScanned(kind: string, storeId: string | null): void {
    if (before.some((one) => one.level === 'log' && one.kind === kind && one.storeId === storeId)) return
    const watermark = { level: 'log', kind, storeId, from: NEVER, until: NEVER, since: now } as const
    unswept.push({ type: 'put', watermark })
  }

  /** Marks that nothing moves any more: no subscription, and none wanted; or never scanned. */
  function left(): WatermarkChange[] {
    const isOurs = (kind: string, storeId: string | null) => groups.has(JSON.stringify([kind, storeId]))
    return (
      before
        .filter(({ level, kind, storeId }) => level === 'log' && !isOurs(kind, storeId))
        // A store that only its own gap holds back moves with its kind.
        .filter(({ kind, storeId, until }) => until === NEVER || !(isWanted(kind, storeId) || isOurs(kind, null)))
        .map(({ level, kind, storeId }) => ({ type: 'drop', level, kind, storeId }))
    )
  }

  /** Since when a subscription covers all its stores. Null: never scanned. */
  function standsFrom(webhookId: string): Instant | null {
    const { from, widenedAt } = state.scanned[webhookId] ?? { from: null, widenedAt: null }
    return from === null ? null : Math.max(from, widenedAt ?? from)
  }

  function hasLost(webhookId: string, begins: Instant): boolean {
    const { from, expired } = state.scanned[webhookId] ?? { from: null, expired: false }
    return expired && from === begins
  }

  async function unreadOf(kind: string, storeId: string | null): Promise<KeptGap[]> {
    const open = await allGaps(storage, { source: 'log', cause: 'not-looked-at', kind, state: 'open' })
    return open.filter((gap) => gap.storeId === storeId)
  }

  /** Unproven time that an operator has explained. */
  async function excusedOf(kind: string, storeId: string | null): Promise<Range[]> {
    const gaps = await allGaps(storage, { source: 'log', cause: 'not-looked-at', kind, state: 'explained' })
    const here = gaps.filter((gap) => gap.storeId === null || gap.storeId === storeId)
    return here.flatMap((gap) => stretchOf(gap) ?? [])
  }
}

/** Unproven time of a kind that its lists prove from end to end. Its open gaps are closed. */
async function provenByLists(
  kind: string,
  storeId: string | null,
  storage: Pick<Storage, 'covered' | 'gaps' | 'oldestGaps'>,
): Promise<{ ranges: Range[]; changes: GapChange[] }> {
  const covered = await storage.covered('lists', kind)
  if (covered.length === 0) return { ranges: [], changes: [] }
  const open = (await storage.oldestGaps('lists')).filter((gap) => gap.kind === null || gap.kind === kind)
  const end = Math.min(...open.map(({ at }) => at), Number.MAX_SAFE_INTEGER)
  const proven = intersected(covered, [{ from: Number.MIN_SAFE_INTEGER, to: end }])
  const gaps: KeptGap[] = []
  for (const state of ['open', 'repaired'] as const)
    gaps.push(...(await allGaps(storage, { source: 'log', cause: 'not-looked-at', kind, state })))
  // A comparison for one store says nothing of others.
  const isHere = (gap: KeptGap) => gap.storeId === null || gap.storeId === storeId
  const ranges: Range[] = []
  const changes: GapChange[] = []
  for (const gap of gaps) {
    const stretch = stretchOf(gap)
    if (stretch === null || !isHere(gap) || !covers(proven, stretch)) continue
    ranges.push(stretch)
    if (gap.state === 'open') changes.push({ type: 'repair', key: gap.key, reason: PROVEN_BY_LISTS })
  }
  return { ranges, changes }
}
