import { JOBS } from '../../config/jobs.ts'
import { counted } from '../../domain/values/counted.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'

interface Options {
  store: Pick<Store, 'packPayloads' | 'packSearchKeys'>
  clock: Pick<Clock, 'now'>
  /** When it runs; a cron expression in UTC. */
  schedule?: string
}

/** Payloads stay as they came for so long: most are carried out by then, and a fuller one has come (milliseconds). */
const PLAIN = 3_600_000

/** A run ends after so long, and the next one goes on (milliseconds): a store of years is packed bit by bit. */
const MOST = 2 * 60_000

/**
 * Packs the payloads of older events into blocks, and the keys that they are found by. Each block is a commit of its own, made beside the writer, so that no webhook
 * waits for it; a run that is cut off leaves whole blocks, and nothing else.
 */
export function packJob({ store, clock, schedule = JOBS.pack.schedule }: Options): HubJob {
  return {
    name: 'pack',
    schedule,
    async run({ now, signal }) {
      const until = clock.now() + MOST
      const all = { payloads: 0, bytes: 0, plainBytes: 0 }
      for (;;) {
        const some = await store.packPayloads(now - PLAIN, signal)
        signal.throwIfAborted()
        all.payloads += some.payloads
        all.bytes += some.bytes
        all.plainBytes += some.plainBytes
        if (some.payloads === 0 || clock.now() >= until) break
      }
      while (clock.now() < until && (await store.packSearchKeys()) > 0) signal.throwIfAborted()
      if (all.payloads === 0) return { note: 'nothing to pack' }
      const [from, to] = [all.plainBytes, all.bytes].map((bytes) => (bytes / 1_000_000).toFixed(1))
      return { note: `${counted(all.payloads, 'payload')} packed, ${from} MB into ${to} MB` }
    },
  }
}
