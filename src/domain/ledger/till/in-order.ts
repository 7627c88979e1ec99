import type { TillReport } from './report.ts'
import { isFolded } from './span.ts'

/** Reports of one till in the order in which they were made. In the hour that comes twice, their numbers tell which was first. */
export function inOrder(reports: readonly TillReport[], zone: string | null): TillReport[] {
  const sorted = reports.toSorted((a, b) => a.closedAt - b.closedAt || (a.number ?? 0) - (b.number ?? 0))
  for (let at = 1; at < sorted.length; at += 1) {
    const [one, next] = [sorted[at - 1], sorted[at]]
    if (one === undefined || next === undefined || !isFoldedPair(one, next, zone)) continue
    if (one.number !== null && next.number !== null && next.number === one.number - 1) {
      sorted[at - 1] = next
      sorted[at] = one
    }
  }
  return sorted
}

function isFoldedPair(one: TillReport, next: TillReport, zone: string | null): boolean {
  return [one, next].some(({ from, to }) => [from, to].some((at) => at !== null && isFolded(at, zone)))
}
