import type { Instant } from '../../values/instant.ts'
import { wallClockInstant } from '../../values/store-time.ts'
import type { Cause } from '../causes.ts'
import type { SeenGap } from '../gap.ts'
import { RECEIPTS } from './balance.ts'
import type { Break, Link } from './chain.ts'
import { type Difference, differenceText, tooLittle } from './named-sum.ts'
import type { TillReport } from './report.ts'

/** The till that a gap is of, and whether what its fields mean is proven. */
export interface OfTill {
  posId: string
  /** The platform's id of the store. */
  storeId: string | null
  zone: string | null
  isLearned: boolean
}

/** The kind of event that receipts come as. */
export const RECEIPT_KIND = 'SaleCreated'

/** Receipts that are not what the till has counted. */
export function balanceGap(report: TillReport, found: readonly Difference[], till: OfTill): SeenGap {
  const count = found.find(({ what }) => what === RECEIPTS)
  const total = found.find(({ what }) => what === 'total') ?? found[0]
  const at = report.from === null ? report.closedAt : (wallClockInstant(report.from, till.zone) ?? report.closedAt)
  const evidence = {
    differs: found.map(differenceText).join('; '),
    ...(count !== undefined && { missingReceipts: tooLittle(count) }),
    ...(total !== undefined && { difference: tooLittle(total) }),
  }
  return gap(report, 'balance', count === undefined ? 'unbalanced' : 'uncounted', RECEIPT_KIND, at, evidence, till)
}

/** Reports that do not follow each other. */
export function breakGap(report: TillReport, previous: Link, found: Break, till: OfTill): SeenGap {
  const before = { zBefore: previous.number, ...told(found) }
  return gap(report, found.cause, found.cause, null, previous.closedAt, before, till)
}

/** Sales since the last report, long ago. */
export function unclosedGap(since: Instant, last: Link, till: OfTill): SeenGap {
  const evidence = { zBefore: last.number, uncountedSince: new Date(since).toISOString() }
  const { posId, storeId } = till
  const { place } = last
  return {
    ...{ road: 'till', cause: 'unclosed', kind: RECEIPT_KIND, storeId, destination: null, day: null },
    subject: [place, posId, last.settlementId, 'unclosed'].join('/'),
    at: since,
    evidence: { till: { store: place, till: posId, settlementId: last.settlementId, ...evidence } },
  }
}

function told(found: Break): Record<string, string | number> {
  switch (found.cause) {
    case 'z-missing': {
      const lacking = found.from === found.to ? { missing: found.from } : { missing: `${found.from} to ${found.to}` }
      return { ...lacking, ...(found.sold !== null && { soldInThem: found.sold }) }
    }
    case 'z-again':
      return { usedAgain: found.number }
    case 'sum-jumped':
      return { difference: found.difference }
  }
}

function gap(
  { settlementId, place, number, closedAt, to }: TillReport,
  what: string,
  cause: Cause,
  kind: string | null,
  at: Instant,
  evidence: Record<string, string | number | null>,
  { posId, storeId, isLearned }: OfTill,
): SeenGap {
  const named = { store: place, till: posId, z: number, settlementId, closed: new Date(closedAt).toISOString() }
  return {
    ...{ road: 'till', kind, storeId, destination: null, day: to?.slice(0, 10) ?? null, at },
    cause: isLearned ? cause : 'unlearned',
    subject: [place, posId, settlementId, what].join('/'),
    evidence: { till: { ...named, ...evidence, ...(!isLearned && { wouldBe: cause }) } },
  }
}

/** Whether a gap says that reports do not follow each other. */
export function isBreak({ subject }: Pick<SeenGap, 'subject'>): boolean {
  const causes: readonly string[] = ['z-missing', 'z-again', 'sum-jumped'] satisfies Break['cause'][]
  return causes.includes(subject.slice(subject.lastIndexOf('/') + 1))
}

/** The id of the settlement that a gap of this road was found at; null: none. */
export function settlementOf({ evidence }: Pick<SeenGap, 'evidence'>): string | null {
  const id = evidence.till?.settlementId
  return typeof id === 'string' ? id : null
}
