import { z } from 'zod'
import { counted } from './counted.ts'
import { asideNote, Held, holds } from './held.ts'
import { inTurn, throwIfFailed } from './in-turn.ts'
import type { Job } from './job.ts'
import { readStock, type StockOptions, stocksToRead } from './stock-reading.ts'

/** How far a question goes back behind the last one: clocks differ (milliseconds). */
const OVERLAP = 120_000

/** When each stock was read last. */
const State = z
  .object({
    readAt: z.record(z.string(), z.number()),
    /** Stocks of which rows could not be read. */
    held: Held.default({}),
  })
  .catch(() => ({ readAt: {}, held: {} }))

/**
 * Asks each stock for the levels that changed since it was read last, the one that waits longest first, so that a run that is
 * cut off goes on where it was. A stock that was never read is read in full.
 */
export function stockChangesJob(options: StockOptions): Job {
  const { schedule = '*/10 * * * *', logger } = options
  return {
    name: 'stock-changes',
    schedule,
    async run({ now, signal, state: left, save }) {
      const { readAt, held } = State.parse(left)
      const counts = { stocks: 0, rows: 0, changed: 0, suspect: 0, aside: 0 }
      const waiting = (stockId: string) => readAt[stockId] ?? 0
      const stocks = (await stocksToRead(options)).sort((a, b) => waiting(a) - waiting(b))

      const failed = await inTurn(stocks, signal, async (stockId) => {
        const before = readAt[stockId]
        const read = await readStock(options, stockId, before === undefined ? null : before - OVERLAP, signal)
        counts.stocks += 1
        counts.rows += read.gtins.size
        counts.changed += read.changed
        if (read.suspect) counts.suspect += 1
        else if (!holds({ job: 'stock-changes', held, now, logger }, `stock ${stockId}`, read.aside))
          readAt[stockId] = read.readAt
        counts.aside += read.aside.length
        await save({ readAt, held })
      })

      const suspect = counts.suspect > 0 ? `, ${counts.suspect} suspiciously empty` : ''
      const note = `${counted(counts.stocks, 'stock')}: ${counts.rows} changed, ${counted(counts.changed, 'other level')}${suspect}${asideNote(counts.aside)}`
      throwIfFailed(failed, (stockId) => `stock ${stockId}`, note)
      return { state: { readAt, held }, note }
    },
  }
}
