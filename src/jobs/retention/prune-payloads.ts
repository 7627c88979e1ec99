import { FIRST_BLOCK } from '../../store/payloads/payload.ts'
import { type Keeping, keepingIn } from './archive.ts'
import { inParts } from './in-parts.ts'
import type { Pruned, Pruning } from './pruning.ts'
import { forgetIfChanged } from './state.ts'
import { walkOld } from './walk.ts'

/** Events that stay, of those that are known at once. */
export const MOST_STANDING = 100_000

/** Pages of the walk after which it is written down how far events were kept elsewhere. */
const PAGES = 50

/**
 * Prunes payloads that have had their time, and of which the archive, where there is one, has the events. Rejects with an ArchiveError
 * before any of them has gone.
 */
export async function prunePayloads(
  pruning: Pruning,
  { stays, upTo }: { stays: ReadonlySet<number>; upTo: number },
  pruned: Pruned,
): Promise<void> {
  const { store, state, pace, ages, archive } = pruning
  forgetIfChanged(state, ages, archive?.where ?? null)
  const mayGo = (id: number) => id <= upTo && !stays.has(id)
  await keepingIn(pruning, (keeping) => keepOld(pruning, mayGo, upTo, keeping))
  const except = [...stays]
  for (const [kind, last] of Object.entries(state.bounds)) {
    const which = { kind, upTo: Math.min(last, upTo), except }
    pruned.payloads += await inParts(FIRST_BLOCK, (after) => pace.slice(() => store.dropPayloads({ ...which, after })))
  }
}

/**
 * Finds the payloads that may go, and keeps their events elsewhere. The state is told of those only that are surely there. Behind `last`
 * nobody knows what stays: the walks wait there, and so no more has to be remembered than stays up to it.
 */
async function keepOld(
  pruning: Pruning,
  mayGo: (id: number) => boolean,
  last: number,
  keeping: Keeping,
): Promise<void> {
  const { state, saved } = pruning
  const { upTo, bounds, stayed } = structuredClone(state)
  await keeping.add(stayed.filter(mayGo))
  const walked = { upTo, bounds, stayed: stayed.filter((id) => !mayGo(id)) }
  let pages = 0
  for await (const rows of walkOld({ ...pruning, part: 'payloads', upTo, last })) {
    if (pages > 0 && pages % PAGES === 0) {
      await keeping.end()
      Object.assign(state, structuredClone(walked))
      await saved()
    }
    pages += 1
    const ids = rows.map(({ id }) => id)
    await keeping.add(ids.filter(mayGo))
    walked.stayed.push(...ids.filter((id) => !mayGo(id)))
    for (const { kind, id } of rows) bounds[kind] = Math.max(id, bounds[kind] ?? 0)
  }
  await keeping.end()
  Object.assign(state, walked)
}
