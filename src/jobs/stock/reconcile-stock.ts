import { JOBS } from '../../config/jobs.ts'
import type { StockDifference } from '../../domain/catalogue/stock-difference.ts'
import { counted } from '../../domain/values/counted.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { HubJob } from '../engine/job.ts'
import { inTurn, throwIfFailed } from '../pulls/in-turn.ts'
import { presentStocks } from '../pulls/store-days.ts'
import { type ComparedLevels, compareShop } from './compare-shop.ts'
import { compareStock } from './compare-stock.ts'
import type { AskedShop, ReconcileOptions } from './reconcile-options.ts'

/**
 * Compares platform, mirror and shops, article by article (spec, Stock 2 and 4). The platform is right about its stocks, and
 * what can be sold follows from them. Each difference gets a cause; few are corrected, many are proposed.
 */
export function reconcileStockJob(options: ReconcileOptions): HubJob {
  const { store, correct, shops, soldFrom, cap, clock, logger, schedule = JOBS['reconcile-stock'].schedule } = options
  return {
    name: 'reconcile-stock',
    schedule,
    async run({ signal }) {
      const run = new Date(clock.now()).toISOString().slice(0, 19)
      const stocks = [...new Set([...soldFrom, ...presentStocks(await store.stores())])]
      const found: StockDifference[] = []
      const failed = await inTurn<Compared>(partsOf(stocks, shops), signal, async (part) => {
        const { differences, unread } = await compared(part)
        for (const difference of differences) found.push(difference)
        await store.saveFindings(
          differences.map((says) => ({ type: 'keep', finding: { sort: 'stock-difference', says } })),
        )
        // What was compared stands.
        if (unread.length > 0) throw unreadLevels(unread)
      })

      async function compared(part: Compared): Promise<ComparedLevels> {
        if (!('stockId' in part)) return await compareShop(options, part.shop, part.location, run, signal)
        return { differences: await compareStock(options, part.stockId, run, signal), unread: [] }
      }

      const open = found.filter(({ cause }) => cause !== 'in-transit')
      const few = open.length <= cap
      if (few) await correct(open, null)
      else logger.error({ run, differences: open.length, cap }, 'stock.differences-wait-for-approval')
      const note = noteOf(run, found, few)
      throwIfFailed(failed, nameOf, note)
      return { note }
    },
  }
}

interface ComparedShop {
  shop: AskedShop
  location: string
}

type Compared = { stockId: string } | ComparedShop

/** The platform's stocks first: what can be sold follows from them. */
function partsOf(stocks: readonly string[], shops: readonly AskedShop[]): Compared[] {
  return [
    ...stocks.map((stockId) => ({ stockId })),
    ...shops.flatMap((shop) => Object.keys(shop.channels).map((location) => ({ shop, location }))),
  ]
}

/** The most levels that are named. */
const NAMED = 5

function unreadLevels(unread: readonly string[]): PermanentError {
  const more = unread.length > NAMED ? ` and ${unread.length - NAMED} more` : ''
  const named = `${unread.slice(0, NAMED).join(', ')}${more}`
  return new PermanentError(`${counted(unread.length, 'level')} cannot be read: ${named}`, {
    code: 'levels-unread',
  })
}

function nameOf(part: Compared): string {
  return 'stockId' in part ? `stock ${part.stockId}` : `${part.shop.name}, ${part.location}`
}

function noteOf(run: string, found: readonly StockDifference[], few: boolean): string {
  if (found.length === 0) return 'no differences'
  const byCause = Map.groupBy(found, ({ cause }) => cause)
  const causes = [...byCause].map(([cause, all]) => `${all.length} ${cause}`).join(', ')
  const done = few ? 'corrected' : `not corrected: look at "stock differences", then "stock approve ${run}"`
  return `${counted(found.length, 'difference')} (${causes}), ${done}`
}
