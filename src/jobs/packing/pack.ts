import { setTimeout as rest } from 'node:timers/promises'
import { z } from 'zod'
import type { Instant } from '../../domain/values/instant.ts'
import { counted } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import { createPace } from '../retention/pruning.ts'

interface Options {
  store: Pick<Store, 'packPayloads' | 'movePast'>
  clock: Pick<Clock, 'now'>
}

/** Payloads stay as they came for so long: most are carried out by then, and a fuller one has come (milliseconds). */
const PLAIN = 3_600_000

/** Deliveries stay rows of their own for so long after they were settled (milliseconds). */
const PRESENT = 24 * 3_600_000

/** A run ends after so long, and the next one goes on (milliseconds): a store of years is packed bit by bit. */
const MOST = 2 * 60_000

/** `pastAfter`: the deliveries up to this one have gone to the past, or were to stay. */
const State = z.object({ pastAfter: z.number() }).catch({ pastAfter: 0 })

/**
 * Packs the payloads of older events into blocks, and moves deliveries that are over to the past.
 * Each block, and each slice, is a commit of its own, made beside the writer.
 */
export function packJob({ store, clock }: Options): HubJob {
  return {
    name: 'pack',
    async run({ now, signal, state }) {
      const until = clock.now() + MOST
      const hasTime = () => clock.now() < until
      const all = { payloads: 0, bytes: 0, plainBytes: 0 }
      for (;;) {
        const some = await store.packPayloads(now - PLAIN, signal)
        signal.throwIfAborted()
        all.payloads += some.payloads
        all.bytes += some.bytes
        all.plainBytes += some.plainBytes
        if (some.payloads === 0 || !hasTime()) break
      }
      const { pastAfter } = State.parse(state)
      const past = await movePast(store, { before: now - PRESENT, after: pastAfter, hasTime, signal })
      return { state: { pastAfter: past.after }, note: noteOf(all, past.moved) }
    },
  }
}

function noteOf(
  { payloads, bytes, plainBytes }: { payloads: number; bytes: number; plainBytes: number },
  past: number,
) {
  const [from, to] = [plainBytes, bytes].map((all) => (all / 1_000_000).toFixed(1))
  const parts = [
    ...(payloads > 0 ? [`${counted(payloads, 'payload')} packed, ${from} MB into ${to} MB`] : []),
    ...(past > 0 ? [`${counted(past, 'delivery')} moved to the past`] : []),
  ]
  return parts.length > 0 ? parts.join('; ') : 'nothing to pack'
}

interface PastOptions {
  before: Instant
  after: number
  hasTime(): boolean
  signal: AbortSignal
}

/** Deliveries that are over go to the past, slice by slice: each is a commit of its own. What went, and where the next run begins. */
async function movePast(
  { movePast }: Pick<Store, 'movePast'>,
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
