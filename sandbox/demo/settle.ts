import type { World } from './world.ts'

/** A POS's settlement totals, as the platform settled them. */
export interface Settled {
  settlementId: string
  currency: string
  /** Decimal text with two decimals. */
  total: string
}

const STORES = ['101', '102', '103', '201', '202']

/** The stores close: each POS that sold something is settled. */
export function settlePos({ platform }: World): Settled[] {
  return STORES.flatMap((number) =>
    platform.closeDay(number).map(({ SETTLEMENTID, Currency, GrandTotal }) => ({
      settlementId: String(SETTLEMENTID),
      currency: Currency,
      total: GrandTotal.toFixed(2),
    })),
  )
}
