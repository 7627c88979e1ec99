import type { OrderReturn } from './order-return.ts'
import type { OrderLineUpdate, OrderUpdate } from './order-update.ts'

/**
 * The doubt that keeps a line of a refund from being acted on: the spec shows that goods are `Returned`, and what any other word means is a
 * guess. Null: nothing. A line need not say it again.
 */
export function doubtOf({ status }: OrderReturn, line: OrderLineUpdate): string | null {
  if (status !== BACK) return `the refund is called ${shown(status)}, not ${BACK}`
  if (line.status !== null && line.status !== BACK)
    return `the line ${shown(line.key)} of the refund is called ${shown(line.status)}, not ${BACK}`
  return null
}

/** As much of a payload's word as a person needs. */
function shown(word: string | null): string {
  return word === null ? 'nothing' : word.slice(0, 60)
}

const BACK = 'Returned'

/** Statuses of orders and lines whose meaning is known (spec, "Omnichannel order status"; facts, order status values). */
const OF_ORDERS = ['UnHandled', 'Picked', 'Shipped', 'Rejected', 'Expired', 'Returned']
const OF_LINES = ['UnHandled', 'Accepted', 'Picked', 'Shipped', 'Declined', 'Rejected', 'Returned']

/**
 * The words of an update whose meaning nobody here knows, each once, and what it stands for. A line that is called what its order is called
 * says nothing more.
 */
export function unknownWords({ status, lines }: OrderUpdate): { word: string; of: 'order' | 'line' }[] {
  const ofLines = new Set(lines.flatMap((line) => line.status ?? []))
  return [
    ...(OF_ORDERS.includes(status) ? [] : [{ word: shown(status), of: 'order' as const }]),
    ...[...ofLines]
      .filter((word) => word !== status && !OF_LINES.includes(word))
      .map((word) => ({ word: shown(word), of: 'line' as const })),
  ]
}
