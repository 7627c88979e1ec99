import { isWebhook } from '../../domain/queue/event.ts'
import type { EventRow } from '../../store/screens.ts'

/** The most payloads of a kind that one run looks at. */
const MOST_OF_KIND = 40

/** The most bytes of one run, and of one payload: who sends more is not looked into. */
const MOST_BYTES = 8_000_000
const LARGEST = 262_144

/**
 * The events whose payloads are looked at, in their order: what the platform itself wrote, and of a kind that came often, so many
 * spread over all of them. Pure.
 */
export function chooseEvents(rows: readonly EventRow[]): EventRow[] {
  const written = rows.filter((row) => isWebhook(row) && row.state !== 'quarantined' && row.size <= LARGEST)
  const chosen = [...Map.groupBy(written, ({ kind }) => kind).values()].flatMap(spread)
  let bytes = 0
  const inOrder = chosen.toSorted((one, other) => one.id - other.id)
  return inOrder.filter(({ size }) => {
    bytes += size
    return bytes <= MOST_BYTES
  })
}

/** The first, the last, and as many between them as there is room for. */
function spread(all: readonly EventRow[]): EventRow[] {
  if (all.length <= MOST_OF_KIND) return [...all]
  const step = (all.length - 1) / (MOST_OF_KIND - 1)
  return Array.from({ length: MOST_OF_KIND }, (_, nth) => all[Math.round(nth * step)]).flatMap((row) => row ?? [])
}
