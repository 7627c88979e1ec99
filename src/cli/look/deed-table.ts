import type { Deed } from '../../store/screens.ts'
import { table } from '../shared/table.ts'
import { when } from '../shared/times.ts'

/** The acts of people on one thing. */
export function deedTable(deeds: readonly (Deed & { delivery?: number | null })[], none: string): string {
  return table(
    ['act', 'when', 'who', 'did', 'why', ''],
    deeds.map(({ act, at, by, action, reason, changed, delivery }) => [
      act,
      when(at),
      by,
      action,
      reason,
      [delivery && `delivery ${delivery}`, changed > 1 && `one of ${changed}`].filter(Boolean).join(', '),
    ]),
    none,
  )
}
