import type { Decimal } from '../domain/values/money.ts'
import type { Attempt, Batch, BatchResult, Effect, Question } from './attempt.ts'

/** The stock of an online shop. */
export interface StockPort {
  /** Levels, each of one article in one stock. */
  setLevels?(batch: Batch<StockLevel>): Promise<BatchResult>
  /**
   * The shop's own levels at one of its locations now, a page at a time (null: the first page, and the last
   * one's `next`). Only what it counts.
   */
  readLevels?(location: string, page: string | null, question: Question): Promise<LevelPage>
  find?(attempt: Attempt, call: StockCall): Promise<Effect | null>
}

export interface LevelPage {
  /** Known by one of the two at least. */
  levels: { gtin: string | null; sku: string | null; level: Decimal }[]
  /** Names the next page; null: this was the last one. */
  next: string | null
  /** Names for people of those of the page that cannot be read: nothing is known of them, and the others count. */
  unread?: readonly string[]
}

/** How many of an article can be sold: a level, not a difference. */
export interface StockLevel {
  /** Where from, in the destination's own word (its `stocks` and `channels` in config). */
  location: string
  gtin: string
  sku: string | null
  level: Decimal
}

export type StockCall = { port: 'stock'; method: 'setLevels'; argument: StockLevel }
