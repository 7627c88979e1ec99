import { JOBS } from '../../config/jobs.ts'
import { counted } from '../../domain/values/counted.ts'
import type { HubJob } from '../engine/job.ts'
import { asideNote } from '../pulls/held.ts'
import { goOn, inTurn, NO_ROUND, Round, throwIfFailed } from '../pulls/in-turn.ts'
import { countUnlisted, readStock, type StockOptions, stocksToRead } from './stock-reading.ts'

/** Reads the levels of all stocks in full (spec, Stock 4); a round that is cut off goes on with the next stock. */
export function stockLevelsJob(options: StockOptions): HubJob {
  const { schedule = JOBS['stock-levels'].schedule } = options
  return {
    name: 'stock-levels',
    schedule,
    async run({ now, signal, state: left, save }) {
      const round = goOn(Round.parse(left), now)
      const counts = { stocks: 0, rows: 0, changed: 0, suspect: 0, unlisted: 0, aside: 0 }
      const stocks = (await stocksToRead(options)).filter((stockId) => !round.done.includes(stockId))

      const failed = await inTurn(stocks, signal, async (stockId) => {
        const { gtins, aside, changed, suspect } = await readStock(options, stockId, null, signal)
        counts.stocks += 1
        counts.rows += gtins.size
        counts.changed += changed
        counts.aside += aside.length
        if (suspect) counts.suspect += 1
        // Articles missing from the list may be those that could not be read.
        else if (aside.length === 0) counts.unlisted += await countUnlisted(options, stockId, gtins)
        round.done.push(stockId)
        await save(round)
      })

      const suspect = counts.suspect > 0 ? `, ${counts.suspect} suspiciously empty` : ''
      const unlisted = counts.unlisted > 0 ? `, ${counts.unlisted} not listed any more` : ''
      const note = `${counted(counts.stocks, 'stock')}: ${counted(counts.rows, 'row')}, ${counted(counts.changed, 'other level')}${suspect}${unlisted}${asideNote(counts.aside)}`
      throwIfFailed(failed, (stockId) => `stock ${stockId}`, note)
      return { state: NO_ROUND, note }
    },
  }
}
