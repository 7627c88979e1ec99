import { ageOf, agesOf } from '../../domain/retention/ages.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import { lastBefore } from '../../store/retention/last-before.ts'
import type { Acknowledged, AcknowledgedPage, OldRecords } from '../../store/retention/pruning.ts'
import { inParts } from './in-parts.ts'
import type { Pruned, Pruning, PruningStore } from './pruning.ts'

/** Keys that are looked at in one slice, and slices of them in one night. A pass over a hundred million keys takes a week. */
const KEYS = 500
const SLICES_A_NIGHT = 30_000

/** Rows that are read at once. */
const PAGE = 1_000

/** Prunes what nothing else is of: tries, keys, questions of tills, the audit, the mirror, what is known of prices long past. */
export async function pruneRecords(pruning: Pruning, pruned: Pruned): Promise<void> {
  const { store, ages, now, pace } = pruning
  const kinds = Object.fromEntries(
    Object.keys(ages.kinds).map((kind) => [kind, now - ageOf(ages, 'attempts', kind)] as const),
  )
  const before = now - Math.min(ages.events, ages.attempts)
  pruned.attempts += await inParts(0, (after) =>
    pace.slice((limit) => store.dropAttempts({ after, limit, before, now, kinds })),
  )
  // Events up to there have all had their time: what is left of them stays.
  const oldest = pruning.state.upTo[`events:${agesOf(ages, 'events')[0]}`] ?? 0
  pruned.records += await inParts(0, (after) => pace.slice((limit) => store.dropSearchKeys(after, oldest, limit)))
  const lastOfKeys = now - Math.max(ages.keys, ages.events)
  pruned.records += await inParts(0, (after) =>
    pace.slice((limit) => store.dropSubmissions({ after, limit, before: lastOfKeys, now })),
  )
  for (const which of oldRecords(pruning))
    for (let gone = -1; gone !== 0; pruned.records += gone)
      gone = await pace.slice((limit) => store.dropRecords(which, limit))
  pruned.records += await pruneAcknowledged(pruning, oldest)
  await pruneKeys(pruning, pruned)
}

/**
 * Drops what destinations acknowledged of a subject where an event up to that says alone how new it is, and none of that entity up to it is
 * here any more: nothing older can come after it. How much went.
 */
async function pruneAcknowledged({ store, pace }: Pruning, upTo: number): Promise<number> {
  const here = await entitiesUpTo(store, upTo)
  let dropped = 0
  for (let after: Acknowledged | null = null, isOver = false; !isOver; ) {
    const page: AcknowledgedPage = await pace.slice(() => store.acknowledgedUpTo(upTo, after, PAGE))
    for (let left = page.rows.filter(({ subject }) => !here.has(subject)); left.length > 0; ) {
      const part = await pace.slice((limit) => store.dropAcknowledged(left.slice(0, limit), upTo))
      dropped += part.dropped
      left = left.slice(part.seen)
    }
    after = page.next
    isOver = after === null
  }
  return dropped
}

/** What the events up to one that are here are about. */
async function entitiesUpTo(store: Pick<PruningStore, 'ageing'>, upTo: number): Promise<Set<string>> {
  const entities = new Set<string>()
  for (let after = 0; after < upTo; ) {
    const events = await store.ageing(after, PAGE)
    for (const { id, entity } of events) if (id <= upTo && entity !== null) entities.add(entity)
    after = events.length < PAGE ? upTo : (events.at(-1)?.id ?? upTo)
  }
  return entities
}

function* oldRecords({ ages, now }: Pruning): Generator<OldRecords> {
  yield { type: 'lookups', before: now - ages.lookups, now }
  yield { type: 'audit', before: now - ages.audit }
  for (const [set, age] of Object.entries(ages.mirror))
    yield {
      type: 'mirror',
      set: set as Extract<OldRecords, { type: 'mirror' }>['set'],
      before: formatInstant(now - age).slice(0, 10),
    }
}

/**
 * Goes over a part of the keys, in their order, which is random: those of dropped events that are older than `keys` go. After a pass
 * over all of them, nothing can be a copy of those events any more, and what they were known again by goes, too.
 */
async function pruneKeys({ store, state, ages, now, pace, saved }: Pruning, pruned: Pruned): Promise<void> {
  const bound = await lastBefore(store, now - ages.keys)
  // The age may be longer now than when the pass began.
  state.keysBound = state.keyAt === '' ? bound : Math.min(bound, state.keysBound)
  for (let slices = 0; slices < SLICES_A_NIGHT; slices++) {
    const { dropped, after } = await pace.slice(() => store.dropKeys(state.keyAt, state.keysBound, KEYS))
    pruned.keys += dropped
    state.keyAt = after ?? ''
    if (slices % 100 === 99) await saved()
    if (after === null) break
  }
  if (state.keyAt !== '') return
  for (let gone = -1; gone !== 0; ) gone = await pace.slice((limit) => store.dropKnown(state.keysBound, limit))
}
