import type { LineFaults } from '../../store/screens.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { grouped } from '../shared/progress.ts'

/** How a push ended; its lines are those of the file. It is also what --json prints. */
export interface Report {
  file: string
  resource: string
  idempotencyKey: string
  /** Null: nothing was taken. */
  submission: number | null
  items: number
  accepted: number
  /** Taken before, by this very key. */
  duplicates: number
  refused: number
  faults: LineFaults[]
  /** How many are in which state; null: not waited for. */
  deliveries: Record<string, number> | null
  unrouted: number
  failed: FailedLine[]
}

/** The same with nothing taken. A warning without a line is of the whole. */
export interface Rehearsed extends Pick<Report, 'accepted' | 'refused' | 'faults'> {
  warnings?: { line?: number | null; sort: string; text: string }[]
  /** How many there are of each sort. */
  warningCounts?: Record<string, number>
}

export interface FailedLine {
  line: number
  entity?: string | null
  state: string
  code?: string | null
  why?: string | null
}

/** How many of a sort are shown, and how many that failed. */
const EXAMPLES = 3
const SHOWN = 20

/** A report, or what a dry run would have given, for people. */
export function reportText(report: Report | Rehearsed): string {
  const { accepted, refused, faults } = report
  if (!('submission' in report))
    return [
      `${grouped(accepted)} would be taken, ${grouped(refused)} refused. Nothing was taken.`,
      ...faultsText('Faults:', refused, faults),
      ...warningsText(report),
    ].join('\n')
  const { submission, duplicates, deliveries, unrouted, failed } = report
  // Customers go to the hub's own directory, too.
  const [where, nobody] =
    report.resource === 'customers'
      ? ['Deliveries', 'the config has neither a platform nor lookups.customers, which keeps the directory']
      : ['Platform', 'the config has none for the platform']
  const before = duplicates > 0 ? `, ${grouped(duplicates)} were taken before` : ''
  return [
    submission === null
      ? 'Nothing was taken.'
      : `Submission ${submission}: ${grouped(accepted)} taken${before}, ${grouped(refused)} refused.`,
    ...faultsText(`${grouped(refused)} refused, not sent on:`, refused, faults),
    ...(deliveries && submission !== null ? [`${where}: ${stateText(deliveries)}.`] : []),
    ...(unrouted > 0 ? [`${grouped(unrouted)} wanted by no destination: ${nobody}.`] : []),
    ...failedText(failed),
  ].join('\n')
}

function warningsText({ warnings = [], warningCounts = {} }: Rehearsed): string[] {
  const sorts = new Set([...Object.keys(warningCounts), ...warnings.map(({ sort }) => sort)])
  if (sorts.size === 0) return []
  const groups = [...sorts].flatMap((sort) => {
    const said = warnings.flatMap((one) => (one.sort === sort ? [lineText(one.line, one.text)] : []))
    return groupText(sort, warningCounts[sort] ?? said.length, said)
  })
  return ['Taken all the same, though the till or reports will miss it:', ...groups]
}

/** Faults by what is wrong, the most frequent first. */
function faultsText(head: string, count: number, all: readonly LineFaults[]): string[] {
  if (count === 0) return []
  const said = all.flatMap(({ line, faults }) => faults.map((fault) => [sortOf(fault), lineText(line, fault)] as const))
  const groups = [...Map.groupBy(said, ([sort]) => sort)].sort(([, a], [, b]) => b.length - a.length)
  const untold = count - all.length
  return [
    head,
    ...groups.flatMap(([sort, ofSort]) => {
      const texts = ofSort.map(([, text]) => text)
      return texts.length === 1 ? [`  ${texts[0]}`] : groupText(sort, texts.length, texts)
    }),
    ...(untold > 0 ? [`  … and ${grouped(untold)} more that the hub does not list`] : []),
  ]
}

function groupText(sort: string, count: number, texts: readonly string[]): string[] {
  const shown = texts.slice(0, EXAMPLES).map((text) => `    ${text}`)
  const more = count - shown.length
  return [`  ${grouped(count)} × ${oneLine(sort)}`, ...shown, ...(more > 0 ? [`    … and ${grouped(more)} more`] : [])]
}

function lineText(line: number | null | undefined, text: string): string {
  return oneLine(line ? `line ${line}: ${text}` : text)
}

/** Quotes, places in a list, and what was found differ from line to line: `x: found 17, expected a text` → `x: expected a text`. */
function sortOf(fault: string): string {
  const found = fault.indexOf('found ')
  const expected = fault.indexOf(', expected ', found)
  return (found < 0 || expected < 0 ? fault : fault.slice(0, found) + fault.slice(expected + 2))
    .replace(/\[\d+\]/g, '[]')
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\bline \d+\b:?/gi, 'line …')
    .replace(/\d+(\.\d+)?/g, 'n')
}

const STATES: Readonly<Record<string, string>> = {
  delivered: 'delivered',
  superseded: 'replaced by newer ones',
  dead: 'failed',
  held: 'held for a person',
  skipped: 'skipped by a person',
}

function stateText(states: Record<string, number>): string {
  return Object.keys({ ...STATES, ...states })
    .filter((state) => states[state] || state === 'delivered')
    .map((state) => `${grouped(states[state] ?? 0)} ${STATES[state] ?? state}`)
    .join(', ')
}

function failedText(failed: readonly FailedLine[]): string[] {
  if (failed.length === 0) return []
  const more = failed.length - SHOWN
  return [
    'Failed:',
    ...failed.slice(0, SHOWN).map(({ line, entity, state, why, code }) => {
      const said = `${state === 'held' ? 'held: ' : ''}${why ?? code ?? state}`
      return oneLine(`  line ${line}${entity ? ` (${entity})` : ''}: ${said}`)
    }),
    ...(more > 0 ? [`  … and ${grouped(more)} more; --json has them`] : []),
    'They are in "tillbridge deliveries list --state dead", and can be retried from there.',
  ]
}
