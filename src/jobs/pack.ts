import { setTimeout as rest } from 'node:timers/promises'
import { z } from 'zod'
import type { Instant } from '../domain/values/instant.ts'
import { pluralize } from '../domain/values/text.ts'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/storage.ts'
import type { HubJob } from './engine/job.ts'
import { createPace } from './retention/pruning.ts'

interface Options {
  storage: Pick<Storage, 'packPayloads' | 'movePast'>
  clock: Pick<Clock, 'now'>
}

/** Most are executed by then, and a richer one has come (ms). */
const PLAIN = 3_600_000

/** Since completion (ms). */
const PRESENT = 24 * 3_600_000

/** Longest run (ms). */
const MAX = 2 * 60_000

/** Deliveries up to this one were archived, or stay. */
const State = z.object({ pastAfter: z.number() }).catch({ pastAfter: 0 })

/**
 * Packs payloads of older events into blocks, and moves completed deliveries out of the queue's tables. Each block and
 * slice is a commit.
 */
export function packJob({ storage, clock }: Options): HubJob {
  return {
    name: 'pack',
    async run({ now, signal, state }) {
      const until = clock.now() + MAX
      const hasTime = () => clock.now() < until
      const all = { payloads: 0, bytes: 0, plainBytes: 0 }
      for (;;) {
        const some = await storage.packPayloads(now - PLAIN, signal)
        signal.throwIfAborted()
        all.payloads += some.payloads
        all.bytes += some.bytes
        all.plainBytes += some.plainBytes
        if (some.payloads === 0 || !hasTime()) break
      }
      const { pastAfter } = State.parse(state)
      const past = await movePast(storage, { before: now - PRESENT, after: pastAfter, hasTime, signal })
      return { state: { pastAfter: past.after }, note: summaryOf(all, past.moved) }
    },
  }
}

function summaryOf(
  { payloads, bytes, plainBytes }: { payloads: number; bytes: number; plainBytes: number },
  past: number,
) {
  const [from, to] = [plainBytes, bytes].map((all) => (all / 1_000_000).toFixed(1))
  const parts = [
    ...(payloads > 0 ? [`${pluralize(payloads, 'payload')} packed, ${from} MB into ${to} MB`] : []),
    ...(past > 0 ? [`${pluralize(past, 'delivery')} moved to the past`] : []),
  ]
  return parts.length > 0 ? parts.join('; ') : 'nothing to pack'
}

interface PastOptions {
  before: Instant
  after: number
  hasTime(): boolean
  signal: AbortSignal
}

async function movePast(
  { movePast }: Pick<Storage, 'movePast'>,
  { before, after: first, hasTime, signal }: PastOptions,
): Promise<{ moved: number; after: number }> {
  const pace = createPace({ now: () => performance.now(), rest, signal })
  const all = { moved: 0, after: first }
  while (hasTime()) {
    const { moved, after } = await pace.slice((rows) => movePast(all.after, before, rows))
    all.moved += moved
    if (after === null) break
    all.after = after
  }
  return all
}
