import { type LevelRead, levelIn, stockKey } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { partsOf } from '../../lib/parts.ts'
import type { Unreadable } from '../../platform/http/listed.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'
import type { Handover } from '../pulls/handover.ts'
import { presentStocks } from '../pulls/store-days.ts'

export interface StockOptions {
  platform: Pick<Platform, 'stock'>
  store: Pick<Store, 'stores' | 'mirrorRows' | 'mirrorPage'>
  handover: Pick<Handover, 'announce'>
  /** Stocks that shops sell from: they need not be a store's. */
  soldFrom: readonly string[]
  clock: Pick<Clock, 'now'>
  logger: Logger
  /** A cron expression in UTC. */
  schedule?: string
}

/** The outcome of reading a stock. */
interface StockRead {
  /** By the hub's clock, before the platform was asked: everything that moved by then is in it. */
  readAt: Instant
  /** The GTINs that the platform listed. */
  gtins: ReadonlySet<string>
  /** Levels that were new, or others than the mirror's. */
  changed: number
  /** Rows that could not be read: what is not in `gtins` may be among them. */
  aside: readonly Unreadable[]
  /** Nothing came, though the mirror has many: it says nothing. */
  suspect: boolean
}

const SECOND = 1_000

/** The most rows that are looked up in the mirror at once. */
const ROWS_PER_READ = 500

/** A stock with so many rows in the mirror is not empty all at once. */
const MANY = 10

/** Every stock that goods are in, as far as anybody cares: those that shops wait for first. */
export async function stocksToRead({ store, soldFrom }: StockOptions): Promise<string[]> {
  return [...new Set([...soldFrom, ...presentStocks(await store.stores())])]
}

/** Reads the levels of a stock, all or those that changed since, and announces where the mirror knows another one, or none. */
export async function readStock(
  { platform, store, handover, clock, logger }: StockOptions,
  stockId: string,
  changedSince: Instant | null,
  signal: AbortSignal,
): Promise<StockRead> {
  // Movements may be timed to the second: one of the same second must not look older.
  const readAt = Math.floor(clock.now() / SECOND) * SECOND
  const since = changedSince === null ? {} : { changedSince }
  const { rows, aside } = await platform.stock.levels({ stockIds: [stockId], useGtin: true, ...since }, signal)
  // Two rows for one GTIN: nobody knows which holds; one of them must, or they would take turns for ever.
  const levels = new Map(rows.map(({ id, quantity }) => [id, quantity]))
  const gtins = new Set(levels.keys())
  const isEmpty = changedSince === null && gtins.size === 0
  if (isEmpty && (await store.mirrorPage({ set: 'stock', place: stockId }, null, MANY)).length === MANY) {
    logger.warn({ stockId }, 'stock.suspect')
    return { readAt, gtins, aside, changed: 0, suspect: true }
  }
  let changed = 0
  for (const some of partsOf([...levels], ROWS_PER_READ)) {
    signal.throwIfAborted()
    const keys = some.map(([gtin]) => stockKey(stockId, gtin))
    const known = new Map((await store.mirrorRows('stock', keys)).map((row) => [row.key, levelIn(row)]))
    const others = some.filter(([gtin, level]) => known.get(stockKey(stockId, gtin)) !== level)
    const read = others.map(([gtin, level]): LevelRead => ({ stockId, gtin, sku: null, level, readAt }))
    await handover.announce('StockLevelRead', read)
    changed += others.length
  }
  return { readAt, gtins, aside, changed, suspect: false }
}

/** The most rows that are named in the log: for people to look up. */
const NAMED = 5

/** Counts what a stock has by the mirror, but not by a full list: an article that was deleted, or half a list. It stays. */
export async function countUnlisted(
  { store, logger }: Pick<StockOptions, 'store' | 'logger'>,
  stockId: string,
  listed: ReadonlySet<string>,
): Promise<number> {
  const unlisted: string[] = []
  for await (const rows of mirrorPages(store, { set: 'stock', place: stockId }))
    for (const row of rows)
      if (row.article !== null && !listed.has(row.article) && levelIn(row) !== '0') unlisted.push(row.article)
  if (unlisted.length > 0)
    logger.warn({ stockId, count: unlisted.length, gtins: unlisted.slice(0, NAMED) }, 'stock.unlisted')
  return unlisted.length
}
