import { ArchiveError } from '../../archive/archive-error.ts'
import { type RetryLaterError, UserError } from '../../domain/values/errors.ts'
import { MOST_GAPS, namedByGaps } from '../../store/retention/named-by-gaps.ts'
import { heldBackBy } from './held-back.ts'
import { MOST_STANDING, prunePayloads } from './prune-payloads.ts'
import { pruneRecords } from './prune-records.ts'
import type { Pruned, Pruning, PruningStore } from './pruning.ts'
import { walkOld } from './walk.ts'

/**
 * Prunes all that has had its time, slice by slice. Rejects where the run is to end: what went has gone wholly. Where the archive cannot be
 * had, payloads and events stay, and the rest goes: that trouble is told, as is what more events hold back than are known at once.
 */
export async function prune(
  pruning: Pruning,
): Promise<{ pruned: Pruned; notArchived: ArchiveError | null; heldBack: RetryLaterError | null }> {
  const { store } = pruning
  const pruned: Pruned = { events: 0, deliveries: 0, attempts: 0, payloads: 0, keys: 0, records: 0 }
  const [newest] = await store.events({ limit: 1 })
  const standings = await store.standing(newest?.id ?? 0, MOST_STANDING)
  const { upTo, events } = standings
  const stays = new Set(events.map(({ event }) => event))
  for (const id of await gapsOf(store)) stays.add(id)
  const notArchived = await prunePayloads(pruning, { stays, upTo }, pruned).then(
    () => null,
    (error: unknown) => {
      pruning.signal.throwIfAborted()
      if (error instanceof ArchiveError) return error
      throw error
    },
  )
  // An event takes its payload with it.
  if (notArchived === null) await pruneEvents(pruning, stays, upTo, pruned)
  await pruneRecords(pruning, pruned)
  await pruning.saved()
  while ((await pruning.pace.slice(() => store.shrink(SHRUNK))) > 0 && !pruning.signal.aborted);
  return { pruned, notArchived, heldBack: await heldBackBy(pruning, standings) }
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

async function pruneEvents(pruning: Pruning, stays: ReadonlySet<number>, upTo: number, pruned: Pruned) {
  const { store, state, pace, saved } = pruning
  for await (const rows of walkOld({ ...pruning, part: 'events', upTo: state.upTo, last: upTo })) {
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
