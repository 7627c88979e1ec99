import type { Config } from '../config/config.ts'
import { UserError } from '../domain/values/errors.ts'
import { createOutage } from '../inbox/outage.ts'
import type { Scheduler } from '../jobs/engine/scheduler.ts'
import { RESEND_FAILED } from '../jobs/resend/resend-failed.ts'
import type { Logger } from '../lib/logger.ts'
import { diskRoom } from '../store/disk-room.ts'
import type { Base } from './base.ts'

export type Outage = ReturnType<typeof openOutage>

/** Watches whether the store takes what comes, and has what was refused meanwhile fetched as soon as it does again. */
export function openOutage({ store: { url } }: Config, base: Base, scheduler: () => Scheduler | null) {
  const { store, clock, logger } = base
  const disk = () => diskRoom(url)
  const over = () => fetchRefused(scheduler(), logger)
  const free = async () => (await disk())?.free ?? null
  return { ...createOutage({ store, free, over, clock, logger }), disk }
}

/** Fetches at once what the platform could not deliver while the store took nothing, not by the job's schedule. */
function fetchRefused(scheduler: Scheduler | null, logger: Logger): void {
  scheduler?.run(RESEND_FAILED).catch((error: unknown) => {
    // There is no such job, or another hub runs it.
    if (!(error instanceof UserError)) logger.warn({ err: error }, 'resend.not-begun')
  })
}
