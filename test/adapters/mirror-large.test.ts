import { expect, test } from 'vitest'
import { createCountReader, createMirrorPort } from '../../src/adapters/mirror/mirror.ts'
import type { MirrorChange } from '../../src/domain/catalogue/mirror.ts'
import { readStockCount } from '../../src/platform/payloads/goods.ts'

const ITEMS = 200_000

test('when a count of 200,000 articles is kept, then all of them are, and no question to the store is too long for one', async () => {
  const kept: MirrorChange[] = []
  let longest = 0
  const instantOf = (_: string, wallClock: string) => Date.parse(`${wallClock}Z`)
  const now = () => Date.parse('2026-11-20T15:00:00Z')
  const mirror = createMirrorPort({
    records: {
      async saveMirror(changes) {
        for (const change of changes) kept.push(change)
      },
      async mirrorRows(_, keys) {
        longest = Math.max(longest, keys.length)
        return []
      },
      mirrorPage: async () => [],
    },
    stockOf: async () => null,
    instantOf,
    storeNoOf: () => '101',
    levelsOfCounts: createCountReader({ instantOf, wallClockOf: () => '', readLevels: null, now }),
    announce: async () => {},
    now,
  })
  const items = Array.from({ length: ITEMS }, (_, index) => ({ gtin: `${index + 1}`, quantity: 1 }))
  const count = readStockCount({ id: 7, stockId: 12, countedDateTime: '2026-11-20T14:00:00', items })
  const attempt = { key: 'K-1', previous: 'none', firstTriedAt: null, links: async () => [] } as const

  const argument = { type: 'count', count } as const
  expect(await mirror.save([{ argument, attempt: { ...attempt, signal: AbortSignal.timeout(60_000) } }])).toEqual([{}])
  expect(kept).toHaveLength(ITEMS)
  expect(longest).toBeLessThanOrEqual(1_000)
})
