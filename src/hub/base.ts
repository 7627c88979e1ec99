import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import type { LogTrouble } from '../domain/health/storage-health.ts'
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
import { type ClockWatch, watchClock } from './guards/clock-watch.ts'
import { createDiskGuard, type DiskGuard } from './guards/disk-guard.ts'
import { type KnownStores, knownStores } from './known-stores.ts'

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
