import { compareDecimals, type Decimal, subtractDecimals, sumDecimals, ZERO } from '../values/money.ts'

export interface Channel {
  stocks: readonly string[]
  safetyStock: Decimal
}

export type Channels = Readonly<Record<string, Channel>>

export interface StockState {
  stockId: string
  level: Decimal
  reserved: Decimal
}

export interface ArticleStock {
  gtin: string
  sku: string | null
  stocks: StockState[]
  version: number
  again?: string
}

/** Available: sum of level minus reserved minus safety stock, never negative per stock. Null: no stock ever had the article. */
export function availabilityOf({ stocks, safetyStock }: Channel, states: readonly StockState[]): Decimal | null {
  const own = states.filter(({ stockId }) => stocks.includes(stockId))
  if (own.length === 0) return null
  const left = own.map(({ level, reserved }) => subtractDecimals(subtractDecimals(level, reserved), safetyStock))
  return sumDecimals(left.filter((quantity) => compareDecimals(quantity, ZERO) > 0))
}
