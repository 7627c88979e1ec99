import type { KindAcknowledged } from '../../domain/drift/acknowledged.ts'
import { driftText } from '../../domain/health/drift-text.ts'
import type { SeenDrift } from '../../domain/health/payload-health.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { dayOf, when } from '../shared/times.ts'

/** How many drifts are listed. */
const MOST_DRIFTS = 20

/** The newest of what payloads had that none had before. */
export function driftLines(drifts: readonly SeenDrift[] = []): string[] {
  if (drifts.length === 0) return []
  const lines = drifts.slice(-MOST_DRIFTS).map((drift) => {
    const { at, event, breaks, flows } = drift
    const touched = flows.length === 0 ? 'touches no flow' : `touches ${flows.join(', ')}`
    return oneLine(
      `  ${dayOf(at)}: ${driftText(drift)}; first in event ${event}; ${touched}${breaks ? '; the hub reads this field' : ''}`,
    )
  })
  const more = drifts.length - lines.length
  return ['Its payloads had what none had before:', ...(more > 0 ? [`  … and ${more} older ones.`] : []), ...lines]
}

/** Who said last that what has changed is in order. */
export function acknowledgedLines(acknowledged: KindAcknowledged | null = null): string[] {
  if (acknowledged === null) return []
  const { at, by, reason } = acknowledged
  return [oneLine(`Acknowledged until ${when(at)} by ${by}${reason === null ? '' : `: ${reason}`}.`)]
}
