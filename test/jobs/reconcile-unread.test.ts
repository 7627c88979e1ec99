import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StockDifference } from '../../src/domain/catalogue/finding.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import { reconcileStockJob } from '../../src/jobs/stock.ts'
import { createLogger } from '../../src/lib/logger.ts'
import type { LevelPage } from '../../src/ports/ports.ts'
import { openTestStore } from '../empty-store.ts'
import { temporaryFolder } from '../storage/sqlite/file.ts'

const five = parseDecimal(5)

/** Compares a shop that answers so, page by page, with five pieces of each article (or of these alone); gives what was to be put right, and the end. */
async function reconcile(pages: LevelPage[], articles: readonly string[] | null = null) {
  using folder = temporaryFolder()
  await using storage = await openTestStore(join(folder.path, 'hub.db'))
  const corrected: StockDifference[] = []
  const job = reconcileStockJob({
    platform: {} as never,
    storage,
    correct: async (found) => void corrected.push(...found),
    shops: [
      {
        name: 'shop',
        channels: { web: { stocks: ['12'], safetyStock: parseDecimal(0) } },
        readLevels: async (_, page) => pages[Number(page ?? 0)] ?? { levels: [], next: null },
      },
    ],
    soldFrom: [],
    stockOf: async (gtin) => {
      if (articles && !articles.includes(gtin)) return null
      const stocks = [{ stockId: '12', level: five, reserved: parseDecimal(0) }]
      return { gtin, sku: null, stocks, version: 1 }
    },
    cap: 50,
    clock: { now: () => Date.UTC(2026, 2, 1) },
    logger: createLogger('silent'),
  })
  const run = { signal: AbortSignal.timeout(5_000), now: Date.UTC(2026, 2, 1), state: null }
  const end = await Promise.resolve(job.run(run as never)).then(
    ({ note }) => note,
    (error: Error) => error.message,
  )
  return { corrected: corrected.map(({ gtin }) => gtin), end }
}

const level = (gtin: string, pieces: number) => ({ gtin, sku: null, level: parseDecimal(pieces) })

test('When one level of a shop cannot be read, then the others are compared and put right, and the problem names it', async () => {
  const { corrected, end } = await reconcile([
    { levels: [level('7090012340011', 5), level('7090012340028', 7)], next: '1', unread: ['SOCKS-GRY'] },
    { levels: [level('7090012340035', 0)], next: null },
  ])
  expect(corrected).toEqual(['7090012340028', '7090012340035'])
  expect(end).toMatch(/^shop, web: 1 level cannot be read: SOCKS-GRY\. Done: 2 differences \(.*\), corrected$/)
})

test('When many cannot be read, then some are named, and all are counted', async () => {
  const unread = Array.from({ length: 7 }, (_, index) => `SKU-${index + 1}`)
  const { end } = await reconcile([{ levels: [level('7090012340011', 5)], next: null, unread }])
  expect(end).toBe(
    'shop, web: 7 levels cannot be read: SKU-1, SKU-2, SKU-3, SKU-4, SKU-5 and 2 more. Done: no differences',
  )
})

test('levels of a shop that writes GTINs with other zeros than the platform are compared; one that may be two articles is named', async () => {
  const page = [{ levels: [level('012345678905', 7), level('76543210982', 3)], next: null }]
  const { corrected } = await reconcile(page, ['0012345678905', '0076543210982'])
  expect(corrected).toEqual(['0012345678905', '0076543210982'])
  const twice = await reconcile(page, ['0012345678905', '00012345678905'])
  expect(twice.corrected).toEqual([])
  expect(twice.end).toContain('1 level cannot be read: 012345678905, which is 0012345678905 or 00012345678905')
})
