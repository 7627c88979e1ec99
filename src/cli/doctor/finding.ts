import type { HealthItem } from '../../domain/health/health.ts'
import { sentence } from '../../domain/values/text.ts'
import { stateWord } from '../look/health-text.ts'
import { ownLines } from '../shared/harmless-text.ts'

/**
 * The finding of one check. `note`: nothing is wrong, but it is worth knowing, or there was nothing yet to look at. `unknown`: it could
 * not be asked, though it should be there.
 */
export interface Finding {
  check:
    | 'hub'
    | 'system'
    | 'config'
    | 'store'
    | 'platform'
    | 'credentials'
    | 'stores'
    | 'preset'
    | 'price lists'
    | 'kinds'
    | 'fields'
    | 'schemas'
    | 'subscriptions'
    | 'event id'
    | 'endpoints'
    | 'rows'
    | 'orders'
    | 'destinations'
  state: HealthItem['state']
  /** In plain words, without secret and without personal data. */
  says: string
  /** Advice for a person. */
  todo?: string
}

/** The worst of what a check found, as one finding: faults first, then what is merely worth knowing, else `fine`. */
export function finding(
  check: Finding['check'],
  { fine, faults = [], remarks = [], todo }: { fine: string; faults?: string[]; remarks?: string[]; todo?: string },
): Finding {
  const state = faults.length > 0 ? 'problem' : remarks.length > 0 ? 'note' : 'ok'
  const says = [fine, ...faults, ...remarks].join(' ').replaceAll(' \n', '\n')
  return { check, state, says, ...(faults.length > 0 && todo !== undefined && { todo }) }
}

/** One line a finding. */
export function findingLine({ check, state, says, todo }: Finding): string {
  const words = todo === undefined ? says : `${says} To do: ${todo}`
  return `${stateWord(state)}  ${check.padEnd(13)}  ${ownLines(words)}`
}

/** An error as a sentence. */
export function sentenceOf(error: unknown): string {
  return sentence(error instanceof Error ? error.message : String(error))
}
