import { sumDecimals } from '../../values/money.ts'
import { isFolded, type TillReport } from './report.ts'

/** Reports that are held against their receipts together. */
export type Group = readonly [TillReport, ...TillReport[]]

/** Reports of one till in the order in which they were made. In the hour that comes twice, their numbers tell which was first. */
export function inOrder(reports: readonly TillReport[], zone: string | null): TillReport[] {
  const sorted = reports.toSorted((a, b) => a.closedAt - b.closedAt || (a.number ?? 0) - (b.number ?? 0))
  for (let at = 1; at < sorted.length; at += 1) {
    const [one, next] = [sorted[at - 1], sorted[at]]
    if (one === undefined || next === undefined || ![one, next].some((each) => touchesFold(each, zone))) continue
    if (one.number !== null && next.number !== null && next.number === one.number - 1) {
      sorted[at - 1] = next
      sorted[at] = one
    }
  }
  return sorted
}

/**
 * Reports of one till, in order, as groups. Where one was made in the hour that clocks show twice, and receipts go by their time,
 * nobody can tell which of them is before it and which behind: it is judged with the next one.
 */
export function groupsOf(reports: readonly TillReport[], zone: string | null): Group[] {
  const groups: [TillReport, ...TillReport[]][] = []
  for (const report of reports) {
    const last = groups.at(-1)
    const ends = [last?.at(-1)?.to ?? null, report.from]
    const isUnclear = report.numbers === null && ends.some((at) => at !== null && isFolded(at, zone))
    if (last !== undefined && isUnclear) last.push(report)
    else groups.push([report])
  }
  return groups
}

/** Whether a group ends in such an hour: it waits for what comes next. */
export function endsUnclear(group: Group, zone: string | null): boolean {
  const { numbers, to } = group.at(-1) ?? group[0]
  return numbers === null && to !== null && isFolded(to, zone)
}

/** A group as one report: its last one, with what all of them say. */
export function joined(group: Group): TillReport {
  const [first] = group
  const last = group.at(-1) ?? first
  if (group.length === 1) return first
  const receipts = group.flatMap((one) => one.receipts ?? [])
  const sold = group.flatMap((one) => one.sold ?? [])
  return {
    ...last,
    // Clocks went back between them: the first of their times may be that of the last report.
    from: timesOf(group.map(({ from }) => from)).at(0) ?? null,
    to: timesOf(group.map(({ to }) => to)).at(-1) ?? null,
    numbers: null,
    receipts: receipts.length === group.length ? receipts.reduce((total, count) => total + count, 0) : null,
    sold: sold.length === group.length ? sumDecimals(sold) : null,
    isWhole: group.every(({ isWhole }) => isWhole),
  }
}

function touchesFold({ from, to }: TillReport, zone: string | null): boolean {
  return [from, to].some((at) => at !== null && isFolded(at, zone))
}

function timesOf(times: readonly (string | null)[]): string[] {
  return times.flatMap((time) => time ?? []).sort()
}
