import type { StockDifference } from '../domain/catalogue/finding.ts'
import type { LevelRead } from '../domain/catalogue/mirror.ts'
import { MIRROR, PLATFORM } from '../domain/queue/event.ts'
import type { StockOf } from '../storage/article-stock.ts'
import type { Storage } from '../storage/storage.ts'
import type { Inbox } from './accept.ts'

interface Options {
  storage: Pick<Storage, 'saveFindings' | 'now'>
  inbox: Pick<Inbox, 'announce'>
  stockOf: StockOf
}

export type Correct = (differences: readonly StockDifference[], approved: StockDifference['approved']) => Promise<void>

/** The platform is right: the read model takes its level, with later movements; a shop gets the level again. */
export function createCorrections({ storage, inbox, stockOf }: Options): Correct {
  async function correct(difference: StockDifference): Promise<void> {
    const { of, gtin, sku, right, readAt } = difference
    if ('stockId' in of) {
      const read: LevelRead = { stockId: of.stockId, gtin, sku, level: right, readAt }
      return await inbox.announce('StockLevelRead', PLATFORM, read, storage.now())
    }
    const stock = await stockOf(gtin)
    if (stock) await inbox.announce('StockChanged', MIRROR, { ...stock, again: of.location }, storage.now())
  }

  return async (differences, approved) => {
    for (const difference of differences) {
      await correct(difference)
      const says: StockDifference = { ...difference, state: 'corrected', approved }
      await storage.saveFindings([{ type: 'keep', finding: { sort: 'stock-difference', says } }])
    }
  }
}
