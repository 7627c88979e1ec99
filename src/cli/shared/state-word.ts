import { styleText } from 'node:util'
import type { HealthItem } from '../../domain/health/health.ts'

const STYLES = { ok: 'green', note: 'yellow', problem: 'red', unknown: 'red' } as const

/** The beginning of a line of `status` or `doctor`: how it is, in its colour, as wide as the longest. */
export function stateWord(state: HealthItem['state']): string {
  return styleText(STYLES[state], state.padEnd('problem'.length))
}
