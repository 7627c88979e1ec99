import { oneLine } from '../shared/harmless-text.ts'
import { grouped } from '../shared/progress.ts'
import type { FailedLine, LineFaults, Rehearsed } from './hub.ts'

/** How a push ended; its lines are those of the file. It is also what --json prints. */
export interface Report {
  file: string
  resource: string
  idempotencyKey: string
  submission: number | null
  /** Items of the file. */
  items: number
  accepted: number
  /** Taken before, by this very key. */
  duplicates: number
  refused: number
  faults: LineFaults[]
  /** Null: not waited for, or there was nothing to wait for. */
  deliveries: Record<string, number> | null
  unrouted: number
  failed: FailedLine[]
}

/** Whether all went well. */
export function isWell({ submission, refused, failed, deliveries, unrouted }: Report): boolean {
  const bad = (deliveries?.dead ?? 0) + (deliveries?.held ?? 0)
  return submission !== null && refused === 0 && failed.length === 0 && bad === 0 && unrouted === 0
}

/** The report for people. */
export function reportText(report: Report): string {
  const { submission, accepted, duplicates, refused, faults, deliveries, unrouted, failed } = report
  // Customers go to the hub's own directory, too.
  const ofCustomers = report.resource === 'customers'
  const before = duplicates > 0 ? `, ${grouped(duplicates)} were taken before` : ''
  return [
    submission === null
      ? 'Nothing was taken.'
      : `Submission ${submission}: ${grouped(accepted)} taken${before}, ${grouped(refused)} refused.`,
    ...section(`${grouped(refused)} refused, not sent on:`, refused, faults),
    ...(deliveries === null || submission === null
      ? []
      : [`${ofCustomers ? 'Deliveries' : 'Platform'}: ${stateText(deliveries)}.`]),
    ...(unrouted > 0
      ? [`${grouped(unrouted)} wanted by no destination: ${ofCustomers ? NO_CUSTOMERS : NO_PLATFORM}.`]
      : []),
    ...failedText(failed),
  ].join('\n')
}

const NO_PLATFORM = 'the config has none for the platform'
const NO_CUSTOMERS = 'the config has neither a platform nor lookups.customers, which keeps the directory'

/** The findings of a rehearsal, for people. */
export function rehearsalText({ accepted, refused, faults, warnings = [], warningCounts = {} }: Rehearsed): string {
  const warned = Object.values(warningCounts).reduce((sum, count) => sum + count, 0) || warnings.length
  return [
    `${grouped(accepted)} would be taken, ${grouped(refused)} refused. Nothing was taken.`,
    ...section('Faults:', refused, faults),
    ...(warned > 0 ? [WARNINGS, ...warningText(warnings, warningCounts)] : []),
  ].join('\n')
}

const WARNINGS = 'Taken all the same, though the till or reports will miss it:'

function section(head: string, count: number, faults: readonly LineFaults[]): string[] {
  if (count === 0) return []
  const untold = count - faults.length
  return [
    head,
    ...groupFaults(faults).map(groupText),
    ...(untold > 0 ? [`  … and ${grouped(untold)} more that the hub does not list`] : []),
  ]
}

function warningText(warnings: NonNullable<Rehearsed['warnings']>, counts: Record<string, number>): string[] {
  const sorts = [...new Set([...Object.keys(counts), ...warnings.map(({ sort }) => sort)])]
  return sorts.flatMap((sort) => {
    const ofSort = warnings.filter((one) => one.sort === sort)
    const shown = ofSort.slice(0, 3)
    const count = counts[sort] ?? ofSort.length
    return [
      oneLine(`  ${grouped(count)} × ${sort}`),
      ...shown.map(({ line, text }) => oneLine(`    ${line ? `line ${line}: ` : ''}${text}`)),
      ...(count > shown.length ? [`    … and ${grouped(count - shown.length)} more`] : []),
    ]
  })
}

function stateText(states: Record<string, number>): string {
  const told = STATES.filter(([state]) => state === 'delivered' || (states[state] ?? 0) > 0)
  const more = Object.keys(states).filter((state) => STATES.every(([name]) => name !== state) && states[state])
  return [
    ...told.map(([state, word]) => `${grouped(states[state] ?? 0)} ${word}`),
    ...more.map((state) => `${grouped(states[state] ?? 0)} ${state}`),
  ].join(', ')
}

const STATES = [
  ['delivered', 'delivered'],
  ['unchanged', 'unchanged'],
  ['superseded', 'replaced by newer ones'],
  ['dead', 'failed'],
  ['held', 'held for a person'],
  ['skipped', 'skipped by a person'],
  ['waiting', 'waiting'],
] as const

function failedText(failed: readonly FailedLine[]): string[] {
  if (failed.length === 0) return []
  const shown = failed.slice(0, SHOWN)
  return [
    'Failed:',
    ...shown.map(({ line, entity, state, why, code }) => {
      const about = entity ? ` (${entity})` : ''
      return oneLine(`  line ${line}${about}: ${state === 'held' ? 'held: ' : ''}${why ?? code ?? state}`)
    }),
    ...(failed.length > shown.length ? [`  … and ${grouped(failed.length - shown.length)} more; --json has them`] : []),
    'They are in "tillbridge deliveries list --state dead", and can be retried from there.',
  ]
}

const SHOWN = 20

/** The same thing wrong in many lines. */
interface FaultGroup {
  /** The fault, without what stands in the single line. */
  sort: string
  count: number
  /** The first of them, as lines of the file. */
  examples: { line: number; fault: string }[]
}

/** Faults by what is wrong, the most frequent first. Pure. */
function groupFaults(faults: readonly LineFaults[]): FaultGroup[] {
  const groups = new Map<string, FaultGroup>()
  for (const { line, faults: ofLine } of faults)
    for (const fault of ofLine) {
      const sort = sortOf(fault)
      const group = groups.get(sort) ?? { sort, count: 0, examples: [] }
      group.count += 1
      if (group.examples.length < EXAMPLES) group.examples.push({ line, fault })
      groups.set(sort, group)
    }
  return [...groups.values()].sort((a, b) => b.count - a.count)
}

/** Groups as lines of text. */
function groupText({ sort, count, examples }: FaultGroup): string {
  const [only] = examples
  if (count === 1 && only) return `  line ${only.line}: ${oneLine(only.fault)}`
  const rest = count > examples.length ? [`    … and ${count - examples.length} more`] : []
  return [
    `  ${count} × ${oneLine(sort)}`,
    ...examples.map(({ line, fault }) => `    line ${line}: ${oneLine(fault)}`),
    ...rest,
  ].join('\n')
}

const EXAMPLES = 3

/** The sort of a fault: quotes, places in a list, and what was found differ from line to line. */
function sortOf(fault: string): string {
  return withoutFound(fault.replace(/\[\d+\]/g, '[]'))
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\b[Ll]ine \d+\b:?/g, 'line …')
    .replace(/\d+(\.\d+)?/g, 'n')
}

function withoutFound(fault: string): string {
  const found = fault.search(/\bfound /)
  const end = found < 0 ? -1 : fault.indexOf(', expected ', found)
  return end < 0 ? fault : fault.slice(0, found) + fault.slice(end + 2)
}
