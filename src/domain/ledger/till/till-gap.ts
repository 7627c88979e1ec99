import type { Instant } from '../../values/instant.ts'
import { subtractDecimals } from '../../values/money.ts'
import { wallClockInstant } from '../../values/store-time.ts'
import type { Cause } from '../causes.ts'
import type { SeenGap } from '../gap.ts'
import type { Break, Difference, Link } from './judge.ts'
import type { TillReport } from './report.ts'

/** The till that a gap is of. */
export interface OfTill {
  posId: string
  /** The platform's id of the store. */
  storeId: string | null
  zone: string | null
}

/** The kind of event that receipts come as. */
export const RECEIPT_KIND = 'SaleCreated'

/** Receipts that are not what the till has counted. */
export function balanceGap(report: TillReport, found: readonly Difference[], till: OfTill): SeenGap {
  const lacks = (what: Difference['what']) => {
    const one = found.find((each) => each.what === what)
    return one === undefined ? null : subtractDecimals(one.till, one.here)
  }
  const at = report.from === null ? report.closedAt : (wallClockInstant(report.from, till.zone) ?? report.closedAt)
  const [missing, total] = [lacks('receipts'), lacks('total')]
  const evidence = {
    differs: found.map((one) => `${one.what}: ${one.till} at the till, ${one.here} here`).join('; '),
    ...(missing !== null && { missingReceipts: missing }),
    ...((total ?? missing) !== null && { difference: total ?? missing }),
  }
  return gap(report, 'balance', missing === null ? 'unbalanced' : 'uncounted', RECEIPT_KIND, at, evidence, till)
}

/** Reports that do not follow each other. */
export function breakGap(report: TillReport, previous: Link, found: Break, till: OfTill): SeenGap {
  const before = { zBefore: previous.number, ...evidenceOf(found) }
  return gap(report, found.cause, found.cause, null, previous.closedAt, before, till)
}

/** Sales since the last report, long ago. */
export function unclosedGap(since: Instant, last: Link, { posId, storeId }: OfTill): SeenGap {
  const { place, settlementId, number } = last
  const evidence = { zBefore: number, uncountedSince: new Date(since).toISOString() }
  return {
    ...{ road: 'till', cause: 'unclosed', kind: RECEIPT_KIND, storeId, destination: null, day: null },
    subject: [place, posId, settlementId, 'unclosed'].join('/'),
    at: since,
    evidence: { till: { store: place, till: posId, settlementId, ...evidence } },
  }
}

function evidenceOf(found: Break): Record<string, string | number> {
  switch (found.cause) {
    case 'z-missing': {
      const missing = found.from === found.to ? found.from : `${found.from} to ${found.to}`
      return { missing, ...(found.sold !== null && { soldInThem: found.sold }) }
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
  { posId, storeId }: OfTill,
): SeenGap {
  const named = { store: place, till: posId, z: number, settlementId, closed: new Date(closedAt).toISOString() }
  return {
    ...{ road: 'till', kind, storeId, destination: null, day: to?.slice(0, 10) ?? null, at, cause },
    subject: [place, posId, settlementId, what].join('/'),
    evidence: { till: { ...named, ...evidence } },
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
