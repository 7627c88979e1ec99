import { NEVER, type Watermark } from '../../../domain/ledger/watermark.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Store } from '../../../store/store.ts'
import { lookedUpTo, wasAhead } from '../runs.ts'
import { MOST_DAYS } from './compare-kind.ts'
import type { FactsState } from './facts-state.ts'

const DAY = 86_400_000

/**
 * Takes back what counts as proven of a kind although it is still to come: the clock was ahead when that was written. Its lists were
 * read up to the bound of the last run whose clock was right; where nobody remembers one, as many days are read again as one run may.
 */
export async function cutFactsBack(
  kind: string,
  { begins, runs }: FactsState,
  now: Instant,
  store: Pick<Store, 'covered' | 'saveLedger'>,
): Promise<void> {
  const end = (await store.covered('facts', kind)).at(-1)?.to ?? now
  if (end <= now && !wasAhead(runs, now)) return
  const from = lookedUpTo(runs, now) ?? Math.max(begins[kind] ?? now, now - MOST_DAYS * DAY)
  await store.saveLedger({ uncovered: [{ road: 'facts', scope: kind, from: Math.min(from, now) }] }, now)
}

/**
 * Takes back what counts as proven of a kind since a store was last watched that is watched again: the lists told of it meanwhile, and
 * nothing was held against them. `marks`: those of the log stand where its subscription was lost.
 */
export async function cutUnwatched(
  kind: string,
  places: readonly (string | null)[],
  { state, marks, now, store }: Cutting,
): Promise<void> {
  const before = state.places[kind] ?? places
  const again = before.includes(null) ? [] : places.filter((place) => !before.includes(place))
  const ends = marks
    .filter((mark) => mark.level === 'log' && mark.kind === kind && mark.until !== NEVER)
    .flatMap(({ storeId, until }) => (again.includes(storeId) ? until : []))
  if (ends.length > 0)
    await store.saveLedger({ uncovered: [{ road: 'facts', scope: kind, from: Math.min(...ends) }] }, now)
  state.places[kind] = [...places]
}

interface Cutting {
  state: FactsState
  marks: readonly Watermark[]
  now: Instant
  store: Pick<Store, 'saveLedger'>
}
