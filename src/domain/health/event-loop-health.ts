import type { HealthItem } from './health.ts'

/** Above it POS and platform notice (milliseconds). */
const SLOW_MS = 1_000

/** `maxMs`: the longest that a turn of the event loop has kept everybody waiting within the last minute. Null: nobody has measured it. */
export function eventLoopHealth(maxMs: number | null): HealthItem[] {
  if (maxMs === null || maxMs < SLOW_MS) return []
  const means = `For ${(maxMs / 1_000).toFixed(1)} s within the last minute this hub answered nobody: a payload or a flow took that long, or its machine was too busy.`
  const todo =
    'deliveries list: what takes long says so in its ms; on a busy machine, give the hub more of a processor.'
  return [{ area: 'event loop', name: 'event loop', state: 'note', since: null, means, todo }]
}
