import { UserError } from '../../domain/values/errors.ts'
import { createOutage } from '../../inbox/outage.ts'
import type { Scheduler } from '../../jobs/engine/scheduler.ts'
import { RESEND_FAILED } from '../../jobs/resend/resend-failed.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Store } from '../../store/store.ts'
import type { Base } from '../base.ts'

export type Outage = ReturnType<typeof openOutage>

/** Watches whether the store takes what comes, and has what was refused meanwhile fetched as soon as it does again. */
export function openOutage({ store, disk, guard, clock, logger }: Base, scheduler: Scheduler) {
  const over = () => fetchRefused(scheduler, logger)
  const free = async () => (await disk())?.free ?? null
  const outage = createOutage({ store: guard.guarded(store), free, over, clock, logger })
  return {
    ...outage,
    disk,
    async accept(...given: Parameters<Store['accept']>): ReturnType<Store['accept']> {
      guard.assertRoomFor(given[0])
      return await outage.accept(...given)
    },
  }
}

/** Fetches at once what the platform could not deliver while the store took nothing, not by the job's schedule. */
function fetchRefused(scheduler: Scheduler, logger: Logger): void {
  scheduler.run(RESEND_FAILED).catch((error: unknown) => {
    // There is no such job, or another hub runs it.
    if (!(error instanceof UserError)) logger.warn({ err: error }, 'resend.not-begun')
  })
}
