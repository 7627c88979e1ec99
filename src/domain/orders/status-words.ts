/** Statuses of orders and lines as the rules name them (spec, "Omnichannel order status"; facts, order status values). */
const STATUSES = ['UnHandled', 'Picked', 'Shipped', 'Rejected', 'Expired', 'Returned', 'Declined', 'Accepted']

/**
 * A status as the rules name it, whoever wrote it: the platform's two APIs differ in nothing but case. One that is not known stays as
 * written.
 */
export function statusWord(written: string | null): string | null {
  const plain = written?.toLowerCase()
  return STATUSES.find((status) => status.toLowerCase() === plain) ?? written
}
