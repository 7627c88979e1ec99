import { styleText } from 'node:util'
import type { Machine } from './machine.ts'
import type { PartResult } from './part.ts'

const COLUMNS = ['part', 'per second', 'ratio', 'p50 ms', 'p99 ms', 'max ms', 'verdict'] as const

/** The results for a person: a row for each part, then what it had to reach and what else was seen. */
export function formatTable(machine: Machine, results: PartResult[]): string {
  const rows = [[...COLUMNS], ...results.map(row)]
  const widths = COLUMNS.map((_column, index) => Math.max(...rows.map((cells) => cells[index]?.length ?? 0)))
  const table = rows.map((cells) => cells.map((cell, index) => pad(cell, widths[index] ?? 0, index)).join('  '))
  const { cpu, cores, memoryGb, node, loadAverage, folder, fsyncMs } = machine
  const head = `${cpu}, ${cores} cores (load ${loadAverage}), ${memoryGb} GB, Node ${node}, data in ${folder} (fsync ${fsyncMs} ms)`
  return [head, ...(machine.store === null ? [] : [machine.store]), '', ...table, '', ...results.flatMap(remarks)].join(
    '\n',
  )
}

function row({ part, ratio, perSecond, p50Ms, p99Ms, maxMs, missed, wrong, below }: PartResult): string[] {
  const verdict = wrong.length > 0 ? 'WRONG' : missed.length > 0 ? 'MISSED' : below.length > 0 ? 'floor' : 'ok'
  const shown = ratio === undefined ? '' : ratio.toFixed(3)
  return [part, String(Math.round(perSecond)), shown, ...[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)), verdict]
}

function remarks({ part, floor, goal, missed, below, notes }: PartResult): string[] {
  return [
    styleText('bold', part),
    `  floor: ${floor || 'none on this store'}${goal && `; goal: ${goal}`}`,
    ...missed.map((text) => styleText('red', `  missed: ${text}`)),
    ...below.map((text) => styleText('yellow', `  below the goal: ${text}`)),
    ...notes.map((note) => `  ${note}`),
  ]
}

function pad(text: string, width: number, index: number): string {
  return index === 0 || index === COLUMNS.length - 1 ? text.padEnd(width) : text.padStart(width)
}
