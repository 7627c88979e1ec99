import { add, intersected, merged, type Range } from '../../domain/ledger/covered.ts'
import type { GapChange } from '../../domain/ledger/gap.ts'
import { marksOf } from '../../domain/ledger/marks.ts'
import { NO_LOG_CAUSES, stretchOf } from '../../domain/ledger/second-road.ts'
import { NEVER, provenUntil, type WatermarkChange } from '../../domain/ledger/watermark.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Store } from '../../store/store.ts'
import { allGaps } from '../../store/walk-pages.ts'
import type { OwnSubscription } from '../subscriptions/list-ours.ts'
import type { LedgerState } from './ledger-state.ts'
import { provenByFacts } from './proven-by-facts.ts'

interface Tools {
  store: Pick<Store, 'covered' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveLedger'>
  state: LedgerState
  logger: Logger
}

/** Before everything. */
const EVER = Number.MIN_SAFE_INTEGER

/**
 * Moves the watermarks of the log: for each kind, and each store that has a subscription or an open gap of its own. A stretch
 * that no subscription could prove is a gap of its own, until a person explains it.
 */
export async function moveWatermarks(ours: readonly OwnSubscription[], now: Instant, tools: Tools): Promise<void> {
  const { store, state, logger } = tools
  const before = await store.watermarks()
  const gaps: GapChange[] = []
  const unswept: WatermarkChange[] = []
  const proofs: { kind: string; storeId: string | null; from: Instant; covered: Range[]; excused: Range[] }[] = []
  const groups = Map.groupBy(ours, ({ kind, storeId }) => JSON.stringify([kind, storeId]))
  for (const group of groups.values()) {
    const [first] = group
    if (first !== undefined) await prove(first, group)
  }
  if (gaps.length > 0) await store.saveLedger({ gaps }, now)
  const oldest = await store.oldestGaps('log')
  const watermarks = proofs.flatMap((proof) => {
    const isApart = (storeId: string) => groups.has(JSON.stringify([proof.kind, storeId]))
    const { changes, wentBack } = marksOf({ level: 'log', ...proof }, { marks: before, oldest, now, isApart })
    for (const { level: _, ...back } of wentBack) logger.error(back, 'watermark.went-back')
    return changes
  })
  await store.saveLedger({ watermarks: [...unswept, ...watermarks, ...notOurs()] }, now)

  async function prove({ kind, storeId }: OwnSubscription, group: readonly OwnSubscription[]): Promise<void> {
    const starts = group.flatMap(({ webhookId }) => state.swept[webhookId]?.from ?? [])
    if (starts.length === 0) return neverSwept(kind, storeId)
    const begins = Math.min(...starts)
    const scope = `${kind}/${storeId ?? ''}`
    let all: Range[] = [{ from: begins, to: now }]
    for (const { webhookId } of group) {
      const from = state.swept[webhookId]?.from
      if (from === undefined || from === null) continue
      // Before it stood it could tell of nothing: the others do.
      all = intersected(all, add(await store.covered('log', webhookId), { from: EVER, to: from }))
    }
    const covered = merged([...(await store.covered('log', scope)), ...all])
    await store.saveLedger({ covered: all.map((range) => ({ road: 'log', scope, ...range })) }, now)
    const mark = before.find((one) => one.level === 'log' && one.kind === kind && one.storeId === storeId)
    const from = mark === undefined || mark.until === NEVER ? begins : mark.from
    const byFacts = await provenByFacts(kind, store)
    gaps.push(...byFacts.changes)
    const excused = [...(await excusedOf(kind)), ...byFacts.ranges]
    const proof = { kind, storeId, from, covered, excused }
    proofs.push(proof)
    const until = provenUntil({ ...proof, oldestGap: null })
    const next = covered.find((range) => range.from > until)
    if (next === undefined) return
    const where = { road: 'log', kind, storeId, destination: null, day: null } as const
    const evidence = { log: { from: until, to: next.from } }
    const isExpired = group.some(({ webhookId }) => state.swept[webhookId]?.expired === true)
    const cause = isExpired ? 'expired' : 'unwatched'
    gaps.push({ type: 'see', gap: { ...where, cause, subject: `${scope}/${until}`, at: until, evidence } })
  }

  /** Nothing is known of a subscription whose log has never been looked through, and nobody is to think otherwise. */
  function neverSwept(kind: string, storeId: string | null): void {
    if (before.some((one) => one.level === 'log' && one.kind === kind && one.storeId === storeId)) return
    const watermark = { level: 'log', kind, storeId, from: NEVER, until: NEVER, since: now } as const
    unswept.push({ type: 'put', watermark })
  }

  /** Kinds that were never looked through, and that nobody subscribes to any more. */
  function notOurs(): WatermarkChange[] {
    return before
      .filter((one) => one.level === 'log' && one.until === NEVER)
      .filter(({ kind, storeId }) => !groups.has(JSON.stringify([kind, storeId])))
      .map(({ level, kind, storeId }) => ({ type: 'drop', level, kind, storeId }))
  }

  /** Stretches that no log could prove, and that a person has explained. */
  async function excusedOf(kind: string): Promise<Range[]> {
    const gaps = await Promise.all(NO_LOG_CAUSES.map((cause) => allGaps(store, { cause, kind, state: 'explained' })))
    return gaps.flat().flatMap((gap) => stretchOf(gap) ?? [])
  }
}
