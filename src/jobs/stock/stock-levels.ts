import { type LevelRead, levelIn, stockKey } from '../../domain/catalogue/mirror.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Unreadable } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Storage } from '../../storage/storage.ts'
import type { HubJob } from '../engine/job.ts'
import { goOn, NO_ROUND, presentStocks, Round, rejectedNote, runSequentially, throwIfFailed } from '../pulls/days.ts'
import type { Ingest } from '../pulls/ingest.ts'

/** Reads the levels of all stocks (spec, Stock 4); a round that is cut off continues. */
export function stockLevelsJob(options: StockOptions): HubJob {
  return {
    name: 'stock-levels',
    async run({ now, signal, state: left, save }) {
      const round = goOn(Round.parse(left), now)
      const counts = { stocks: 0, rows: 0, changed: 0, suspect: 0, rejected: 0 }
      const stocks = (await stocksToRead(options)).filter((stockId) => !round.done.includes(stockId))

      const failed = await runSequentially(stocks, signal, async (stockId) => {
        const { rows, rejected, changed, suspect } = await readStock(options, stockId, signal)
        counts.stocks += 1
        counts.rows += rows
        counts.changed += changed
        counts.rejected += rejected.length
        if (suspect) counts.suspect += 1
        round.done.push(stockId)
        await save(round)
      })

      const suspect = counts.suspect > 0 ? `, ${counts.suspect} suspiciously empty` : ''
      const note = `${pluralize(counts.stocks, 'stock')}: ${pluralize(counts.rows, 'row')}, ${pluralize(counts.changed, 'other level')}${suspect}${rejectedNote(counts.rejected)}`
      throwIfFailed(failed, (stockId) => `stock ${stockId}`, note)
      return { state: NO_ROUND, note }
    },
  }
}

export interface StockOptions {
  platform: Pick<Platform, 'stock'>
  storage: Pick<Storage, 'stores' | 'mirrorRows' | 'mirrorPage'>
  ingest: Pick<Ingest, 'announce'>
  soldFrom: readonly string[]
  clock: Pick<Clock, 'now'>
  logger: Logger
}

interface StockRead {
  rows: number
  changed: number
  rejected: readonly Unreadable[]
  /** An empty answer, though the mirror has many. */
  suspect: boolean
}

const SECOND = 1_000

const ROWS_PER_READ = 500

/** A stock with so many rows is not empty all at once. */
const NAMED_STOCKS = 10

async function stocksToRead({ storage, soldFrom }: StockOptions): Promise<string[]> {
  return [...new Set([...soldFrom, ...presentStocks(await storage.stores())])]
}

async function readStock(
  { platform, storage, ingest, clock, logger }: StockOptions,
  stockId: string,
  signal: AbortSignal,
): Promise<StockRead> {
  // Movements may be timed to the second: one of the same second must not look older.
  const readAt = Math.floor(clock.now() / SECOND) * SECOND
  const { rows, rejected } = await platform.stock.levels({ stockIds: [stockId] }, signal)
  // Two rows for one GTIN: always the last, else they would alternate.
  const levels = new Map(rows.map(({ id, quantity }) => [id, quantity]))
  const gtins = new Set(levels.keys())
  if (
    gtins.size === 0 &&
    (await storage.mirrorPage({ set: 'stock', place: stockId }, null, NAMED_STOCKS)).length === NAMED_STOCKS
  ) {
    logger.warn({ stockId }, 'stock.suspect')
    return { rows: gtins.size, rejected, changed: 0, suspect: true }
  }
  let changed = 0
  for (const some of chunksOf([...levels], ROWS_PER_READ)) {
    signal.throwIfAborted()
    const keys = some.map(([gtin]) => stockKey(stockId, gtin))
    const known = new Map((await storage.mirrorRows('stock', keys)).map((row) => [row.key, levelIn(row)]))
    const others = some.filter(([gtin, level]) => known.get(stockKey(stockId, gtin)) !== level)
    const read = others.map(([gtin, level]): LevelRead => ({ stockId, gtin, sku: null, level, readAt }))
    await ingest.announce('StockLevelRead', read)
    changed += others.length
  }
  return { rows: gtins.size, rejected, changed, suspect: false }
}
