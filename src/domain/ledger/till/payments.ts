import type { Decimal } from '../../values/money.ts'
import { type NamedSums, sumsOf } from './named-sum.ts'

/** A payment of a settlement or of a receipt, as the mirror has it. */
export interface Paid {
  type: string | null
  subType: string | null
  amount: Decimal
}

/** Rows that are no way to pay of their own, and are named by their sub type (spec, "POS settlement"). */
const BY_SUB_TYPE = /^(rounding|gift ?card|voucher)/i

/** Sums by the way to pay. Cards are one, whatever their schemes: only a settlement may name these. */
export function paymentSums(payments: Iterable<Paid>): NamedSums {
  return sumsOf([...payments].map((paid) => [nameOf(paid), paid.amount]))
}

function nameOf({ type, subType }: Paid): string {
  const name = (subType !== null && BY_SUB_TYPE.test(subType) ? subType : type) ?? ''
  const plain = name.trim().toLowerCase().replace(/\s+/g, ' ')
  return plain === '' ? 'unnamed' : plain
}
