import { z } from 'zod'
import { type LevelRead, levelIn, stockKey } from '../../domain/catalogue/mirror.ts'
import { type Instant, isStillToCome } from '../../domain/values/instant.ts'
import { counted } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import { partsOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Unreadable } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import { asideNote, goOn, Held, holds, inTurn, NO_ROUND, presentStocks, Round, throwIfFailed } from '../pulls/days.ts'
import type { Handover } from '../pulls/handover.ts'

/** Reads the levels of all stocks in full (spec, Stock 4); a round that is cut off goes on with the next stock. */
export function stockLevelsJob(options: StockOptions): HubJob {
  return {
    name: 'stock-levels',
    async run({ now, signal, state: left, save }) {
      const round = goOn(Round.parse(left), now)
      const counts = { stocks: 0, rows: 0, changed: 0, suspect: 0, aside: 0 }
      const stocks = (await stocksToRead(options)).filter((stockId) => !round.done.includes(stockId))

      const failed = await inTurn(stocks, signal, async (stockId) => {
        const { gtins, aside, changed, suspect } = await readStock(options, stockId, null, signal)
        counts.stocks += 1
        counts.rows += gtins.size
        counts.changed += changed
        counts.aside += aside.length
        if (suspect) counts.suspect += 1
        round.done.push(stockId)
        await save(round)
      })

      const suspect = counts.suspect > 0 ? `, ${counts.suspect} suspiciously empty` : ''
      const note = `${counted(counts.stocks, 'stock')}: ${counted(counts.rows, 'row')}, ${counted(counts.changed, 'other level')}${suspect}${asideNote(counts.aside)}`
      throwIfFailed(failed, (stockId) => `stock ${stockId}`, note)
      return { state: NO_ROUND, note }
    },
  }
}

/** How far a question goes back behind the last one: clocks differ (milliseconds). */
const OVERLAP = 120_000

const PerStock = z.record(z.string(), z.number())

const State = z
  .object({
    readAt: PerStock,
    rows: PerStock.default({}),
    /** How many answers in a row were no smaller than that. */
    whole: PerStock.default({}),
    held: Held.default({}),
  })
  .catch(() => ({ readAt: {}, rows: {}, whole: {}, held: {} }))

/** Rows enough that they do not all change every ten minutes, and times in a row enough to be no chance. */
const MANY = 20
const TIMES = 3

/** How long a stock that is always told in full is left alone (milliseconds): each question costs what reading it whole does. */
const HOUR = 60 * 60_000

/**
 * Asks each stock for the levels that changed since it was read last, the one that waits longest first. The specification does not
 * show the question for changes (L416): a platform that ignores it tells all, every time, and is asked once an hour.
 */
export function stockChangesJob(options: StockOptions): HubJob {
  const { logger } = options
  return {
    name: 'stock-changes',
    async run({ now, signal, state: left, save }) {
      const { readAt: noted, rows, whole, held } = State.parse(left)
      // One that is said to be read later than now is read in full: nobody knows what changed since it was.
      const readAt = Object.fromEntries(Object.entries(noted).filter(([, at]) => !isStillToCome(at, now)))
      const isIgnored = (stockId: string) => (whole[stockId] ?? 0) >= TIMES
      const isEarly = (stockId: string) => isIgnored(stockId) && now - waiting(stockId) < HOUR
      const counts = { stocks: 0, rows: 0, changed: 0, suspect: 0, aside: 0 }
      const waiting = (stockId: string) => readAt[stockId] ?? 0
      const all = await stocksToRead(options)
      const stocks = all.filter((stockId) => !isEarly(stockId)).sort((a, b) => waiting(a) - waiting(b))

      const failed = await inTurn(stocks, signal, async (stockId) => {
        const before = readAt[stockId]
        const read = await readStock(options, stockId, before === undefined ? null : before - OVERLAP, signal)
        counts.stocks += 1
        counts.rows += read.gtins.size
        counts.changed += read.changed
        if (read.suspect) counts.suspect += 1
        else {
          follow(stockId, before === undefined, read.gtins.size)
          if (!holds({ job: 'stock-changes', held, now, logger }, `stock ${stockId}`, read.aside))
            readAt[stockId] = read.readAt
        }
        counts.aside += read.aside.length
        await save({ readAt, rows, whole, held })
      })

      const suspect = counts.suspect > 0 ? `, ${counts.suspect} suspiciously empty` : ''
      const ignored = all.filter(isIgnored).length
      const said =
        ignored > 0 ? `; of ${counted(ignored, 'stock')} the platform tells all levels, not what changed` : ''
      const note = `${counted(counts.stocks, 'stock')}: ${counted(counts.rows, 'row')}, ${counted(counts.changed, 'other level')}${suspect}${asideNote(counts.aside)}${said}`
      throwIfFailed(failed, (stockId) => `stock ${stockId}`, note)
      return { state: { readAt, rows, whole, held }, note }

      function follow(stockId: string, isFull: boolean, size: number): void {
        const known = rows[stockId] ?? size
        const isWhole = !isFull && size >= MANY && size >= known
        whole[stockId] = isWhole ? (whole[stockId] ?? 0) + 1 : 0
        rows[stockId] = isFull ? size : Math.max(known, size)
        if (whole[stockId] === TIMES) logger.warn({ stockId, rows: size }, 'stock.changes-ignored')
      }
    },
  }
}

export interface StockOptions {
  platform: Pick<Platform, 'stock'>
  store: Pick<Store, 'stores' | 'mirrorRows' | 'mirrorPage'>
  handover: Pick<Handover, 'announce'>
  soldFrom: readonly string[]
  clock: Pick<Clock, 'now'>
  logger: Logger
}

interface StockRead {
  /** By the hub's clock, before the platform was asked: everything that moved by then is in it. */
  readAt: Instant
  gtins: ReadonlySet<string>
  changed: number
  /** Rows that could not be read: what is not in `gtins` may be among them. */
  aside: readonly Unreadable[]
  /** Nothing came, though the mirror has many: it says nothing. */
  suspect: boolean
}

const SECOND = 1_000

const ROWS_PER_READ = 500

/** A stock with so many rows in the mirror is not empty all at once. */
const NAMED_STOCKS = 10

async function stocksToRead({ store, soldFrom }: StockOptions): Promise<string[]> {
  return [...new Set([...soldFrom, ...presentStocks(await store.stores())])]
}

/** Reads the levels of a stock, all or those that changed since, and announces where the mirror knows another one, or none. */
async function readStock(
  { platform, store, handover, clock, logger }: StockOptions,
  stockId: string,
  changedSince: Instant | null,
  signal: AbortSignal,
): Promise<StockRead> {
  // Movements may be timed to the second: one of the same second must not look older.
  const readAt = Math.floor(clock.now() / SECOND) * SECOND
  const since = changedSince === null ? {} : { changedSince }
  const { rows, aside } = await platform.stock.levels({ stockIds: [stockId], ...since }, signal)
  // Two rows for one GTIN: nobody knows which holds; one of them must, or they would take turns for ever.
  const levels = new Map(rows.map(({ id, quantity }) => [id, quantity]))
  const gtins = new Set(levels.keys())
  const isEmpty = changedSince === null && gtins.size === 0
  if (
    isEmpty &&
    (await store.mirrorPage({ set: 'stock', place: stockId }, null, NAMED_STOCKS)).length === NAMED_STOCKS
  ) {
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
