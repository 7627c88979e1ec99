import { z } from 'zod'
import { JOBS } from '../../config/jobs.ts'
import { counted } from '../../domain/values/counted.ts'
import { isStillToCome } from '../../domain/values/still-to-come.ts'
import type { HubJob } from '../engine/job.ts'
import { asideNote, Held, holds } from '../pulls/held.ts'
import { inTurn, throwIfFailed } from '../pulls/in-turn.ts'
import { readStock, type StockOptions, stocksToRead } from './stock-reading.ts'

/** How far a question goes back behind the last one: clocks differ (milliseconds). */
const OVERLAP = 120_000

const PerStock = z.record(z.string(), z.number())

/** The state of each stock, as far as it is known. */
const State = z
  .object({
    /** When it was read last. */
    readAt: PerStock,
    /** How many rows it had in full. */
    rows: PerStock.default({}),
    /** How many answers in a row were no smaller than that. */
    whole: PerStock.default({}),
    /** Stocks of which rows could not be read. */
    held: Held.default({}),
  })
  .catch(() => ({ readAt: {}, rows: {}, whole: {}, held: {} }))

/** Rows enough that they do not all change every ten minutes, and times in a row enough to be no chance. */
const MANY = 20
const TIMES = 3

/** How long a stock that is always told in full is left alone (milliseconds): each question costs what reading it whole does. */
const HOUR = 60 * 60_000

/**
 * Asks each stock for the levels that changed since it was read last, the one that waits longest first, so that a run that is
 * cut off goes on where it was. A stock that was never read is read in full. The specification does not show the question for
 * changes (L416): a platform that ignores it tells all, every time; that is said, and it is asked once an hour.
 */
export function stockChangesJob(options: StockOptions): HubJob {
  const { schedule = JOBS['stock-changes'].schedule, logger } = options
  return {
    name: 'stock-changes',
    schedule,
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

      /** Learns whether the platform heeds the question for changes. */
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
