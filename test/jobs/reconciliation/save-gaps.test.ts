import { expect, test } from 'vitest'
import type { GapChange } from '../../../src/domain/completeness/gap.ts'
import { saveGaps } from '../../../src/jobs/reconciliation/save-gaps.ts'
import type { Storage } from '../../../src/storage/storage.ts'

const COVERED = [{ source: 'log' as const, scope: 'w', from: 1, to: 2 }]

function given(failsAt = Number.POSITIVE_INFINITY) {
  const kept: Parameters<Storage['saveReconciliation']>[0][] = []
  return {
    kept,
    storage: {
      async saveReconciliation(change) {
        if (kept.length === failsAt) throw new Error('The disk is full.')
        kept.push(change)
      },
    } satisfies Pick<Storage, 'saveReconciliation'>,
  }
}

const remedy = (count: number): GapChange[] =>
  Array.from({ length: count }, (_, nth) => ({ type: 'repair', key: `${nth}`, reason: 'it has come' }))

test('When a look shows more gaps than share a commit, then all are kept in their order, and covered is told with the last', async () => {
  const { kept, storage } = given()

  expect(await saveGaps(storage, remedy(10_000), 7, COVERED)).toBe(10_000)

  expect(kept.length).toBeGreaterThan(10)
  expect(kept.flatMap(({ gaps = [] }) => gaps)).toEqual(remedy(10_000))
  expect(kept.map(({ covered }) => covered ?? [])).toEqual([...kept.slice(1).map(() => []), COVERED])
})

test('When the disk is full in between, then nothing is covered', async () => {
  const { kept, storage } = given(3)

  await expect(saveGaps(storage, remedy(10_000), 7, COVERED)).rejects.toThrow('The disk is full.')

  expect(kept.flatMap(({ covered = [] }) => covered)).toEqual([])
})

test('When nothing lacks, then what was looked through is covered; when nothing was, then there is no commit', async () => {
  const { kept, storage } = given()
  await saveGaps(storage, [], 7, COVERED)
  await saveGaps(storage, [], 7)

  expect(kept).toEqual([{ gaps: [], covered: COVERED }])
})
