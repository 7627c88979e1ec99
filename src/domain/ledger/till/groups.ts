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
