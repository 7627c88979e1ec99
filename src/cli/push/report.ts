import { oneLine } from '../shared/harmless-text.ts'
import { grouped } from '../shared/progress.ts'
import type { FailedLine, LineFaults, Rehearsed } from './hub.ts'

/** How a push ended; its lines are those of the file. It is also what --json prints. */
export interface Report {
  file: string
  resource: string
  idempotencyKey: string
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

/** How many of a list are shown. */
const EXAMPLES = 3
const SHOWN = 20

export function isWell({ submission, refused, failed, deliveries, unrouted }: Report): boolean {
  const bad = refused + unrouted + failed.length + (deliveries?.dead ?? 0) + (deliveries?.held ?? 0)
  return submission !== null && bad === 0
}

export function reportText(report: Report): string {
  const { submission, accepted, duplicates, refused, faults, deliveries, unrouted, failed } = report
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

export function rehearsalText({ accepted, refused, faults, warnings = [], warningCounts = {} }: Rehearsed): string {
  const sorts = new Set([...Object.keys(warningCounts), ...warnings.map(({ sort }) => sort)])
  return [
    `${grouped(accepted)} would be taken, ${grouped(refused)} refused. Nothing was taken.`,
    ...faultsText('Faults:', refused, faults),
    ...(sorts.size > 0 ? ['Taken all the same, though the till or reports will miss it:'] : []),
    ...[...sorts].flatMap((sort) => {
      const said = warnings.flatMap((one) => (one.sort === sort ? [lineText(one.line, one.text)] : []))
      return groupText(sort, warningCounts[sort] ?? said.length, said)
    }),
  ].join('\n')
}

/** Faults by what is wrong, the most frequent first. */
function faultsText(head: string, count: number, all: readonly LineFaults[]): string[] {
  if (count === 0) return []
  const said = all.flatMap(({ line, faults }) =>
    faults.map((fault) => ({ sort: sortOf(fault), text: lineText(line, fault) })),
  )
  const groups = [...Map.groupBy(said, ({ sort }) => sort)].sort(([, a], [, b]) => b.length - a.length)
  const untold = count - all.length
  return [
    head,
    ...groups.flatMap(([sort, ofSort]) => {
      const texts = ofSort.map(({ text }) => text)
      return texts.length === 1 ? texts.map((text) => `  ${text}`) : groupText(sort, texts.length, texts)
    }),
    ...(untold > 0 ? [`  … and ${grouped(untold)} more that the hub does not list`] : []),
  ]
}

function groupText(sort: string, count: number, texts: readonly string[]): string[] {
  const shown = texts.slice(0, EXAMPLES)
  const more = count - shown.length
  return [
    `  ${grouped(count)} × ${oneLine(sort)}`,
    ...shown.map((text) => `    ${text}`),
    ...(more > 0 ? [`    … and ${grouped(more)} more`] : []),
  ]
}

function lineText(line: number | null | undefined, text: string): string {
  return oneLine(line ? `line ${line}: ${text}` : text)
}

/** Quotes, places in a list, and what was found differ from line to line. */
function sortOf(fault: string): string {
  return withoutFound(fault)
    .replace(/\[\d+\]/g, '[]')
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\bline \d+\b:?/gi, 'line …')
    .replace(/\d+(\.\d+)?/g, 'n')
}

/** `x: found 17, expected a text` → `x: expected a text`. */
function withoutFound(fault: string): string {
  const found = fault.indexOf('found ')
  const expected = fault.indexOf(', expected ', found)
  return found < 0 || expected < 0 ? fault : fault.slice(0, found) + fault.slice(expected + 2)
}

const STATES: Readonly<Record<string, string>> = {
  delivered: 'delivered',
  unchanged: 'unchanged',
  superseded: 'replaced by newer ones',
  dead: 'failed',
  held: 'held for a person',
  skipped: 'skipped by a person',
  waiting: 'waiting',
}

function stateText(states: Record<string, number>): string {
  return Object.entries({ ...Object.fromEntries(Object.keys(STATES).map((name) => [name, 0])), ...states })
    .filter(([state, count]) => count > 0 || state === 'delivered')
    .map(([state, count]) => `${grouped(count)} ${STATES[state] ?? state}`)
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
