import type { Instant } from '../values/instant.ts'
import type { HealthItem } from './health.ts'

/** Why lines of the log do not get where they go. */
export interface LogTrouble {
  /** A code of the system (`ENOSPC`); null: whoever takes them does not read on. */
  code: string | null
  since: Instant
  /** Lines that were lost. */
  lost: number
}

/** Null: lines get out. */
export function logHealth(trouble: LogTrouble | null): HealthItem[] {
  if (trouble === null) return []
  const { code, since, lost } = trouble
  const why = code === null ? 'Whoever takes the log does not read on' : `The log cannot be written (${code})`
  const means = `${why}${lost > 0 ? `, and ${lost.toLocaleString('en-GB')} lines of it are lost` : ''}. The hub works on without; alarms that nobody is sent stand in it alone.`
  return [{ area: 'log', name: 'log', state: 'problem', since, means, todo: todoOf(code) }]
}

function todoOf(code: string | null): string {
  if (code === 'EPIPE') return 'Whatever took the log has ended: restart the hub together with it.'
  if (code === null) return 'See to what takes the standard output of the hub; what waits is then written.'
  return 'df -h: make room where the standard output of the hub goes; what waits is then written.'
}
