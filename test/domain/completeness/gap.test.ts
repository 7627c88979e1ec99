import { describe, expect, test } from 'vitest'
import {
  changedGap,
  coversStore,
  type DetectedGap,
  type Gap,
  gapKey,
  keyOfChange,
} from '../../../src/domain/completeness/gap.ts'
import {
  advanceWatermark,
  provenUntil,
  type Watermark,
  watermarkOf,
} from '../../../src/domain/completeness/watermark.ts'

const seen: DetectedGap = {
  source: 'log',
  cause: 'failed',
  kind: 'SaleCreated',
  storeId: '12',
  destination: null,
  day: '2026-08-03',
  subject: 'a/b',
  at: 50,
  evidence: { log: { attempts: 3 } },
}
const open: Gap = { ...seen, firstSeenAt: 100, lastSeenAt: 100, state: 'open', ended: null }
const explained: Gap = { ...open, state: 'explained', ended: { at: 120, by: 'kari', reason: 'a test' } }
const repaired: Gap = { ...open, state: 'repaired', ended: { at: 120, by: 'hub', reason: 'it came' } }

describe('what becomes of a gap', () => {
  test('When it is seen for the first time, then it is open', () => {
    expect(changedGap(null, { type: 'see', gap: seen }, 100)).toEqual(open)
  })

  test('When what was missing is here, then an open one is repaired, and no other', () => {
    const repair = { type: 'repair', key: 'k', reason: 'it came' } as const
    expect(changedGap(open, repair, 120)).toEqual(repaired)
    expect(changedGap(explained, repair, 130)).toBe(explained)
    expect(changedGap(repaired, repair, 130)).toBe(repaired)
    expect(changedGap(null, repair, 130)).toBeNull()
  })

  test('When it is seen again, then it is open again, with all that sources know; who first saw it stays', () => {
    const again: DetectedGap = {
      ...seen,
      cause: 'claimed',
      storeId: null,
      day: null,
      at: 60,
      evidence: { lists: { z: 7 } },
    }
    expect(changedGap(repaired, { type: 'see', gap: again }, 200)).toEqual({
      ...open,
      cause: 'claimed',
      at: 60,
      evidence: { log: { attempts: 3 }, lists: { z: 7 } },
      lastSeenAt: 200,
    })
    const elsewhere = { ...again, storeId: '13', day: '2026-08-04' }
    expect(changedGap(open, { type: 'see', gap: elsewhere }, 200)).toMatchObject({ storeId: '13', day: '2026-08-04' })
    // A look that took longer than the next one.
    expect(changedGap({ ...open, lastSeenAt: 300 }, { type: 'see', gap: seen }, 200)?.lastSeenAt).toBe(300)
  })

  test('When a person has explained it, then what is found out is added, and it stays as it is', () => {
    const gap: DetectedGap = { ...seen, cause: 'claimed', evidence: { pos: { z: 7 } } }
    const evidence = { log: { attempts: 3 }, pos: { z: 7 } }
    expect(changedGap(explained, { type: 'see', gap }, 200)).toEqual({ ...explained, evidence, lastSeenAt: 200 })
  })

  test('When it has a name, then that is of its source, destination, kind and subject, whatever they hold', () => {
    expect(gapKey(seen)).toBe('log//SaleCreated/a%2Fb')
    expect(gapKey({ ...seen, kind: null, destination: 'shop' })).toBe('log/shop//a%2Fb')
    expect(keyOfChange({ type: 'see', gap: seen })).toBe(gapKey(seen))
    expect(keyOfChange({ type: 'repair', key: 'k', reason: '' })).toBe('k')
  })

  test('When its store is known, then it holds up that one; else every one', () => {
    expect(['12', '13', null].map((store) => coversStore(seen, store))).toEqual([true, false, false])
    expect(['12', null].map((store) => coversStore({ storeId: null }, store))).toEqual([true, true])
  })
})

describe('the watermark of a kind', () => {
  const mark = (given: Partial<Watermark> = {}): Watermark => ({
    ...{ level: 'log', kind: 'SaleCreated', storeId: null, from: 0, until: 50, since: 60 },
    ...given,
  })

  test('When everything was looked through, then it stands at the end, or at the oldest open gap; never before its begin', () => {
    const proof = { from: 10, covered: [{ from: 0, to: 40 }], excused: [{ from: 40, to: 60 }], oldestGap: null }
    expect(provenUntil(proof)).toBe(60)
    expect(provenUntil({ ...proof, excused: [] })).toBe(40)
    expect(provenUntil({ ...proof, oldestGap: 30 })).toBe(30)
    expect(provenUntil({ ...proof, oldestGap: 99 })).toBe(60)
    expect(provenUntil({ ...proof, oldestGap: 5 })).toBe(10)
  })

  test('When it moves, then it has stood there since now; when it goes back, then somebody is told', () => {
    const to = (until: number) => ({ ...mark(), until })
    expect(advanceWatermark(null, to(50), 100)).toEqual({ watermark: mark({ since: 100 }), wentBack: false })
    expect(advanceWatermark(mark(), to(50), 100)).toEqual({ watermark: mark(), wentBack: false })
    expect(advanceWatermark(mark(), to(70), 100)).toEqual({
      watermark: mark({ until: 70, since: 100 }),
      wentBack: false,
    })
    expect(advanceWatermark(mark(), to(40), 100)).toEqual({
      watermark: mark({ until: 40, since: 100 }),
      wentBack: true,
    })
  })

  test('When a store has one of its own, then that holds for it; else the one of all, of the same level and kind', () => {
    const [all, own] = [mark(), mark({ storeId: '12' })]
    const marks = [mark({ level: 'lists', storeId: '12' }), mark({ kind: 'Other', storeId: '12' }), own, all]
    expect(watermarkOf(marks, 'log', 'SaleCreated', '12')).toBe(own)
    expect(watermarkOf(marks, 'log', 'SaleCreated', '13')).toBe(all)
    expect(watermarkOf(marks, 'log', 'SaleCreated', null)).toBe(all)
    expect(watermarkOf(marks, 'pos', 'SaleCreated', '12')).toBeNull()
    expect(watermarkOf([own], 'log', 'SaleCreated', '13')).toBeNull()
  })
})
