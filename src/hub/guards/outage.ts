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
  const over = () =>
    void fetchRefused(scheduler, logger).catch((err: unknown) => logger.warn({ err }, 'resend.not-begun'))
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
async function fetchRefused(scheduler: Scheduler, logger: Logger): Promise<void> {
  const jobs = await scheduler.status()
  if (!jobs.some(({ name }) => name === RESEND_FAILED)) return logger.warn({ todo: TODO }, 'resend.not-there')
  try {
    await scheduler.run(RESEND_FAILED)
  } catch (error) {
    // Another hub runs it, or this one stops: it is run at each start.
    if (!(error instanceof UserError)) throw error
  }
}

const TODO = 'What was refused is not looked for: it takes platform.baseUrl and server.publicUrl in config.'
