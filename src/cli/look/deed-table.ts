import type { Deed } from '../../store/screens.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { when } from '../shared/times.ts'

type Shown = Deed & { delivery?: number | null }

const DEEDS: Columns<Shown> = {
  act: 'act',
  when: ({ at }) => when(at),
  who: 'by',
  did: 'action',
  why: 'reason',
  '': ({ delivery, changed }) =>
    [delivery && `delivery ${delivery}`, changed > 1 && `one of ${changed}`].filter(Boolean).join(', '),
}

/** The acts of people on one thing. */
export function deedTable(deeds: readonly Shown[], none: string): string {
  return tableOf(DEEDS, deeds, none)
}
