import type { Decimal } from '../values/money.ts'

/** An online order as far as messages to its customer need it: from what an own system submitted, else from the platform. */
export interface PlacedOrder {
  number: string
  /** As the platform has it now; null where it was not asked. */
  status: string | null
  storeName: string | null
  customer: { name: string | null; email: string | null /** E.164. */; phone: string | null } | null
  lines: { gtin: string | null; name: string | null; quantity: Decimal }[]
}
