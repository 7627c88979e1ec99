import { ageOf } from '../../domain/retention/ages.ts'
import { STANDING, type Standing } from '../../domain/retention/standing.ts'
import { counted } from '../../domain/values/counted.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import type { Standings } from '../../store/retention/pruning.ts'
import type { Pruning } from './pruning.ts'

/** Events that are looked at to tell whether something behind the last one that was told has had its time. */
const LOOKED = 1_000

/** What a person does about events that stay, in the order in which it helps. */
const TODO: Record<Standing, string> = {
  dead: 'tillbridge deliveries list --state dead',
  open: 'tillbridge status',
  aside: 'tillbridge events list --state unrouted --no-dismissed',
  gap: 'tillbridge gaps list',
  hold: 'tillbridge retention holds',
}

/**
 * The trouble where so many events stay that nobody knows what of those behind them does: nothing of these is pruned, although something
 * has had its time. Null: nothing is held back.
 */
export async function heldBackBy(
  { store, ages, now }: Pick<Pruning, 'store' | 'ages' | 'now'>,
  { upTo, events }: Standings,
): Promise<RetryLaterError | null> {
  const [next, ...more] = await store.ageing(upTo, LOOKED)
  if (next === undefined) return null
  if (![next, ...more].some(({ kind, receivedAt }) => receivedAt < now - ageOf(ages, 'payloads', kind))) return null
  const counts = Map.groupBy(events, ({ why }) => why)
  const whys = [...counts].sort(([, a], [, b]) => b.length - a.length)
  const kept = whys.map(([why, { length }]) => `of ${counted(length, 'event')} ${STANDING[why]} (${TODO[why]})`)
  return new RetryLaterError(
    `Nothing behind event ${upTo} (${formatInstant(next.receivedAt).slice(0, 10)}) is pruned: ${counted(events.length, 'event')} up to it must stay, and one run knows of no more. ${kept.join('; ')}. See to the most of them, and the next run goes on; what is before was pruned.`,
    { code: 'held-back' },
  )
}
