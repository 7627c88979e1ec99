import type { World } from './world.ts'

/** A till's takings, as the platform settled them. */
export interface Settled {
  settlementId: string
  currency: string
  /** Decimal text with two decimals. */
  total: string
}

const STORES = ['101', '102', '103', '201', '202']

/** The stores close: each till that sold something is settled. */
export function settleTills({ platform }: World): Settled[] {
  return STORES.flatMap((number) =>
    platform.closeDay(number).map(({ SETTLEMENTID, Currency, GrandTotal }) => ({
      settlementId: String(SETTLEMENTID),
      currency: Currency,
      total: GrandTotal.toFixed(2),
    })),
  )
}
