import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { type ClockJump, type ClockReading, jumpBetween } from '../domain/health/hub-health.ts'
import { diskLevel, goneMeans, type LogTrouble } from '../domain/health/storage-health.ts'
import { createStoreIndex, type StoreIndex } from '../domain/places/store-index.ts'
import type { StoreRecord } from '../domain/places/store-record.ts'
import { PLATFORM } from '../domain/queue/event.ts'
import type { Urgency } from '../domain/queue/lane.ts'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Flow } from '../flows/flow.ts'
import { type SearchIndex, startSearchIndex } from '../inbox/search-index.ts'
import type { Clock } from '../lib/clock.ts'
import { type EventLoop, watchEventLoop } from '../lib/event-loop.ts'
import type { Logger } from '../lib/logger.ts'
import type { StartThread } from '../lib/thread.ts'
import type { Budgets } from '../receiver/budget.ts'
import type { Refusals } from '../receiver/refusals.ts'
import { createTillPriority, type TillPriority } from '../receiver/till-priority.ts'
import { createDiskLook, type DiskLook } from '../store/disk-room.ts'
import { narrowRights } from '../store/file-rights.ts'
import { fileOf, isPostgres, openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'

/** The ground that every setup of a hub stands on: configs come and go over it. */
export interface Base {
  store: Store
  stores: KnownStores
  eventLoop: EventLoop
  /** The index of what events say. */
  searchIndex: Pick<SearchIndex, 'catchUp'>
  /** Counts over all that is served: bytes in hand, refusals, connections. */
  traffic: { budgets: Budgets; refusals: Refusals; connections(): number }
  tillPriority: TillPriority
  /** The disk of the store, and what the hub still does on it. */
  disk: DiskLook
  guard: DiskGuard
  /** Whether the clock that the hub goes by was set: this machine's, or the database server's. */
  clockWatch: ClockWatch
  flows: readonly Flow[]
  /** The flows are of somebody who starts the hub in a program: they stay in this thread. */
  ownFlows: boolean
  /** The time that hubs of one store agree on. */
  clock: Clock
  /** The machine's own clock. */
  ownClock: Clock
  /** In [0, 1). */
  random: () => number
  logger: Logger
  /** Why lines of the log do not get where they go; null: they do. */
  logTrouble: () => LogTrouble | null
}

interface Parts extends Pick<Base, 'traffic' | 'flows' | 'ownFlows' | 'ownClock' | 'random' | 'logger' | 'logTrouble'> {
  /** From how long on a turn of the event loop that does not end is a stall (milliseconds). */
  stallMs: number
  /** How the store's threads are started. */
  startThread: StartThread
  opened: AsyncDisposableStack
}

/** Opens the store, and what is watched and remembered besides. */
export async function openBase(
  { store: { url, connections }, platform }: Config,
  { stallMs, startThread, opened, ...parts }: Parts,
): Promise<Base> {
  const { logger, ownClock } = parts
  const file = isPostgres(url) ? null : fileOf(url)
  const isNew = file !== null && !existsSync(file)
  const giveBack = narrowRights(url, (file) => logger.warn(file, 'store.readable-by-others'))
  const store = await openStore(url, {
    sameBytesWindow: platform.webhooks.sameBytesWindow,
    clock: ownClock.now,
    connections,
    startThread,
    onOpening: (problem) =>
      problem === null ? logger.warn('store.opened') : logger.error({ problem }, 'store.cannot-open'),
  }).catch((error: unknown) => {
    // What config names by mistake is somebody else's.
    giveBack()
    throw error
  })
  opened.use(store)
  // Where there was one before, its disk may not be mounted.
  if (isNew && existsSync(file)) logger.warn({ file }, 'store.made')
  // Hubs of one store agree on the time, whatever their machines say.
  const clock: Clock = { ...ownClock, now: store.now, own: ownClock.own ?? ownClock.now }
  const eventLoop = opened.use(watchEventLoop({ stallMs, logger }))
  const disk = createDiskLook(url)
  const guard = opened.use(createDiskGuard({ look: disk, clock: ownClock, logger }))
  await guard.start()
  const clockWatch = opened.use(watchClock(clock, logger, isPostgres(url) ? 'database' : undefined))
  const searchIndex = opened.use(startSearchIndex({ store, clock, logger }))
  return {
    ...parts,
    store,
    stores: await knownStores(store, logger),
    eventLoop,
    searchIndex,
    tillPriority: createTillPriority(),
    disk,
    guard,
    clockWatch,
    clock,
  }
}

/** The platform's stores, as they are known at the moment. */
interface KnownStores {
  index(): StoreIndex
  /** Nobody has looked: that a store is not among them says nothing. */
  isUnread: boolean
  /** The stores are these from now on. */
  learn(index: StoreIndex): void
  /** Calls back when they are known anew. */
  onLearned(listener: () => void): void
}

/** Stores that the store remembers, kept up with what other hubs of it learn. */
async function knownStores(store: Pick<Store, 'stores' | 'onStores'>, logger: Logger): Promise<KnownStores> {
  const known = storesFrom(await remembered(store))
  // Another hub's job has read them from the platform.
  store.onStores(() => {
    const read = async () => known.learn(createStoreIndex(await store.stores()))
    read().catch((err: unknown) => logger.warn({ err }, 'hub.stores-not-read'))
  })
  return known
}

/** Known stores that are these until others are learnt; null: nobody has looked. */
export function storesFrom(records: Parameters<typeof createStoreIndex>[0] | null): KnownStores {
  let index = createStoreIndex(records ?? [])
  const listeners: (() => void)[] = []
  return {
    index: () => index,
    isUnread: records === null,
    learn(anew) {
      index = anew
      for (const listener of listeners) listener()
    },
    onLearned: (listener) => void listeners.push(listener),
  }
}

/** A store that cannot be read yet knows none: the stores job makes up for it. */
async function remembered(store: Pick<Store, 'stores'>): Promise<StoreRecord[]> {
  try {
    return await store.stores()
  } catch (error) {
    if (error instanceof StoreUnavailableError) return []
    throw error
  }
}

/** How often the clocks are compared (milliseconds). */
const LOOK_EVERY = 10_000

interface ClockWatch extends Disposable {
  /** The last jump there was. */
  jump(): ClockJump | null
  /** Calls back whenever it was set, until what is returned is disposed of. */
  whenSet(told: () => void): Disposable
}

/** Sees when the clock that the hub goes by is set. Where it has no steady one beside it, nobody can. */
export function watchClock(clock: Clock, logger: Logger, whose?: ClockJump['whose']): ClockWatch {
  const { steady } = clock
  let jump: ClockJump | null = null
  let cancel = () => {}
  const listeners = new Set<() => void>()
  if (steady) look(read(steady))

  function read(of: () => number): ClockReading {
    return { wall: clock.now(), steady: of() }
  }

  function look(before: ClockReading): void {
    cancel = clock.after(LOOK_EVERY, () => {
      if (!steady) return
      const now = read(steady)
      const found = jumpBetween(before, now)
      if (found) {
        jump = whose ? { ...found, whose } : found
        tell(found)
      }
      look(now)
    })
  }

  function tell({ by }: ClockJump): void {
    logger.error({ by }, 'clock.jumped')
    for (const told of listeners) told()
  }

  return {
    jump: () => jump,
    whenSet(told) {
      listeners.add(told)
      return { [Symbol.dispose]: () => void listeners.delete(told) }
    },
    [Symbol.dispose]: () => cancel(),
  }
}

/** How often the disk is looked at (milliseconds). */
const DISK_POLL_MS = 2_000

type DiskGuard = ReturnType<typeof createDiskGuard>

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
    cancel = clock.after(DISK_POLL_MS, () => {
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
