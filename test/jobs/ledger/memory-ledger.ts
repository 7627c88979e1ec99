import { add, type Range } from '../../../src/domain/ledger/covered.ts'
import { changedGap, type KeptGap, keyOfChange, type OldestGap } from '../../../src/domain/ledger/gap.ts'
import type { Watermark } from '../../../src/domain/ledger/watermark.ts'
import type { Store } from '../../../src/store/store.ts'

type Kept = Pick<Store, 'seen' | 'known' | 'covered' | 'gaps' | 'oldestGaps' | 'watermarks' | 'events' | 'saveLedger'>

/** The ledger's part of a store, in memory: quick enough for a hundred thousand stories. */
export function createMemoryLedger(inbox: ReadonlySet<string>): Kept {
  const gaps = new Map<string, KeptGap>()
  const ranges = new Map<string, Range[]>()
  const marks = new Map<string, Watermark>()
  return {
    seen: async (_, keys) => new Set(keys.filter((key) => inbox.has(key))),
    known: async (those) => those.map(() => null),
    events: async () => [],
    covered: async (road, scope) => ranges.get(`${road} ${scope}`) ?? [],
    gaps: async (filter, after, limit) =>
      [...gaps.values()]
        .filter((gap) => gap.id > after && Object.entries(filter).every(([name, value]) => gap[name as 'id'] === value))
        .slice(0, limit),
    oldestGaps: async (road): Promise<OldestGap[]> =>
      [...gaps.values()]
        .filter((gap) => gap.road === road && gap.state === 'open')
        .map(({ kind, storeId, destination, cause, at }) => ({ kind, storeId, destination, cause, at, count: 1 })),
    watermarks: async () => [...marks.values()],
    async saveLedger(change, now) {
      for (const one of change.gaps ?? []) {
        const key = keyOfChange(one)
        const before = gaps.get(key) ?? null
        const after = changedGap(before, one, now)
        if (after !== null) gaps.set(key, { id: before?.id ?? gaps.size + 1, ...after, key })
      }
      for (const { road, scope, ...range } of change.covered ?? [])
        ranges.set(`${road} ${scope}`, add(ranges.get(`${road} ${scope}`) ?? [], range))
      for (const one of change.watermarks ?? []) {
        const { level, kind, storeId } = one.type === 'put' ? one.watermark : one
        if (one.type === 'put') marks.set(`${level} ${kind} ${storeId}`, one.watermark)
        else marks.delete(`${level} ${kind} ${storeId}`)
      }
    },
  }
}
