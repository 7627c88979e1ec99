import type { ComparedFields, Identity } from '../queue/identity.ts'
import type { Verdict } from './order-evidence.ts'

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
  if (same.some(({ facts }) => isSame(facts, sale.facts))) return 'borne-out'
  return { missing: `the platform's event log says another amount, time or store of ${named}` }
}

function isSame(one: ComparedFields | null, other: ComparedFields | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
