import type { Instant } from '../../values/instant.ts'
import { saysEnough, unbalanced } from './balance.ts'
import { endsUnclear, type Group } from './groups.ts'
import { joined } from './joined.ts'
import type { Meanings } from './meanings.ts'
import type { Difference } from './named-sum.ts'
import type { TillReceipt } from './receipt.ts'
import { counts } from './span.ts'

/**
 * `waits`: more may come before anything can be said · `begins`: the first that is known of a till, of which not all is here: the
 * proof begins behind it · `balanced` · `differs`.
 */
export type Judgement = { is: 'waits' | 'begins' | 'balanced' } | { is: 'differs'; differences: Difference[] }

/** A settlement that names no payments is asked for: so long is waited for that before it is judged by what it names (milliseconds). */
const WHOLE_AFTER = 40 * 3_600_000

interface Asked {
  /** Receipts of the till, of the days of the group at least. */
  receipts: readonly TillReceipt[]
  meanings: Meanings
  zone: string | null
  now: Instant
  /** How long after a till was closed the last of its receipts may come (milliseconds). */
  patience: number
  /** No report of the till is known from before. */
  isFirst: boolean
}

/** Holds the receipts that are here against what a till has counted. */
export function judge(group: Group, { receipts, meanings, zone, now, patience, isFirst }: Asked): Judgement {
  const report = joined(group)
  const age = now - report.closedAt
  if ((!report.isWhole || endsUnclear(group, zone)) && age < WHOLE_AFTER) return { is: 'waits' }
  if (!saysEnough(report)) return { is: isFirst ? 'begins' : 'waits' }
  const found = unbalanced(
    report,
    receipts.filter((receipt) => counts(report, receipt)),
    meanings,
  )
  if (found.length === 0) return { is: 'balanced' }
  if (isFirst) return { is: 'begins' }
  return age < patience ? { is: 'waits' } : { is: 'differs', differences: found }
}
