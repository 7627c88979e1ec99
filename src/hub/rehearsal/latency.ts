import { percentile } from '../../domain/rehearsal/percentile.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { StoreReading } from '../../store/reading/open-reading.ts'

/** How many deliveries of a destination are looked at. */
const SAMPLE = 50

/** How long calls to a destination took in a stretch of time (median, milliseconds); null: none is recorded. */
export async function recordedLatency(
  reading: Pick<StoreReading, 'deliveries' | 'delivery'>,
  destination: string,
  span: { since: Instant; until: Instant },
): Promise<number | null> {
  const rows = await reading.deliveries({ destination, state: 'delivered', ...span, limit: SAMPLE })
  const took: number[] = []
  for (const { id } of rows) {
    const attempts = (await reading.delivery(id))?.attempts ?? []
    // What was proven, or only recorded, was no call.
    took.push(...attempts.filter(({ code }) => code === 'delivered').map(({ ms }) => ms))
  }
  return took.length === 0 ? null : percentile(took, 0.5)
}
