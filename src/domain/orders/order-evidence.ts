import { isSameArticle } from '../catalogue/article-number.ts'
import type { Identity } from '../queue/event.ts'
import { compareDecimals, type Decimal, sumDecimals } from '../values/money.ts'
import type { OrderReturn } from './order-update.ts'

/** A webhook proves only that its sender has the token. */

export type OrderAssertion =
  | { order: string; is: 'picked' | 'collected' | 'expired' | 'over' }
  | { order: string; is: 'packed'; parcel: string }
  | { order: string; is: 'declined'; line: OrderLine }

export interface OrderEvidence {
  status: string | null
  lines: readonly (OrderLine & { status: string | null })[]
  parcels: readonly string[] | null
  isSent: boolean | null
}

interface OrderLine {
  rowId: string | null
  gtin: string | null
  quantity: Decimal | null
}

/** `past`: no longer true, nothing to do. `missing`: what is not as asserted. `unclear`: pick-up or shipping contradicts. */
export type Verdict = 'verified' | { past: string } | { missing: string } | { unclear: string }

export function verifyOrder(claim: OrderAssertion, seen: OrderEvidence, isFetched = false): Verdict {
  if (claim.is === 'declined') return verifyDeclined(claim.order, claim.line, seen)
  // Listed parcels decide; the status of a packed order is undocumented.
  if (claim.is === 'packed' && seen.parcels !== null)
    return seen.parcels.includes(claim.parcel)
      ? 'verified'
      : { missing: `the platform's record of order ${claim.order} has no parcel ${claim.parcel}` }
  // A webhook without parcels reads like a pick-up.
  const isOfFetched = claim.is === 'picked' || claim.is === 'collected'
  if (isOfFetched && (seen.parcels ?? []).length > 0)
    return { missing: `the platform says that order ${claim.order} is sent in parcels, not fetched` }
  const { shown, later, over } = STATES[claim.is]
  if (isOneOf(seen.status, [shown, ...later]))
    return isOfFetched && seen.isSent && !isFetched
      ? {
          unclear: `the platform's record of order ${claim.order} has an address to ship it to, and its webhook names no parcels`,
        }
      : 'verified'
  const says = `${statusIn(claim.order, seen)}, not ${shown}`
  return isOneOf(seen.status, over) ? { past: says } : { missing: says }
}

const STATES = {
  picked: { shown: 'Picked', later: ['Shipped', 'Returned', 'Completed'], over: ['Rejected', 'Expired'] },
  packed: { shown: 'Picked', later: ['Shipped', 'Returned', 'Completed'], over: [] },
  collected: { shown: 'Shipped', later: ['Returned', 'Completed'], over: [] },
  over: { shown: 'over', later: ['Rejected', 'Expired', 'Shipped', 'Returned', 'Completed'], over: [] },
  expired: { shown: 'Expired', later: [], over: ['Shipped', 'Returned', 'Completed'] },
}

function verifyDeclined(order: string, line: OrderLine, seen: OrderEvidence): Verdict {
  const same = seen.lines.filter((one) => isSame(one, line))
  if (same.length === 0) return { missing: `the platform's record of order ${order} has no such line` }
  const declined = isOneOf(seen.status, ['Rejected'])
    ? same
    : same.filter(({ status }) => isOneOf(status, ['Declined', 'Rejected']))
  const reported = sumDecimals(declined.flatMap(({ quantity }) => quantity ?? []))
  // A line without quantity is declined as a whole.
  const isWhole = declined.some(({ quantity }) => quantity === null)
  if (isWhole || (line.quantity && declined.length > 0 && compareDecimals(reported, line.quantity) >= 0))
    return 'verified'
  const named = line.gtin ?? `row ${line.rowId}`
  return {
    missing: `the platform says that ${reported} of ${named} in order ${order} are declined, not ${line.quantity ?? 'more'}`,
  }
}

function isSame(one: OrderLine, other: OrderLine): boolean {
  const rows = one.rowId !== null && other.rowId !== null
  const articles = one.gtin !== null && other.gtin !== null
  return (
    (rows || articles) && (!rows || one.rowId === other.rowId) && (!articles || isSameArticle(one.gtin, other.gtin))
  )
}

function statusIn(order: string, { status }: OrderEvidence): string {
  if (status === null) return `the platform tells no status of order ${order}`
  return `the platform says that order ${order} is ${status}`
}

function isOneOf(status: string | null, statuses: readonly string[]): boolean {
  return status !== null && statuses.some((one) => one.toLowerCase() === status.toLowerCase())
}

export interface RefundAssertion {
  order: string
  is: 'returned'
  refundId: string
  isRefunded: boolean
  line: { key: string; quantity: Decimal }
}

export function verifyRefund(claim: RefundAssertion, sent: readonly OrderReturn[]): Verdict {
  const { order, refundId, isRefunded, line } = claim
  const same = sent.filter((one) => one.number === order && one.refundId === refundId)
  if (same.length === 0)
    return { missing: `the platform does not know the refund ${refundId} of order ${order}: its event log has none` }
  const alike = same.filter((one) => one.isRefunded === isRefunded)
  if (alike.length === 0)
    return {
      missing: `the platform's event log says that the money of refund ${refundId} was ${isRefunded ? 'not ' : ''}refunded by the POS`,
    }
  const reported = alike.flatMap(({ lines }) => lines.filter(({ key }) => key === line.key))
  if (reported.some(({ quantity }) => quantity && compareDecimals(quantity, line.quantity) >= 0)) return 'verified'
  return {
    missing: `the platform's event log does not say that ${line.quantity} of the line ${line.key} came back by refund ${refundId}`,
  }
}

export interface SaleAssertion {
  is: 'sold'
  kind: string
  sale: Pick<Identity, 'key' | 'facts'>
  named: string
}

export function verifySale(
  { kind, sale, named }: SaleAssertion,
  sent: readonly Pick<Identity, 'key' | 'facts'>[],
): Verdict {
  const same = sent.filter(({ key }) => key === sale.key)
  if (same.length === 0) return { missing: `the platform does not know ${named}: its event log has no such ${kind}` }
  if (same.some(({ facts }) => JSON.stringify(facts) === JSON.stringify(sale.facts))) return 'verified'
  return { missing: `the platform's event log says another amount, time or store of ${named}` }
}
