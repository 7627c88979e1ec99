import type { StoreIndex } from '../domain/places/store-index.ts'
import { dayClose, dayIn } from '../domain/values/store-time.ts'
import type { Planned, Step } from '../flows/flow.ts'
import { storeRefOf } from '../payloads/store-ref.ts'

/** Flows whose steps a destination gets together, a day of a store at a time. */
export interface Daily {
  /** Names of the flows. */
  flows: readonly string[]
  /** When the day before is closed, on the wall clock of the store: `03:00`. */
  closes: string
}

/** Where nobody knows the store's zone, its day is that of UTC. */
const UTC = 'UTC'

/** A day is over within two days of its begin, wherever it is: one that closes later has not begun, on the clock of anybody but the till. */
const FARTHEST = 3 * 24 * 3_600_000

/** The fields that make a step one of its store's day: due when the day has closed, at once if it has, or if it is far ahead. */
export function gathered(
  { kind, payload, receivedAt }: Planned,
  at: string,
  { closes }: Daily,
  storeIndex: StoreIndex,
): Pick<Step, 'notBefore' | 'batch'> {
  const ref = storeRefOf(kind, payload)
  const place = storeIndex.find(ref)
  const day = dayIn(at, place?.zone ?? null)
  if (day === null) return {}
  const store = (place && storeIndex.keyOf(place)) ?? (ref.stockId === null ? '' : `stock ${ref.stockId}`)
  const notBefore = dayClose(day, closes, place?.zone ?? UTC)
  return { ...(notBefore <= receivedAt + FARTHEST && { notBefore }), batch: `${day} ${store}` }
}
