import { diskLevel, goneMeans } from '../../domain/health/storage-health.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import type { Urgency } from '../../domain/queue/lane.ts'
import { StoreUnavailableError } from '../../domain/values/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { DiskLook } from '../../store/disk-room.ts'
import type { Store } from '../../store/store.ts'

/** How often the disk is looked at (milliseconds). */
const LOOK_EVERY = 2_000

export type DiskGuard = ReturnType<typeof createDiskGuard>

/** Sees to it that what is left of the disk is for what nobody sends again, and that nothing is taken into a file that is gone. */
export function createDiskGuard({ look, clock, logger }: { look: DiskLook; clock: Clock; logger: Logger }) {
  let level: ReturnType<typeof diskLevel> = 'room'
  let gone: string | null = null
  let cancel = () => {}
  let isOver = false

  async function lookNow(): Promise<void> {
    const seen = await look()
    if (isOver) return
    const found = seen ? diskLevel(seen) : 'room'
    if (found !== level)
      logger[found === 'room' || found === 'fills' ? 'warn' : 'error']({ level: found }, 'disk.level')
    level = found
    const isGone = seen?.isGone ? goneMeans(seen) : null
    if (isGone !== null && gone === null) logger.error({ file: seen?.file }, 'store.file-gone')
    gone = isGone
  }

  function lookOn(): void {
    cancel = clock.after(LOOK_EVERY, () => {
      void lookNow().finally(() => {
        if (!isOver) lookOn()
      })
    })
  }

  function assertThere(): void {
    if (gone !== null) throw new StoreUnavailableError(gone)
  }

  const holdsDeliveries = (): string | null => {
    if (gone !== null) return 'the file of the store is gone'
    return level === 'accepts-only' ? 'the disk is almost full' : null
  }

  return {
    /** Resolves when it has looked for the first time; from then on it looks by itself. */
    async start(): Promise<void> {
      await lookNow()
      lookOn()
    },

    /** Whether deliveries of this urgency wait for room. */
    waits: (urgency: Urgency): boolean => holdsDeliveries() !== null || (level === 'no-bulk' && urgency === 'bulk'),

    /** Why nothing is sent to anybody; null: it is. */
    holdsDeliveries,

    /** Why a job that fetches much is not begun; null: it is. */
    holdsJobs: (): string | null =>
      level === 'no-bulk' || level === 'accepts-only' ? 'the disk is almost full' : null,

    /** The store as long as its file is there: it is unavailable otherwise. */
    guarded: ({ accept, check }: Pick<Store, 'accept' | 'check'>): Pick<Store, 'accept' | 'check'> => ({
      async accept(arrivals) {
        assertThere()
        return await accept(arrivals)
      },
      async check(size) {
        await lookNow()
        assertThere()
        await check(size)
      },
    }),

    /** Throws a StoreUnavailableError where the room that is left is for others: own systems send again. */
    assertRoomFor(arrivals: readonly { origin: string }[]): void {
      if (level !== 'accepts-only' || arrivals.every(({ origin }) => origin === PLATFORM)) return
      throw new StoreUnavailableError('The disk is almost full: what is left is for the webhooks of the platform.')
    },

    [Symbol.dispose]() {
      isOver = true
      cancel()
    },
  }
}
