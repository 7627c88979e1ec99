import { z } from 'zod'
import type { FiscalReport } from '../accounting/settlement.ts'
import type { StoredMirrorRow } from '../catalogue/mirror.ts'
import type { Instant } from '../values/instant.ts'
import { type Decimal, parseDecimal, subtractDecimals, sumDecimals } from '../values/money.ts'
import { wallClockIn, wallClockInstant } from '../values/store-time.ts'
import type { Cause, DetectedGap } from './gap.ts'

export const RECEIPT_KIND = 'SaleCreated'

export interface Rules {
  meanings: Meanings
  /** How late receipts of a closed POS may come (ms). */
  patience: number
}

type Link = z.output<typeof Link>

const Link = z.object({
  settlementId: z.string(),
  place: z.string(),
  number: z.number().nullable(),
  closedAt: z.number(),
})

/** State of a POS between two checks. */
export type PosMemory = z.output<typeof PosMemory>

export const PosMemory = z.object({
  /** Begin of the proof; null: no report was judged. */
  begins: z.number().nullable(),
  /** Settlements that are done. */
  done: z.array(z.string()).readonly(),
  /** The newest judged report with none waiting before it, else the newest that waits. */
  last: Link.nullable(),
})

export const NEW_POS: PosMemory = { begins: null, done: [], last: null }

interface PosCheckInput {
  /** Of some days, in any order. */
  reports: readonly PosReport[]
  /** Of the days of every report that is not done, at least. */
  receipts: readonly PosReceipt[]
  pos: OfPos
  memory: PosMemory
  /** The store was checked before this POS was there: it is new, not just unknown. */
  isWatched: boolean
  rules: Pick<Rules, 'patience'>
  now: Instant
}

export interface PosCheckResult {
  gaps: DetectedGap[]
  /** Settlements judged now or before: their other balance gaps are over. */
  judged: string[]
  /** Settlements compared with the one before: their other breaks are over. */
  linked: string[]
  memory: PosMemory
  /** Close of the last judged report with none waiting before it. */
  until: Instant | null
  /** The last sale that it counts. */
  countedUntil: Instant | null
  /** A report cannot be judged yet. */
  waits: boolean
}

/** Judges the reports of a POS by those before them and by the receipts that are here. */
export function checkPos({ reports, receipts, pos, memory, isWatched, rules, now }: PosCheckInput): PosCheckResult {
  const { zone } = pos
  const ordered = inOrder(reports)
  const done = new Set(memory.done)
  const [first] = ordered
  const { last } = memory
  let previous: Link | null = last !== null && (first === undefined || last.closedAt < first.closedAt) ? last : null
  const close = previous?.closedAt ?? null
  const result: PosCheckResult = {
    ...{ gaps: [], judged: [], linked: [], memory, until: close, countedUntil: close, waits: false },
  }
  let { begins } = memory
  let newest: Link | null = null
  for (const report of ordered) {
    const { settlementId, closedAt, from, to } = report
    // In a second look at an old gap the report before it may not be read.
    const isBefore = memory.begins === null || closedAt <= memory.begins
    const isFirst = previous === null && isBefore && !(isWatched && report.number === 1)
    const judgement = done.has(settlementId)
      ? ({ is: 'balanced' } as const)
      : compareReport(report, { patience: rules.patience, receipts, now, isFirst })
    if (judgement.is === 'waits') {
      result.waits = true
      previous = report
      continue
    }
    if (previous !== null) {
      const found = breakBetween(previous, report)
      if (found !== null) result.gaps.push(breakGap(report, previous, found, pos))
      result.linked.push(settlementId)
    }
    if (judgement.is === 'differs') {
      const since = instantOf(from, zone) ?? previous?.closedAt ?? begins ?? 0
      result.gaps.push(balanceGap(report, judgement.differences, since, pos))
    } else done.add(settlementId)
    begins ??=
      (judgement.is === 'balanced' ? (instantOf(from, zone) ?? closedAt) : closedAt) + (zone === null ? ANYWHERE : 0)
    if (judgement.is !== 'begins') result.judged.push(settlementId)
    previous = linkOf(report)
    if (result.waits) continue
    newest = previous
    result.until = closedAt
    result.countedUntil = instantOf(to, zone) ?? closedAt
  }
  const known = new Set(ordered.map(({ settlementId }) => settlementId))
  result.memory = {
    begins,
    done: [...done].filter((id) => known.has(id)),
    last: newest ?? last ?? (previous === null ? null : linkOf(previous)),
  }
  return result
}

const HOUR = 3_600_000

/** In the hour that comes twice, their numbers tell which was first. */
export function inOrder(reports: readonly PosReport[]): PosReport[] {
  const isNumberedBefore = (a: PosReport, b: PosReport) =>
    a.number !== null && b.number === a.number + 1 && Math.abs(a.closedAt - b.closedAt) < HOUR
  return reports.toSorted((a, b) => {
    if (isNumberedBefore(a, b)) return -1
    return isNumberedBefore(b, a) ? 1 : a.closedAt - b.closedAt
  })
}

function linkOf({ settlementId, place, number, closedAt }: Link): Link {
  return { settlementId, place, number, closedAt }
}

/** The clock furthest ahead (its sign is inverted): without a known zone, nothing after the earliest possible instant is proven. */
const FURTHEST_AHEAD = 'Etc/GMT-14'

/** Between the clocks furthest ahead and behind (ms). */
const ANYWHERE = 26 * HOUR

export function instantOf(clock: string | null, zone: string | null): Instant | null {
  return clock === null ? null : wallClockInstant(clock, zone ?? FURTHEST_AHEAD)
}

interface Difference {
  what: 'receipts' | 'total'
  pos: Decimal
  here: Decimal
}

/** `begins`: the first known report, of which not all is here: the proof begins behind it. */
type Judgement = { is: 'waits' | 'begins' | 'balanced' } | { is: 'differs'; differences: Difference[] }

/** A settlement without payments is read from the platform first, for so long (ms). */
const WHOLE_AFTER = 40 * HOUR

interface AskedOfReport extends Pick<PosCheckInput, 'receipts' | 'now'>, Pick<Rules, 'patience'> {
  /** No earlier report of the POS is known. */
  isFirst: boolean
}

/** Compares the receipts that are here with a report, by number and total. */
export function compareReport(report: PosReport, { receipts, now, patience, isFirst }: AskedOfReport): Judgement {
  const age = now - report.closedAt
  if (!report.hasPayments && age < WHOLE_AFTER) return { is: 'waits' }
  if (report.receipts === null && report.sold === null) return { is: isFirst ? 'begins' : 'waits' }
  const counted = receipts.filter((receipt) => counts(report, receipt))
  const found = differences(report, counted)
  if (found.length === 0) return { is: 'balanced' }
  if (isFirst) return { is: 'begins' }
  return age < patience ? { is: 'waits' } : { is: 'differs', differences: found }
}

/** What a report does not say is not compared. */
export function differences(
  { receipts, sold }: Pick<PosReport, 'receipts' | 'sold'>,
  here: readonly PosReceipt[],
): Difference[] {
  const sides = [
    ['receipts', receipts === null ? null : parseDecimal(receipts), parseDecimal(here.length)],
    ['total', sold, sumDecimals(here.map(({ total }) => total))],
  ] as const
  return sides.flatMap(([what, pos, ours]): Difference[] =>
    pos === null || pos === ours ? [] : [{ what, pos, here: ours }],
  )
}

/** What of a report is kept to compare the next one. */
type Break = { cause: 'z-missing'; from: number; to: number } | { cause: 'z-again'; number: number }

/** What is wrong with a report after the one before it: its number must be the next one. */
export function breakBetween(previous: Link | null, { number }: PosReport): Break | null {
  const before = previous?.number ?? null
  if (before === null || number === null) return null
  if (number > before + 1) return { cause: 'z-missing', from: before + 1, to: number - 1 }
  // Another POS, or one whose memory was renewed.
  if (number === 1 || number === before + 1) return null
  return { cause: 'z-again', number }
}

interface OfPos {
  posId: string
  /** The platform's id. */
  storeId: string | null
  zone: string | null
}

function balanceGap(report: PosReport, found: readonly Difference[], at: Instant, pos: OfPos): DetectedGap {
  const lacks = (what: Difference['what']) => {
    const one = found.find((each) => each.what === what)
    return one === undefined ? null : subtractDecimals(one.pos, one.here)
  }
  const [missing, total] = [lacks('receipts'), lacks('total')]
  const evidence = {
    differs: found.map((one) => `${one.what}: ${one.pos} at the POS, ${one.here} here`).join('; '),
    ...(missing !== null && { missingReceipts: missing }),
    ...((total ?? missing) !== null && { difference: total ?? missing }),
  }
  return gap(report, 'balance', missing === null ? 'unbalanced' : 'uncounted', RECEIPT_KIND, at, evidence, pos)
}

function breakGap(report: PosReport, previous: Link, found: Break, pos: OfPos): DetectedGap {
  const { cause } = found
  const what =
    cause === 'z-again'
      ? { usedAgain: found.number }
      : { missing: found.from === found.to ? found.from : `${found.from} to ${found.to}` }
  return gap(report, cause, cause, null, previous.closedAt, { zBefore: previous.number, ...what }, pos)
}

/** Sales since the last report, long ago. */
export function unclosedGap(since: Instant, last: Link, { posId, storeId }: OfPos): DetectedGap {
  const { place, settlementId, number } = last
  const evidence = { zBefore: number, uncountedSince: new Date(since).toISOString() }
  return {
    ...{ source: 'pos', cause: 'unclosed', kind: RECEIPT_KIND, storeId, destination: null, day: null },
    subject: [place, posId, settlementId, 'unclosed'].join('/'),
    at: since,
    evidence: { pos: { store: place, pos: posId, settlementId, ...evidence } },
  }
}

function gap(
  { settlementId, place, number, closedAt, to }: PosReport,
  what: string,
  cause: Cause,
  kind: string | null,
  at: Instant,
  evidence: Record<string, string | number | null>,
  { posId, storeId }: OfPos,
): DetectedGap {
  const named = { store: place, pos: posId, z: number, settlementId, closed: new Date(closedAt).toISOString() }
  return {
    ...{ source: 'pos', kind, storeId, destination: null, day: to?.slice(0, 10) ?? null, at, cause },
    subject: [place, posId, settlementId, what].join('/'),
    evidence: { pos: { ...named, ...evidence } },
  }
}

/** True for gaps between two reports. */
export function isBreak({ subject }: Pick<DetectedGap, 'subject'>): boolean {
  const causes: readonly string[] = ['z-missing', 'z-again'] satisfies Break['cause'][]
  return causes.includes(subject.slice(subject.lastIndexOf('/') + 1))
}

/** The settlement that a gap was found at. */
export function settlementOf({ evidence }: Pick<DetectedGap, 'evidence'>): string | null {
  const id = evidence.pos?.settlementId
  return typeof id === 'string' ? id : null
}

/** What undocumented fields of a settlement mean, as words of config. */
export const MEANINGS = {
  /** The Z number: of the fiscal report (else of the settlement), of the settlement, or none for each POS. */
  number: ['report', 'batch', 'none'],
  /** Returns are counted besides receipts, or among them. */
  returns: ['apart', 'among'],
  /** Consecutive receipt numbers tell how many there are. */
  receipts: ['consecutive', 'sparse'],
} as const

export type Meanings = { readonly [Field in keyof typeof MEANINGS]: (typeof MEANINGS)[Field][number] }

/** A Z report. Null: it does not say. */
export interface PosReport {
  settlementId: string
  /** The store's number at that time, else its id. */
  place: string
  posId: string
  number: number | null
  closedAt: Instant
  /** First and last sale, store-local. */
  from: string | null
  to: string | null
  /** First and last receipt number. */
  numbers: { from: number; to: number } | null
  /** Returns included. */
  receipts: number | null
  /** Less returns, with VAT. */
  sold: Decimal | null
  /** It names its payments: a webhook may name totals alone. */
  hasPayments: boolean
}

/** Of a mirror row (`settlements`); null: without POS or time. */
export function readReport(
  { key, place, body }: StoredMirrorRow,
  meanings: Meanings,
  zone: string | null,
): PosReport | null {
  const posId = nameIn(body.posId)
  const closedAt = instantOf(nameIn(body.settledAt) ?? nameIn(body.to), zone)
  if (posId === null || place === null || closedAt === null) return null
  const fiscal = (body.fiscal as FiscalReport | null | undefined) ?? null
  const [first, last] = [wholeIn(body.receiptNoFrom), wholeIn(body.receiptNoTo)]
  const numbers = first === null || last === null || last < first ? null : { from: first, to: last }
  const wall = (name: string) => (typeof body[name] === 'string' ? clock(body[name], zone) : null)
  const number = (meanings.number === 'report' ? fiscal?.number : null) ?? body.batchNumber
  return {
    settlementId: key,
    place,
    posId,
    number: meanings.number === 'none' ? null : wholeIn(number),
    closedAt,
    from: wall('from'),
    to: wall('to'),
    numbers,
    receipts: countOf(fiscal, numbers, meanings),
    sold: (body.grandTotal as Decimal | null | undefined) ?? null,
    hasPayments: (body.payments ?? null) !== null,
  }
}

function countOf(fiscal: FiscalReport | null, numbers: PosReport['numbers'], meanings: Meanings): number | null {
  const { receipts = null, returns = null } = fiscal?.counts ?? {}
  if (receipts !== null) return meanings.returns === 'among' ? receipts : receipts + (returns ?? 0)
  return numbers === null || meanings.receipts === 'sparse' ? null : numbers.to - numbers.from + 1
}

export interface PosReceipt {
  posId: string
  no: number | null
  /** Store-local, to the second. */
  at: string
  total: Decimal
}

/** Of a mirror row (`sales`); null: without POS or time. */
export function readReceipt({ body }: Pick<StoredMirrorRow, 'body'>, zone: string | null): PosReceipt | null {
  const at = typeof body.soldAt === 'string' ? clock(body.soldAt, zone) : null
  const posId = nameIn(body.posId)
  // An imported sale is in no POS.
  if (body.external === true || at === null || posId === null) return null
  return { posId, no: wholeIn(body.receiptNo), at, total: body.total as Decimal }
}

/** Receipts known by number may be off by so much (ms): clocks that go back, a wrong clock of a POS. */
const SLACK = 3 * 3_600_000

/** True if a report counts a receipt: by number if both have one, else by time. */
export function counts(
  { from, to, numbers }: Pick<PosReport, 'from' | 'to' | 'numbers'>,
  { no, at }: PosReceipt,
): boolean {
  if (numbers === null || no === null) return from !== null && to !== null && at >= from && at <= to
  if (no < numbers.from || no > numbers.to) return false
  // Numbers may begin again with another POS of the same name.
  return from === null || to === null || (msOf(at) >= msOf(from) - SLACK && msOf(at) <= msOf(to) + SLACK)
}

/** To the second, for comparing. */
function clock(text: string, zone: string | null): string {
  return wallClockIn(text.trim(), zone).replace(' ', 'T').slice(0, 19)
}

function nameIn(value: unknown): string | null {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : null
}

function wholeIn(value: unknown): number | null {
  const text = nameIn(value)
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

function msOf(wallClock: string): number {
  return Date.parse(`${wallClock}Z`)
}
