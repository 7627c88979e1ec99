import type { Watermark } from '../../../src/domain/completeness/completeness.ts'
import { addRange, type Range } from '../../../src/domain/completeness/covered.ts'
import { changedGap, keyOfChange, type OldestGap, type StoredGap } from '../../../src/domain/completeness/gap.ts'
import type { Storage } from '../../../src/storage/storage.ts'

type Kept = Pick<
  Storage,
  'seen' | 'known' | 'covered' | 'gaps' | 'oldestGaps' | 'watermarks' | 'events' | 'saveReconciliation'
>

/** Storage of reconciliation in memory: quick enough for a hundred thousand stories. */
export function createMemoryStorage(inbox: ReadonlySet<string>): Kept {
  const gaps = new Map<string, StoredGap>()
  const ranges = new Map<string, Range[]>()
  const marks = new Map<string, Watermark>()
  return {
    seen: async (_, keys) => new Set(keys.filter((key) => inbox.has(key))),
    known: async (those) => those.map(() => null),
    events: async () => [],
    covered: async (source, scope) => ranges.get(`${source} ${scope}`) ?? [],
    gaps: async (filter, after, limit) =>
      [...gaps.values()]
        .filter((gap) => gap.id > after && Object.entries(filter).every(([name, value]) => gap[name as 'id'] === value))
        .slice(0, limit),
    oldestGaps: async (source): Promise<OldestGap[]> =>
      [...gaps.values()]
        .filter((gap) => gap.source === source && gap.state === 'open')
        .map(({ kind, storeId, destination, cause, at }) => ({ kind, storeId, destination, cause, at, count: 1 })),
    watermarks: async () => [...marks.values()],
    async saveReconciliation(change, now) {
      for (const one of change.gaps ?? []) {
        const key = keyOfChange(one)
        const before = gaps.get(key) ?? null
        const after = changedGap(before, one, now)
        if (after !== null) gaps.set(key, { id: before?.id ?? gaps.size + 1, ...after, key })
      }
      for (const { source, scope, ...range } of change.covered ?? [])
        ranges.set(`${source} ${scope}`, addRange(ranges.get(`${source} ${scope}`) ?? [], range))
      for (const one of change.watermarks ?? []) {
        const { level, kind, storeId } = one.type === 'put' ? one.watermark : one
        if (one.type === 'put') marks.set(`${level} ${kind} ${storeId}`, one.watermark)
        else marks.delete(`${level} ${kind} ${storeId}`)
      }
    },
  }
}
