import type { KeptRow, MirrorSet } from '../../../domain/catalogue/mirror.ts'
import { instantsOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { text } from '../../../domain/values/field.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Store } from '../../../store/store.ts'
import { mirrorPages } from '../../../store/walk-pages.ts'

/** What the mirror has of a day, and how much of it a list lacks. */
export interface Lacked {
  told: number
  lacked: number
  /** Places of which events told of several, and the list of none. */
  without: string[]
}

/** Fewer may all be void. */
const SEVERAL = 5

interface Asked {
  store: Pick<Store, 'mirrorPage'>
  set: MirrorSet
  day: string
  /** Rows that the mirror has since this day are looked through for those that count; only those of the day if not given. */
  since?: string
  /** What is younger need not be listed yet. */
  bound: Instant
  /** The name of its time in the row's body. */
  time: string
  zonesOf(row: KeptRow): readonly string[]
  /** Whether the list should have it; undefined: all of them. */
  counts?(row: KeptRow): boolean
  /** Whether it stands in the list of another day. */
  isListedElsewhere?(row: KeptRow): Promise<boolean>
  signal: AbortSignal
}

/** Counts the rows of a day that the list does not have, by their keys. */
export async function lackedBy(listed: ReadonlySet<string>, asked: Asked): Promise<Lacked> {
  const { store, set, day, since = day, bound, time, zonesOf, counts: isListed = () => true, signal } = asked
  const { isListedElsewhere = async () => false } = asked
  const counts = { told: 0, lacked: 0 }
  const byPlace = new Map<string, { told: number; lacked: number }>()
  for await (const page of mirrorPages(store, { set, from: since, to: day }, signal))
    for (const row of page) {
      const at = text(row.body, time)
      if (at === null || !isListed(row) || instantsOf(at, zonesOf(row)).latest >= bound) continue
      const isLacked = !listed.has(row.key) && !(await isListedElsewhere(row))
      const own = byPlace.get(row.place ?? '') ?? { told: 0, lacked: 0 }
      byPlace.set(row.place ?? '', own)
      for (const one of [counts, own]) {
        one.told += 1
        if (isLacked) one.lacked += 1
      }
    }
  const without = [...byPlace].filter(([, { told, lacked }]) => told >= SEVERAL && lacked === told)
  return { ...counts, without: without.map(([place]) => place) }
}
