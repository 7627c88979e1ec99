import type { SeenStorage } from '../domain/health/storage-health.ts'
import { StorageUnavailableError, UserError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Scheduler } from '../jobs/engine/scheduler.ts'
import { RESEND_FAILED } from '../jobs/resend-failed.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Storage } from '../storage/storage.ts'
import type { Base } from './infrastructure.ts'

export type Outage = ReturnType<typeof openOutage>

/** Watches storage outages, and fetches what was refused meanwhile as soon as they end. */
export function openOutage({ storage, disk, guard, clock, logger }: Base, scheduler: Scheduler) {
  const over = () =>
    void fetchRefused(scheduler, logger).catch((err: unknown) => logger.warn({ err }, 'resend.not-begun'))
  const free = async () => (await disk())?.free ?? null
  const outage = createOutage({ storage: guard.guarded(storage), free, over, clock, logger })
  return {
    ...outage,
    async accept(...given: Parameters<Storage['accept']>): ReturnType<Storage['accept']> {
      guard.assertRoomFor(given[0])
      return await outage.accept(...given)
    },
  }
}

/** At once, not on the job's schedule. */
async function fetchRefused(scheduler: Scheduler, logger: Logger): Promise<void> {
  const jobs = await scheduler.status()
  if (!jobs.some(({ name }) => name === RESEND_FAILED)) return logger.warn({ todo: REMEDY }, 'resend.not-there')
  try {
    await scheduler.run(RESEND_FAILED)
  } catch (error) {
    // Running elsewhere or stopping: it runs at each start.
    if (!(error instanceof UserError)) throw error
  }
}

const REMEDY = 'What was refused is not looked for: it takes platform.baseUrl and server.publicUrl in config.'

interface Options {
  storage: Pick<Storage, 'accept' | 'check'>
  free(): Promise<number | null>
  over(): void
  clock: Clock
  logger: Logger
}

/** Retry interval while the storage refuses writes (ms). */
const LOOK_AGAIN = 5_000

/** A disk with less space takes small writes and refuses the next large one (bytes). */
const ROOM = 128 * 1024

/** Tracks since when the storage refuses writes; notices the end even without traffic. */
export function createOutage({ storage, free, over, clock, logger }: Options) {
  let since: Instant | null = null
  let why = ''
  let cancel = () => {}

  function began(error: StorageUnavailableError) {
    why = error.message
    if (since !== null) return
    since = clock.now()
    lookSoon()
  }

  function ended() {
    if (since === null) return
    logger.info({ ms: clock.now() - since }, 'store.takes-again')
    since = null
    cancel()
    over()
  }

  function lookSoon() {
    cancel()
    cancel = clock.after(LOOK_AGAIN, () => {
      look().catch((err: unknown) => {
        logger.error({ err }, 'store.not-looked-at')
        if (since !== null) lookSoon()
      })
    })
  }

  async function look(): Promise<SeenStorage> {
    try {
      // During an outage a larger write is tried: small ones may succeed.
      await (since === null ? storage.check() : storage.check(ROOM))
      const room = since === null ? null : await free()
      if (room === null || room >= ROOM) ended()
    } catch (error) {
      if (!(error instanceof StorageUnavailableError)) throw error
      if (since !== null) lookSoon()
      return { problem: error.message, since }
    }
    if (since === null) return { problem: null, since }
    lookSoon()
    return { problem: why, since }
  }

  return {
    async accept(...given: Parameters<Storage['accept']>): ReturnType<Storage['accept']> {
      try {
        const verdicts = await storage.accept(...given)
        ended()
        return verdicts
      } catch (error) {
        if (error instanceof StorageUnavailableError) began(error)
        throw error
      }
    },

    look,

    [Symbol.dispose]() {
      cancel()
    },
  }
}
