import { expect, test } from 'vitest'
import { createCountReader, createMirrorPort, type StockedArticle } from '../../src/adapters/mirror/mirror.ts'
import type { MirrorChange } from '../../src/domain/catalogue/mirror.ts'
import { toStoreLocal, wallClockInstant } from '../../src/domain/values/store-time.ts'
import { readStockCount } from '../../src/platform/payloads/goods.ts'

const SIGNAL = AbortSignal.timeout(60_000)
const SHIRT = '7090012340011'
const SOCKS = '7090012340059'
const ZONES: Record<string, string> = { 12: 'Europe/Oslo', 13: 'Europe/Oslo', 21: 'Europe/Helsinki' }

/** A reader before a platform that has so many of everything, and keeps what it was asked. */
function given({ now = '2026-11-20T15:00:00Z', fails = false } = {}) {
  const asked: { stocks: string[]; time: string }[] = []
  const zoneOf = (stockId: string) => ZONES[stockId] ?? 'UTC'
  const levelsOf = createCountReader({
    instantOf: (stockId, text) => wallClockInstant(text, zoneOf(stockId)),
    wallClockOf: (stockId, instant) => toStoreLocal(instant, zoneOf(stockId)).slice(0, 19),
    async readLevels(stockIds, time): Promise<StockedArticle[]> {
      asked.push({ stocks: [...stockIds].sort(), time })
      if (fails) throw new Error('no answer')
      return [...stockIds].flatMap((stockId) =>
        [SHIRT, SOCKS].map((gtin) => ({ stockId, gtin, level: `${Number(stockId)}` as never })),
      )
    },
    now: () => Date.parse(now),
  })
  return { asked, levelsOf }
}

const count = (stockId: number, countedDateTime: string, more: object = {}) =>
  readStockCount({ id: 7, stockId, countedDateTime, items: [{ gtin: SHIRT, quantity: 1 }], ...more })

test('When many counts come at once, then the platform is asked once for all of them, as of the last', async () => {
  const { asked, levelsOf } = given()
  const counts = [
    count(12, '2026-11-20T12:00:00'),
    count(13, '2026-11-20T12:30:00', { isCompleteStockCount: true }),
    count(12, '2026-11-20T11:00:00'),
  ]
  const levels = await levelsOf(counts, SIGNAL)
  expect(asked).toEqual([{ stocks: ['12', '13'], time: '2026-11-20T12:30:02' }])
  const readAt = Date.parse('2026-11-20T11:30:02Z')
  expect(counts.map((one) => levels.get(one))).toMatchObject([
    [{ stockId: '12', gtin: SHIRT, level: '12', readAt }],
    [{ gtin: SHIRT }, { gtin: SOCKS, level: '13', readAt }],
    [{ stockId: '12', gtin: SHIRT, readAt }],
  ])
})

test('When a count tells its time with an offset, then it is read back by the wall clock of its stock', async () => {
  const { asked, levelsOf } = given()
  const counts = [count(12, '2026-11-20T12:00:00+00:00'), count(21, '2026-11-20T14:00:00')]
  await levelsOf(counts, SIGNAL)
  expect(asked).toEqual([
    { stocks: ['12'], time: '2026-11-20T13:00:02' },
    { stocks: ['21'], time: '2026-11-20T14:00:02' },
  ])
})

test('When a count is not settled yet, then it waits for that, and the others do not wait for it', async () => {
  const { asked, levelsOf } = given({ now: '2026-11-20T11:00:01Z' })
  const [early, late] = [count(12, '2026-11-20T10:00:00'), count(13, '2026-11-20T12:00:00')]
  const levels = await levelsOf([early, late], SIGNAL)
  expect(asked).toEqual([{ stocks: ['12'], time: '2026-11-20T10:00:02' }])
  expect(levels.get(early)).toHaveLength(1)
  expect(levels.get(late)).toMatchObject({ code: 'not-settled', notBefore: Date.parse('2026-11-20T11:00:02Z') })
})

test('When the platform does not answer, then each count says so', async () => {
  const { levelsOf } = given({ fails: true })
  const counts = [count(12, '2026-11-20T12:00:00'), count(13, '2026-11-20T12:00:00')]
  const levels = await levelsOf(counts, SIGNAL)
  for (const one of counts) expect(levels.get(one)).toMatchObject({ message: 'no answer' })
})

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
