import { type Decimal, sumDecimals } from '../../values/money.ts'
import { addedUp } from './named-sum.ts'
import type { TillReport } from './report.ts'
import { isFolded } from './span.ts'

/** Reports that are held against their receipts together. */
export type Group = readonly [TillReport, ...TillReport[]]

/**
 * Reports of one till, in order, as groups. Where one was made in the hour that clocks show twice, and receipts go by their time,
 * nobody can tell which of them is before it and which behind: it is judged with the next one.
 */
export function groupsOf(reports: readonly TillReport[], zone: string | null): Group[] {
  const groups: [TillReport, ...TillReport[]][] = []
  for (const report of reports) {
    const last = groups.at(-1)
    if (last !== undefined && isUnclear(last.at(-1)?.to ?? null, report.from, report, zone)) last.push(report)
    else groups.push([report])
  }
  return groups
}

/** Whether a group ends in such an hour: it waits for what comes next. */
export function endsUnclear(group: Group, zone: string | null): boolean {
  const { numbers, to } = group.at(-1) ?? group[0]
  return numbers === null && to !== null && isFolded(to, zone)
}

function isUnclear(to: string | null, from: string | null, { numbers }: TillReport, zone: string | null): boolean {
  return numbers === null && [to, from].some((at) => at !== null && isFolded(at, zone))
}

/** A group as one report: its last one, with what all of them say. */
export function joined(group: Group): TillReport {
  const [first] = group
  const last = group.at(-1) ?? first
  if (group.length === 1) return first
  const sum = (values: readonly (Decimal | null)[]) => (isFull(values) ? sumDecimals(values) : null)
  const payments = group.map((one) => one.payments)
  const rates = group.map((one) => one.rates)
  const receipts = group.map((one) => one.receipts)
  return {
    ...last,
    // Clocks went back between them: the first of their times may be that of the last report.
    from: outermost(group.map(({ from }) => from)).at(0) ?? null,
    to: outermost(group.map(({ to }) => to)).at(-1) ?? null,
    numbers: null,
    receipts: isFull(receipts) ? receipts.reduce<number>((total, count) => total + (count ?? 0), 0) : null,
    sold: sum(group.map(({ sold }) => sold)),
    payments: isFull(payments) ? addedUp(payments) : null,
    rates: isFull(rates) ? rates.flat() : null,
    isWhole: group.every(({ isWhole }) => isWhole),
  }
}

function isFull<Value>(values: readonly (Value | null)[]): values is readonly Value[] {
  return values.every((value) => value !== null)
}

function outermost(times: readonly (string | null)[]): string[] {
  return times.flatMap((time) => time ?? []).sort()
}
