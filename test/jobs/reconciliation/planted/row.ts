import type { Cause, ReconciliationSource } from '../../../../src/domain/completeness/gap.ts'
import type { Planted, Soil } from './planted-kit.ts'

/** A loss, how it comes about, and what becomes of it. */
export interface Loss {
  what: string
  /** The source that finds it, the cause that it names, and the kind that it is of (null: of none). */
  source: ReconciliationSource
  cause: Cause
  kind: string | null
  soil?: Soil
  plant(the: Planted): Promise<void>
  /** Commands, as `gaps show` names them or the documentation does, before the second scan. */
  repair?(the: Planted, id: number): Promise<void>
  /** The state of the gap after two scans, and why. */
  ends: 'repaired' | 'explained'
  because?: string
}
