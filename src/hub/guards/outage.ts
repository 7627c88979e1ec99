import type { SeenStore } from '../../domain/health/storage-health.ts'
import { StoreUnavailableError, UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Scheduler } from '../../jobs/engine/scheduler.ts'
import { RESEND_FAILED } from '../../jobs/resend/resend-failed.ts'
import type { Clock } from '../../lib/clock.ts'
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

interface Options {
  store: Pick<Store, 'accept' | 'check'>
  /** Bytes that are left where the store is; null: nobody knows. */
  free(): Promise<number | null>
  /** Told when it can write again: what was refused meanwhile can be fetched. */
  over(): void
  clock: Clock
  logger: Logger
}

/** While it refuses, whether it can write again is tried so often (milliseconds). */
const LOOK_AGAIN = 5_000

/** A disk with less room than this takes a small write, and refuses the next large one (bytes). */
const ROOM = 128 * 1024

/** Knows since when the store has refused what came, and sees to it that its end is noticed although nothing more comes. */
export function createOutage({ store, free, over, clock, logger }: Options) {
  let since: Instant | null = null
  let why = ''
  let cancel = () => {}

  function began(error: StoreUnavailableError) {
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

  async function look(): Promise<SeenStore> {
    try {
      // What it has refused says more than that it writes something small.
      await (since === null ? store.check() : store.check(ROOM))
      const room = since === null ? null : await free()
      if (room === null || room >= ROOM) ended()
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      if (since !== null) lookSoon()
      return { problem: error.message, since }
    }
    if (since === null) return { problem: null, since }
    lookSoon()
    return { problem: why, since }
  }

  return {
    /** Takes arrivals as the store does. */
    async accept(...given: Parameters<Store['accept']>): ReturnType<Store['accept']> {
      try {
        const verdicts = await store.accept(...given)
        ended()
        return verdicts
      } catch (error) {
        if (error instanceof StoreUnavailableError) began(error)
        throw error
      }
    },

    /** Whether it can write, by writing. */
    look,

    [Symbol.dispose]() {
      cancel()
    },
  }
}
