import type { Instant } from '../../domain/values/instant.ts'
import { toStoreLocal } from '../../domain/values/store-time.ts'
import type { KeptStore } from '../../store/kept.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A store that closed counts so much longer: its last day is still to be read (milliseconds). */
const AFTER_ITS_END = 7 * DAY

/** Calendar days, `yyyy-mm-dd`. */
export interface Todays {
  /** Where it is the earliest: days before this one are over everywhere. */
  first: string
  /** Where it is the latest. */
  last: string
}

/** Stores whose days may still say something new. */
export function openStores(stores: readonly KeptStore[], now: Instant): KeptStore[] {
  return stores.filter(({ goneAt }) => goneAt === null || now - goneAt < AFTER_ITS_END)
}

/** The stocks of the stores that there are. */
export function presentStocks(stores: readonly KeptStore[]): string[] {
  const present = stores.filter(({ goneAt }) => goneAt === null)
  return [...new Set(present.flatMap(({ stockId }) => stockId ?? []))]
}

/** The days that it is in stores now. A store without a time zone may be anywhere; so may all while no store is known. */
export function todaysOf(stores: readonly Pick<KeptStore, 'zone'>[], now: Instant): Todays {
  const zones = new Set(stores.length === 0 ? [null] : stores.map(({ zone }) => zone))
  const days = [...zones].flatMap((zone) =>
    zone === null ? [utcDay(now - 12 * HOUR), utcDay(now + 14 * HOUR)] : [toStoreLocal(now, zone).slice(0, 10)],
  )
  days.sort()
  return { first: days.at(0) ?? '', last: days.at(-1) ?? '' }
}

function utcDay(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 10)
}
