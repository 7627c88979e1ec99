import { UserError } from '../../domain/values/errors.ts'
import { MOST_GAPS, namedByGaps } from '../../store/retention/named-by-gaps.ts'
import { pruneRecords } from './prune-records.ts'
import type { Pruned, Pruning, PruningStore } from './pruning.ts'
import { walkOld } from './walk.ts'

/** Events that stay, of those that are known at once. */
const MOST_STANDING = 100_000

/** Prunes all that has had its time, slice by slice. Rejects where the run is to end: what went has gone wholly. */
export async function prune(pruning: Pruning): Promise<Pruned> {
  const { store } = pruning
  const pruned: Pruned = { events: 0, deliveries: 0, attempts: 0, payloads: 0, keys: 0, records: 0 }
  const [newest] = await store.events({ limit: 1 })
  const { upTo, events } = await store.standing(newest?.id ?? 0, MOST_STANDING)
  const stays = new Set(events.map(({ event }) => event))
  for (const id of await gapsOf(store)) stays.add(id)
  await prunePayloads(pruning, stays, upTo, pruned)
  await pruneEvents(pruning, stays, upTo, pruned)
  await pruneRecords(pruning, pruned)
  await pruning.saved()
  while ((await pruning.pace.slice(() => store.shrink(SHRUNK))) > 0 && !pruning.signal.aborted);
  return pruned
}

/** Bytes that one slice gives back to the disk. */
const SHRUNK = 64 * 8_192

async function gapsOf(store: PruningStore): Promise<Set<number>> {
  const named = await namedByGaps(store)
  if (named === null)
    throw new UserError(
      `More than ${MOST_GAPS} gaps are open, and nothing is pruned before somebody has looked at them: "tillbridge gaps list".`,
    )
  return named
}

async function prunePayloads(pruning: Pruning, stays: ReadonlySet<number>, upTo: number, pruned: Pruned) {
  const { store, state, pace, archive, signal } = pruning
  const mayGo = (id: number) => id <= upTo && !stays.has(id)
  const keepElsewhere = async (ids: number[]) => await archive?.(ids.filter(mayGo), signal)
  await keepElsewhere(state.stayed)
  state.stayed = state.stayed.filter((id) => !mayGo(id))
  for await (const rows of walkOld({ ...pruning, part: 'payloads', upTo: state.upTo })) {
    await keepElsewhere(rows.map(({ id }) => id))
    state.stayed = [...state.stayed, ...rows.map(({ id }) => id).filter((id) => !mayGo(id))].slice(-MOST_STANDING)
    for (const { kind, id } of rows) state.bounds[kind] = Math.max(id, state.bounds[kind] ?? 0)
  }
  const except = [...stays]
  for (const [kind, last] of Object.entries(state.bounds)) {
    const which = { kind, upTo: Math.min(last, upTo), except }
    for (let gone = -1; gone !== 0; pruned.payloads += gone) gone = await pace.slice(() => store.dropPayloads(which))
  }
}

async function pruneEvents(pruning: Pruning, stays: ReadonlySet<number>, upTo: number, pruned: Pruned) {
  const { store, state, pace, saved } = pruning
  for await (const rows of walkOld({ ...pruning, part: 'events', upTo: state.upTo })) {
    const old = rows.filter(({ id }) => id <= upTo && !stays.has(id))
    if (old.length === 0) continue
    for (let left = old.map(({ id }) => id); left.length > 0; ) {
      const dropped = await pace.slice(async (most) => {
        const ids = left.slice(0, most)
        const result = await store.dropEvents(ids)
        left = left.slice(result.seen)
        return result
      })
      pruned.events += dropped.events
      pruned.deliveries += dropped.deliveries
      pruned.attempts += dropped.attempts
    }
    await saved()
  }
}
