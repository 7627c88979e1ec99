import { isSameArticle } from '../catalogue/article-number.ts'
import type { ComparedFields, Identity } from '../queue/identity.ts'
import { compareDecimals, type Decimal, sumDecimals } from '../values/money.ts'
import type { OrderReturn } from './order-return.ts'

/*
 * A webhook is the word of whoever has its token. A step that moves money, tells a customer or cancels therefore names what
 * it takes for granted about its order, and goes out only where the platform's own record says so, too.
 */

/** The claim of a step about an order, to be held against the order's record at the platform. */
export type OrderClaim =
  | { order: string; is: 'picked' | 'collected' | 'expired' | 'over' }
  /** With a parcel of this id. */
  | { order: string; is: 'packed'; parcel: string }
  /** The pieces of a line, all in all; `quantity` null: nobody can read how many. */
  | { order: string; is: 'declined'; line: OrderLine }

/** An order as the platform has it now. */
export interface OrderSeen {
  /** As written. */
  status: string | null
  lines: readonly (OrderLine & { status: string | null })[]
  /** Ids of its parcels; null: the record does not tell. */
  parcels: readonly string[] | null
  /** Whether its goods are sent to the customer; null: the record does not tell. */
  isSent: boolean | null
}

interface OrderLine {
  rowId: string | null
  gtin: string | null
  quantity: Decimal | null
}

/**
 * `past`: it was so, or may have been, and is over: the step has nothing to do any more. `missing`: what is not as claimed. `unclear`: the
 * record contradicts the webhook in whether the goods are fetched or sent.
 */
export type Verdict = 'borne-out' | { past: string } | { missing: string } | { unclear: string }

/** Whether an order's record bears a claim out. `isFetched`: an own system said that the customer fetches it. */
export function judgeOrder(claim: OrderClaim, seen: OrderSeen, isFetched = false): Verdict {
  if (claim.is === 'declined') return judgeDeclined(claim.order, claim.line, seen)
  // A source that tells its parcels tells which there are; the status of an order that is packed is not shown.
  if (claim.is === 'packed' && seen.parcels !== null)
    return seen.parcels.includes(claim.parcel)
      ? 'borne-out'
      : { missing: `the platform's record of order ${claim.order} has no parcel ${claim.parcel}` }
  // A webhook that does not tell parcels reads like that of an order which the customer fetches.
  const isOfFetched = claim.is === 'picked' || claim.is === 'collected'
  if (isOfFetched && (seen.parcels ?? []).length > 0)
    return { missing: `the platform says that order ${claim.order} is sent in parcels, not fetched` }
  const { shown, later, over } = STATES[claim.is]
  if (isOneOf(seen.status, [shown, ...later]))
    return isOfFetched && seen.isSent && !isFetched
      ? {
          unclear: `the platform's record of order ${claim.order} has an address to ship it to, and its webhook names no parcels`,
        }
      : 'borne-out'
  const says = `${statusIn(claim.order, seen)}, not ${shown}`
  return isOneOf(seen.status, over) ? { past: says } : { missing: says }
}

/** `later`: what an order becomes that was `shown` before; `over`: what takes the step's reason away. */
const STATES = {
  picked: { shown: 'Picked', later: ['Shipped', 'Returned', 'Completed'], over: ['Rejected', 'Expired'] },
  packed: { shown: 'Picked', later: ['Shipped', 'Returned', 'Completed'], over: [] },
  collected: { shown: 'Shipped', later: ['Returned', 'Completed'], over: [] },
  /** Goods need not be kept for it any more. */
  over: { shown: 'over', later: ['Rejected', 'Expired', 'Shipped', 'Returned', 'Completed'], over: [] },
  expired: { shown: 'Expired', later: [], over: ['Shipped', 'Returned', 'Completed'] },
}

function judgeDeclined(order: string, line: OrderLine, seen: OrderSeen): Verdict {
  const same = seen.lines.filter((one) => isSame(one, line))
  if (same.length === 0) return { missing: `the platform's record of order ${order} has no such line` }
  const declined = isOneOf(seen.status, ['Rejected'])
    ? same
    : same.filter(({ status }) => isOneOf(status, ['Declined', 'Rejected']))
  const told = sumDecimals(declined.flatMap(({ quantity }) => quantity ?? []))
  // A line that tells no quantity is declined as a whole.
  const isWhole = declined.some(({ quantity }) => quantity === null)
  if (isWhole || (line.quantity && declined.length > 0 && compareDecimals(told, line.quantity) >= 0)) return 'borne-out'
  const named = line.gtin ?? `row ${line.rowId}`
  return {
    missing: `the platform says that ${told} of ${named} in order ${order} are declined, not ${line.quantity ?? 'more'}`,
  }
}

/** By row and article, as far as both tell them; one of the two at least. */
function isSame(one: OrderLine, other: OrderLine): boolean {
  const rows = one.rowId !== null && other.rowId !== null
  const articles = one.gtin !== null && other.gtin !== null
  return (
    (rows || articles) && (!rows || one.rowId === other.rowId) && (!articles || isSameArticle(one.gtin, other.gtin))
  )
}

function statusIn(order: string, { status }: OrderSeen): string {
  return status === null
    ? `the platform tells no status of order ${order}`
    : `the platform says that order ${order} is ${status}`
}

function isOneOf(status: string | null, statuses: readonly string[]): boolean {
  return status !== null && statuses.some((one) => one.toLowerCase() === status.toLowerCase())
}

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

/** The claim that a step makes an order by: the platform's event log has the very sale that the order comes from. */
export interface SaleClaim {
  is: 'sold'
  /** The kind of the events that say so. */
  kind: string
  sale: Pick<Identity, 'key' | 'facts'>
  /** The sale, as a person is told of it. */
  named: string
}

/** Whether sales that the platform says it sent bear a claim out: the same sale, of the same amount, time and store. */
export function judgeSale({ kind, sale, named }: SaleClaim, sent: readonly Pick<Identity, 'key' | 'facts'>[]): Verdict {
  const same = sent.filter(({ key }) => key === sale.key)
  if (same.length === 0) return { missing: `the platform does not know ${named}: its event log has no such ${kind}` }
  if (same.some(({ facts }) => isSameSale(facts, sale.facts))) return 'borne-out'
  return { missing: `the platform's event log says another amount, time or store of ${named}` }
}

function isSameSale(one: ComparedFields | null, other: ComparedFields | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
