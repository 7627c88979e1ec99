import { compareDecimals, type Decimal, parseDecimal, subtractDecimals, sumDecimals } from '../values/money.ts'

/** Where a shop sells from: the stocks that count for one of its places. */
export interface Channel {
  /** The platform's ids of the stocks that can be sold from. */
  stocks: readonly string[]
  /** Pieces of each article that are kept back in each stock. */
  safetyStock: Decimal
}

/** The channels of a shop, by what it calls each (a location, or any name where it has none). */
export type Channels = Readonly<Record<string, Channel>>

/** The level of an article in a stock, and how much of that is kept for somebody. */
export interface StockState {
  stockId: string
  level: Decimal
  reserved: Decimal
}

/** An article's levels changed: what every stock that is sold from has of it now. The payload of `StockChanged`. */
export interface ArticleStock {
  gtin: string
  sku: string | null
  stocks: StockState[]
  /** The higher, the newer. */
  version: number
  /** The channel that is told though it has acknowledged the same (`location`): it has something else. */
  again?: string
}

/**
 * How many can be sold: of each stock its level less what is kept for somebody and the safety stock; a stock that has less
 * than that gives none, and takes none from the others. Null: none of the channel's stocks has ever had the article.
 */
export function availabilityOf({ stocks, safetyStock }: Channel, states: readonly StockState[]): Decimal | null {
  const own = states.filter(({ stockId }) => stocks.includes(stockId))
  if (own.length === 0) return null
  return sumDecimals(
    own.map(({ level, reserved }) => notBelowZero(subtractDecimals(subtractDecimals(level, reserved), safetyStock))),
  )
}

const ZERO = parseDecimal(0)

function notBelowZero(quantity: Decimal): Decimal {
  return compareDecimals(quantity, ZERO) < 0 ? ZERO : quantity
}
