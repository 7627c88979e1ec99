import type { CompleteThere } from '../../domain/ledger/destination/held-there.ts'
import { table } from '../shared/table.ts'
import { when } from '../shared/times.ts'

/** Things that destinations have of what they were given, as a table; none: nobody was asked. */
export function thereTable(destinations: readonly CompleteThere[]): string[] {
  if (destinations.length === 0) return []
  const rows = destinations.map(({ name, from, until, verdict, gaps, open, cannot, problem }) => [
    name,
    from === null ? null : when(from),
    until === null ? null : when(until),
    cannot === null ? verdict : 'cannot be asked',
    gaps === 0 ? null : gaps,
    open === 0 ? null : open,
    cannot ?? problem,
  ])
  return ['', table(['destination', 'asked from', 'until', '', 'gaps', 'open', ''], rows, '')]
}

/** Both sides of one destination, day by day. */
export function dayTable({ name, days }: CompleteThere): string {
  const rows = days.map(({ day, flow, currency, given, there, unknown, givenSum, thereSum }) => [
    ...[day, flow, given, there, unknown === 0 ? null : unknown],
    ...(currency === null ? [null, null, null] : [givenSum, thereSum, currency]),
  ])
  const head = ['day', 'flow', 'given', 'there', 'unknown', 'sum given', 'sum there', '']
  return table(head, rows, `${name} was not asked for anything yet.`)
}
