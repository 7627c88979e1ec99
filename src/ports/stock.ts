import type { Decimal } from '../domain/values/money.ts'
import type { Attempt, Batch, BatchResult, Effect, Question } from './attempt.ts'

export interface StockPort {
  setLevels?(batch: Batch<StockLevel>): Promise<BatchResult>
  /**
   * The shop's own levels at one of its locations now, a page at a time (null: the first page, and the last
   * one's `next`). Only what it counts.
   */
  readLevels?(location: string, page: string | null, question: Question): Promise<LevelPage>
  find?(attempt: Attempt, call: StockCall): Promise<Effect | null>
}

export interface LevelPage {
  levels: { gtin: string | null; sku: string | null; level: Decimal }[]
  next: string | null
  /** Names for people of those of the page that cannot be read: nothing is known of them, and the others count. */
  unread?: readonly string[]
}

export interface StockLevel {
  location: string
  gtin: string
  sku: string | null
  level: Decimal
}

export type StockCall = { port: 'stock'; method: 'setLevels'; argument: StockLevel }
