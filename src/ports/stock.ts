import type { Decimal } from '../domain/values/money.ts'
import type { Attempt, Batch, BatchResult, CallOf, Effect, Question } from './attempt.ts'

export interface StockPort {
  setLevels?(batch: Batch<StockLevel>): Promise<BatchResult>
  /** The shop's own levels at a location, by page (null: the first). Only what it counts. */
  readLevels?(location: string, page: string | null, question: Question): Promise<LevelPage>
  find?(attempt: Attempt, call: StockCall): Promise<Effect | null>
}

export interface LevelPage {
  levels: { gtin: string | null; sku: string | null; level: Decimal }[]
  next: string | null
  /** Unreadable ones, named for people. */
  unread?: readonly string[]
}

export interface StockLevel {
  location: string
  gtin: string
  sku: string | null
  level: Decimal
}

export type StockCall = CallOf<'stock', StockPort, 'setLevels'>
