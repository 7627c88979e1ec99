import { compareDecimals, type Decimal } from '../values/money.ts'
import type { Verdict } from './order-evidence.ts'
import type { OrderReturn } from './order-return.ts'

/** The claim of a step about goods that came back: the platform's event log has that very refund. */
export interface RefundClaim {
  order: string
  is: 'returned'
  refundId: string
  /** Whether the till has given the money back. */
  isRefunded: boolean
  line: { key: string; quantity: Decimal }
}

/**
 * Whether refunds that the platform says it sent bear a claim out. The record of an order does not tell its refunds, and of an
 * order that a till looked up in the shop, the platform has no record at all.
 */
export function judgeRefund(claim: RefundClaim, sent: readonly OrderReturn[]): Verdict {
  const { order, refundId, isRefunded, line } = claim
  const same = sent.filter((one) => one.number === order && one.refundId === refundId)
  if (same.length === 0)
    return { missing: `the platform does not know the refund ${refundId} of order ${order}: its event log has none` }
  const alike = same.filter((one) => one.isRefunded === isRefunded)
  if (alike.length === 0)
    return {
      missing: `the platform's event log says that the money of refund ${refundId} was ${isRefunded ? 'not ' : ''}given back by the till`,
    }
  const told = alike.flatMap(({ lines }) => lines.filter(({ key }) => key === line.key))
  if (told.some(({ quantity }) => quantity && compareDecimals(quantity, line.quantity) >= 0)) return 'borne-out'
  return {
    missing: `the platform's event log does not say that ${line.quantity} of the line ${line.key} came back by refund ${refundId}`,
  }
}
