import { styleText } from 'node:util'
import { type HealthItem, nameOf } from '../../domain/health/health.ts'
import { ownLines } from '../shared/harmless-text.ts'
import { ago, inSoLong } from '../shared/times.ts'

/** The meaning of the exit code of a command that looks at health. */
export const EXIT_CODES =
  '\nIt ends with 0 where all is well, 1 where something needs a person, 2 where nobody can tell (no hub answers).'

const ORDER = ['problem', 'unknown', 'note', 'ok'] as const

/** Items that are not simply well, the worst first; and that nothing needs a person, where nothing does. */
export function healthText(items: readonly HealthItem[], now: number): string {
  const told = items.filter(({ state }) => state !== 'ok').toSorted((a, b) => rank(a) - rank(b))
  const isWell = told.every(({ state }) => state === 'note')
  return [...(isWell ? ['Nothing needs a person.'] : []), ...told.map((item) => healthLine(item, now))].join('\n')
}

/** One line: how it is, what it means, since when, what to do. */
function healthLine(item: HealthItem, now: number): string {
  const { state, since, next, means, todo } = item
  const words = [
    means,
    ...(since === null || state === 'ok' ? [] : [`For ${ago(since, now)}.`]),
    ...(next === undefined || state === 'ok' ? [] : [`Next try ${inSoLong(next, now)}.`]),
    ...(todo === null ? [] : [`To do: ${todo}`]),
  ]
  return `${stateWord(state)}  ${nameOf(item)}: ${ownLines(words.join(' '))}`
}

function rank({ state }: HealthItem): number {
  return ORDER.indexOf(state)
}

const STYLES = { ok: 'green', note: 'yellow', problem: 'red', unknown: 'red' } as const

/** The beginning of a line of `status` or `doctor`: how it is, in its colour, as wide as the longest. */
export function stateWord(state: HealthItem['state']): string {
  return styleText(STYLES[state], state.padEnd('problem'.length))
}
