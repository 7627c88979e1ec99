import type { FindingSort, KeptFinding } from '../domain/catalogue/finding.ts'
import type { KeptRow, MirrorRow } from '../domain/catalogue/mirror.ts'
import type { CoveredChange, UncoveredChange } from '../domain/completeness/covered.ts'
import type { Gap, GapChange, KeptGap } from '../domain/completeness/gap.ts'
import type { Watermark, WatermarkChange } from '../domain/completeness/watermark.ts'
import type { CustomerRecord } from '../domain/customers/customer-record.ts'
import type { JobRow } from '../domain/health/job-status.ts'
import type { ApiKey } from '../domain/scope.ts'
import type { StoreRecord } from '../domain/stores/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'

export interface ReconciliationChange {
  gaps?: readonly GapChange[]
  uncovered?: readonly UncoveredChange[]
  covered?: readonly CoveredChange[]
  watermarks?: readonly WatermarkChange[]
}

export type GapText = Omit<KeptGap, 'subject' | 'evidence' | 'ended'> & { body: string }

export function toGapText(key: string, { subject, evidence, ended, ...columns }: Gap): Omit<GapText, 'id'> {
  return { key, ...columns, body: JSON.stringify({ subject, evidence, ended }) }
}

export function toKeptGap({ body, ...columns }: GapText): KeptGap {
  return { ...columns, ...JSON.parse(body) }
}

export function explained(gap: GapText, by: string, reason: string, at: number): string {
  const { subject, evidence } = toKeptGap(gap)
  return JSON.stringify({ subject, evidence, ended: { at, by, reason } })
}

export function toWatermarkRow({ storeId, ...watermark }: Watermark): Watermark & { storeId: string } {
  return { ...watermark, storeId: storeId ?? '' }
}

export function toWatermark({ storeId, ...row }: Watermark & { storeId: string }): Watermark {
  return { ...row, storeId: storeId === '' ? null : storeId }
}

export function storeOf(change: WatermarkChange): string {
  return (change.type === 'put' ? change.watermark.storeId : change.storeId) ?? ''
}

export type FindingText = Omit<KeptFinding, 'says'> & { body: string }

export function toKeptFinding<S extends FindingSort>({ body, ...row }: FindingText): KeptFinding<S> {
  return { ...row, says: JSON.parse(body) }
}

/** JSON text crosses threads cheaper than objects. */
export type MirrorText = Omit<KeptRow, 'body'> & { body: string }

export function toKeptRow(row: MirrorText): KeptRow {
  return { ...row, body: JSON.parse(row.body) }
}

export function current(rows: readonly MirrorRow[]): MirrorRow[] {
  const rowOf = new Map<string, MirrorRow>()
  for (const row of rows) {
    const key = `${row.set}\0${row.key}`
    const before = rowOf.get(key)
    if (!before || !isOlder(row, before)) rowOf.set(key, row)
  }
  return [...rowOf.values()]
}

export function isOlder(row: Pick<MirrorRow, 'version' | 'tie'>, than: Pick<MirrorRow, 'version' | 'tie'>): boolean {
  return row.version === than.version ? row.tie < than.tie : row.version < than.version
}

export interface KeptCustomer extends CustomerRecord {
  id: number
  updatedAt: Instant
}

export interface KeptStore extends StoreRecord {
  goneAt: Instant | null
}

/** For the check alone: never in an answer or a log. */
export interface KeptApiKey extends ApiKey {
  /** SHA-256, hex. The secret is 256 random bits: a slow hash adds nothing. */
  secretHash: string
}

export interface Pause {
  until: Instant | null
  why: string
}

export interface JobLease {
  now: Instant
  /** Milliseconds from then on; several hubs count by the database server's clock. */
  lease: number
}

export interface JobStart extends JobLease {
  /** Only if the job's last start is still this one (null: never). */
  after?: Instant | null
}

export interface JobClaim {
  row: JobRow
  fence: number
}

export type JobEnd =
  | {
      at: Instant
      state?: string
      note: string
    }
  | { at: Instant; problem: string }
