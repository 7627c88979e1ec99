import { expect } from 'vitest'
import { createRandom } from '../../../../sandbox/platform/seed/random.ts'
import type { Watermark } from '../../../../src/domain/completeness/completeness.ts'
import {
  changedGap,
  type GapChange,
  keyOfChange,
  type OldestGap,
  type StoredGap,
} from '../../../../src/domain/completeness/gap.ts'
import type { PosReceipt, PosReport } from '../../../../src/domain/completeness/pos.ts'
import { toStoreLocal } from '../../../../src/domain/values/store-time.ts'
import {
  checkStore,
  gapChanges,
  markOf,
  type PosState,
  posKey,
  readPosState,
} from '../../../../src/jobs/reconciliation/reconcile-pos.ts'
import { decimal, MEANINGS } from '../../../domain/completeness/pos/given.ts'
import { DAY, HOUR, MINUTE } from '../../kit.ts'

const ZONE = 'Europe/Oslo'
const HERE = { home: '42', storeId: '42', zone: ZONE, names: ['101'], resting: [], reports: [] }
const START = Date.parse('2026-10-24T08:00:00Z')
const RULES = { meanings: MEANINGS, patience: HOUR / 2 }

/** Something that comes to the hub, at once, late, or only at the end. */
interface Coming<Thing> {
  thing: Thing
  at: number
  comes: number
}

/** What two POS did in some days, and when each part of it comes. */
function possOfDays(random: () => number, days: number, end: number) {
  const receipts: Coming<PosReceipt>[] = []
  const reports: Coming<PosReport>[] = []
  const clock = (at: number) => toStoreLocal(at, ZONE).slice(0, 19)
  const comes = (at: number, lost: number) => (random() < lost ? end : at + (random() < 0.2 ? random() * DAY : MINUTE))
  for (const posId of ['421', '422']) {
    for (let day = 0, z = 1; day < days; day += 1) {
      // Not every POS sells every day.
      const count = Math.floor(random() * 4)
      if (count === 0) continue
      const times = Array.from({ length: count }, () => START + day * DAY + Math.floor(random() * 15 * HOUR)).sort()
      const amounts = times.map(() => Math.floor(random() * 5) * 50 - 50)
      const sum = amounts.reduce((total, one) => total + one, 0)
      for (const [nth, at] of times.entries()) {
        const amount = amounts[nth] ?? 0
        const thing = { posId, no: null, at: clock(at), total: decimal(amount) }
        receipts.push({ thing, at, comes: comes(at, 0.05) })
      }
      const closedAt = Math.max(...times) + Math.floor(random() * HOUR)
      reports.push({
        at: closedAt,
        comes: comes(closedAt, 0.05),
        thing: {
          ...{ settlementId: `${posId}-${z}`, place: '101', posId, number: z, closedAt, numbers: null },
          ...{
            from: clock(Math.min(...times)),
            to: clock(Math.max(...times)),
            receipts: count,
            hasPayments: random() < 0.8,
          },
          sold: decimal(sum),
        },
      })
      z += 1
    }
  }
  return { receipts, reports }
}

/** A store of which only what the job keeps is kept. */
function createKept() {
  const gaps = new Map<string, StoredGap>()
  const kept = { state: readPosState(null) as PosState, mark: null as Watermark | null, gaps }
  return {
    kept,
    open: () => [...gaps.values()].filter(({ state }) => state === 'open'),
    change(changes: readonly GapChange[], now: number) {
      for (const change of changes) {
        const key = keyOfChange(change)
        const after = changedGap(gaps.get(key) ?? null, change, now)
        if (after !== null) gaps.set(key, { ...after, key, id: gaps.get(key)?.id ?? gaps.size + 1 })
      }
    },
  }
}

/** The log tells of every sale, also of those that have not come: it proves nothing behind the first of these. */
function logOf(receipts: readonly Coming<PosReceipt>[], now: number): Watermark {
  const missing = receipts.filter(({ at, comes }) => at <= now && comes > now).map(({ at }) => at)
  const until = Math.min(now - 15 * MINUTE, ...missing)
  return { level: 'log', kind: 'SaleCreated', storeId: null, from: START, until, since: now }
}

/**
 * Whatever comes late or never: where the POS of a store are said to have balanced until T, each of their receipts of before T is
 * here; and in the end, when all has come, no gap is open and the watermark stands at the last close.
 */
export async function neverFalsely(runs: number): Promise<void> {
  let marked = 0
  for (let seed = 1; seed <= runs; seed += 1) {
    const random = createRandom(seed)
    const end = START + 9 * DAY
    const { receipts, reports } = possOfDays(random, 6, end)
    const { kept, open, change } = createKept()
    const hasLog = random() < 0.5
    let known: Set<string> | null = null
    const here = <Thing>(all: readonly Coming<Thing>[], now: number) =>
      all.filter(({ comes }) => comes <= now).map(({ thing }) => thing)
    for (let now = START; now <= end + 2 * DAY; now += 3 * HOUR + Math.floor(random() * 9 * HOUR)) {
      const log = hasLog ? logOf(receipts, now) : null
      const found = await checkStore({
        store: { ...HERE, reports: here(reports, now) },
        ...{ state: kept.state, isWatched: Object.keys(kept.state.posList).length > 0 },
        ...{ excused: new Set<string>(), rules: RULES, now },
        receiptsSince: async () => Map.groupBy(here(receipts, now), ({ posId }) => posId),
      })
      change(gapChanges(open(), [found]), now)
      const posList = Object.fromEntries(found.posList.map((pos) => [pos.key, pos.kept]))
      kept.state = { ...kept.state, posList: { ...kept.state.posList, ...posList }, lookedAt: now }
      const oldest = open().map((gap): OldestGap => ({ ...gap, count: 1 }))
      kept.mark =
        markOf('42', found, { marks: [...(kept.mark ? [kept.mark] : []), ...(log ? [log] : [])], oldest, now })
          ?.watermark ?? kept.mark
      // What the store's watermark says, it says of each POS that was known when it began.
      if (kept.mark !== null) known ??= new Set(found.posList.map(({ key }) => key))
      const begins = new Map(
        found.posList.map(({ key, kept: { begins } }) => [
          key,
          known?.has(key) ? (kept.mark?.from ?? 0) : (begins ?? Number.POSITIVE_INFINITY),
        ]),
      )
      const falsely = receipts.filter(({ thing, at, comes }) => {
        const since = begins.get(posKey({ home: HERE.home, posId: thing.posId })) ?? Number.POSITIVE_INFINITY
        return comes > now && at >= since && at < (kept.mark?.until ?? 0) - 1_000
      })
      expect(falsely, `seed ${seed}, ${new Date(now).toISOString()}`).toEqual([])
    }
    expect(open(), `seed ${seed}`).toEqual([])
    const closes = [...Map.groupBy(reports, ({ thing }) => thing.posId).values()].map((all) => all.at(-1)?.at ?? 0)
    if (kept.mark === null) continue
    marked += 1
    expect(kept.mark.until, `seed ${seed}`).toBeGreaterThanOrEqual(Math.min(...closes))
  }
  expect(marked).toBeGreaterThan(runs * 0.9)
}
