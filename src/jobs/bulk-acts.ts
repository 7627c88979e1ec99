import { messageOf, StorageUnavailableError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import type { Logger } from '../lib/logger.ts'
import type { Audit, BulkAct, Changed } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import type { HubJob } from './engine/job.ts'

type Verbs = Pick<Storage, 'retry' | 'skip' | 'releaseHeld' | 'dismiss' | 'explainGaps'>

interface Options {
  storage: Verbs & Pick<Storage, 'runningBulkActs' | 'bulkActCameTo' | 'endBulkAct' | 'now'>
  /** Tries a destination at once. */
  probe(destination: string): Promise<void>
  logger: Logger
}

/** Rows of one slice: its commits are short, and a cancelled act ends soon. */
const SLICE = 1_000

/** The storage's command for each action of the audit; the selection is its filter. */
// biome-ignore lint/suspicious/noExplicitAny: each selection was written by the route of its own command.
const VERBS: Readonly<Record<string, (storage: Verbs, filter: any, audit: Audit) => Promise<Changed<unknown>>>> = {
  retry: (storage, filter, audit) => storage.retry(filter, audit, false),
  'retry again': (storage, filter, audit) => storage.retry(filter, audit, true),
  skip: (storage, filter, audit) => storage.skip(filter, audit),
  release: (storage, filter, audit) => storage.releaseHeld(filter, audit),
  dismiss: (storage, filter, audit) => storage.dismiss(filter, audit),
  explain: (storage, filter, audit) => storage.explainGaps(filter, audit),
}

/**
 * Does what people asked for on all that a filter finds, one act after the other, oldest rows first. It goes on after a restart
 * with the slice that was under way.
 */
export function bulkActsJob({ storage, probe, logger }: Options): HubJob {
  return {
    name: 'bulk-acts',
    atStart: true,
    async run({ signal }) {
      let done = 0
      for (;;) {
        const [act] = await storage.runningBulkActs()
        if (act === undefined) return { note: done === 0 ? 'nothing to do' : `${pluralize(done, 'act')} ended` }
        await complete(act, signal)
        done += 1
      }
    },
  }

  async function complete(act: BulkAct, signal: AbortSignal): Promise<void> {
    try {
      let after = act.after
      for (;;) {
        signal.throwIfAborted()
        const next = await slice(act, after)
        if (next === null) return await end(act, 'done', null)
        after = next
        if (!(await storage.bulkActCameTo(act.act, after))) return
      }
    } catch (error) {
      if (signal.aborted || error instanceof StorageUnavailableError) throw error
      logger.error({ act: act.act, err: error }, 'bulk-act.failed')
      await end(act, 'failed', messageOf(error))
    }
  }

  /** Where the next one begins; null: there is none. */
  async function slice({ act, action, selection, by, role, address, reason }: BulkAct, after: number) {
    const verb = VERBS[action]
    if (verb === undefined) throw new Error(`There is no act "${action}".`)
    const filter = JSON.parse(selection) as { destination?: string }
    const audit = { by, role, address, reason, at: storage.now(), dryRun: false, part: { act, after, most: SLICE } }
    const { next } = await verb(storage, filter, audit)
    if (action.startsWith('retry') && filter.destination !== undefined) void probe(filter.destination)
    return next
  }

  async function end({ act, action, by }: BulkAct, outcome: 'done' | 'failed', problem: string | null): Promise<void> {
    const at = storage.now()
    if (await storage.endBulkAct(act, outcome, at, problem)) logger.info({ act, action, by, outcome }, 'bulk-act.ended')
  }
}
