import { oneLine } from '../shared/harmless-text.ts'
import type { LineFaults } from './answers.ts'

/** The same thing wrong in many lines. */
export interface FaultGroup {
  /** The fault, without what stands in the single line. */
  sort: string
  count: number
  /** The first of them, as lines of the file. */
  examples: { line: number; fault: string }[]
}

/** Faults by what is wrong, the most frequent first. Pure. */
export function groupFaults(faults: readonly LineFaults[]): FaultGroup[] {
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
export function groupText({ sort, count, examples }: FaultGroup): string {
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
