import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { type ClockJump, type ClockReading, jumpBetween } from '../domain/health/hub-health.ts'
import { diskLevel, goneMeans, type LogFailure, type StorageSnapshot } from '../domain/health/storage-health.ts'
import type { Timings } from '../domain/health/timings.ts'
import { PLATFORM } from '../domain/queue/event.ts'
import type { Urgency } from '../domain/queue/queue-key.ts'
import {
  createStoreIndex,
  resolveStore,
  type StoreIndex,
  type StoreRecord,
  type StoreRef,
} from '../domain/stores/store-index.ts'
import { StorageUnavailableError, UserError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import type { Budgets } from '../http/body.ts'
import { createPosPriority, type PosPriority } from '../http/pos-priority.ts'
import type { Refusals } from '../http/refusals.ts'
import { type SearchIndex, startSearchIndex } from '../ingest/search-index.ts'
import type { Scheduler } from '../jobs/engine/scheduler.ts'
import { RESEND_FAILED } from '../jobs/resend-failed.ts'
import type { Clock } from '../lib/clock.ts'
import { type EventLoop, watchEventLoop } from '../lib/event-loop.ts'
import type { Logger } from '../lib/logger.ts'
import type { StartThread } from '../lib/thread.ts'
import { createDiskReader, narrowRights, type ReadDisk } from '../storage/disk.ts'
import { fileOf, isPostgres, openStorage } from '../storage/open.ts'
import type { Storage } from '../storage/storage.ts'

/** Outlives reloads. */
export interface Infrastructure {
  storage: Storage
  stores: ReturnType<typeof createStoreIndexCache>
  eventLoop: EventLoop
  searchIndex: Pick<SearchIndex, 'catchUp'>
  traffic: { budgets: Budgets; refusals: Refusals; connections(): number; timings: Timings }
  posPriority: PosPriority
  disk: ReadDisk
  guard: DiskGuard
  /** Detects jumps of the hub's clock: this machine's, or the database server's. */
  clockWatch: ReturnType<typeof watchClock>
  flows: readonly Flow[]
  /** Flows given by a program cannot go to the reader thread. */
  ownFlows: boolean
  /** Time agreed by all hubs of the storage. */
  clock: Clock
  ownClock: Clock
  random: () => number
  logger: Logger
  logFailure: () => LogFailure | null
}

interface Parts
  extends Pick<Infrastructure, 'traffic' | 'flows' | 'ownFlows' | 'ownClock' | 'random' | 'logger' | 'logFailure'> {
  stallMs: number
  startThread: StartThread
  opened: AsyncDisposableStack
}

export async function openInfrastructure(
  { store: { url, connections }, platform }: Config,
  { stallMs, startThread, opened, ...parts }: Parts,
): Promise<Infrastructure> {
  const { logger, ownClock } = parts
  const file = isPostgres(url) ? null : fileOf(url)
  const isNew = file !== null && !existsSync(file)
  const giveBack = narrowRights(url, (file) => logger.warn(file, 'store.readable-by-others'))
  const storage = await openStorage(url, {
    sameBytesWindow: platform.webhooks.sameBytesWindow,
    clock: ownClock.now,
    connections,
    startThread,
    onOpening: (problem) =>
      problem === null ? logger.warn('store.opened') : logger.error({ problem }, 'store.cannot-open'),
  }).catch((error: unknown) => {
    // A file named by mistake belongs to another program.
    giveBack()
    throw error
  })
  opened.use(storage)
  // The disk of an earlier file may not be mounted.
  if (isNew && existsSync(file)) logger.warn({ file }, 'store.made')
  const clock: Clock = { ...ownClock, now: storage.now, machineNow: ownClock.machineNow ?? ownClock.now }
  const eventLoop = opened.use(watchEventLoop({ stallMs, logger }))
  const disk = createDiskReader(url)
  const guard = opened.use(createDiskGuard({ look: disk, clock: ownClock, logger }))
  await guard.start()
  const clockWatch = opened.use(watchClock(clock, logger, isPostgres(url) ? 'database' : undefined))
  const searchIndex = opened.use(startSearchIndex({ storage, clock, logger }))
  return {
    ...parts,
    storage,
    stores: await openStoreIndexCache(storage, logger),
    eventLoop,
    searchIndex,
    posPriority: createPosPriority(),
    disk,
    guard,
    clockWatch,
    clock,
  }
}

async function openStoreIndexCache(storage: Pick<Storage, 'stores' | 'onStores'>, logger: Logger) {
  // A storage that cannot be read yet knows none; the stores job catches up.
  const stores: StoreRecord[] = await storage.stores().catch((error: unknown) => {
    if (error instanceof StorageUnavailableError) return []
    throw error
  })
  const known = createStoreIndexCache(stores)
  // Another hub's job has read them.
  storage.onStores(() => {
    const read = async () => known.learn(createStoreIndex(await storage.stores()))
    read().catch((err: unknown) => logger.warn({ err }, 'hub.stores-not-read'))
  })
  return known
}

/** Stores that hold until others are learnt. */
export function createStoreIndexCache(records: Parameters<typeof createStoreIndex>[0]) {
  let index = createStoreIndex(records)
  const listeners: (() => void)[] = []
  return {
    index: () => index,
    resolve: (ref: Partial<StoreRef>) => resolveStore(index, ref),
    learn(anew: StoreIndex): void {
      index = anew
      for (const listener of listeners) listener()
    },
    onLearned: (listener: () => void) => void listeners.push(listener),
  }
}

const LOOK_EVERY = 10_000

/** Against a monotonic clock. */
export function watchClock(clock: Clock, logger: Logger, whose?: ClockJump['whose']) {
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
        logger.error({ by: found.by }, 'clock.jumped')
        for (const listener of listeners) listener()
      }
      look(now)
    })
  }

  return {
    jump: (): ClockJump | null => jump,
    /** Until the returned handle is disposed. */
    onJump(listener: () => void): Disposable {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    [Symbol.dispose]: () => cancel(),
  }
}

const DISK_POLL_MS = 2_000

type DiskGuard = ReturnType<typeof createDiskGuard>

/** Reserves the last disk space for what is not sent again, and refuses writes once the file is gone. */
export function createDiskGuard({ look, clock, logger }: { look: ReadDisk; clock: Clock; logger: Logger }) {
  const seen = { level: 'room' as ReturnType<typeof diskLevel>, gone: null as string | null }
  let cancel = () => {}
  let isOver = false

  async function lookNow(): Promise<void> {
    const disk = await look()
    if (isOver) return
    const level = disk ? diskLevel(disk) : 'room'
    if (level !== seen.level) logger[level === 'room' || level === 'fills' ? 'warn' : 'error']({ level }, 'disk.level')
    const gone = disk?.isGone ? goneMeans(disk) : null
    if (gone !== null && seen.gone === null) logger.error({ file: disk?.file }, 'store.file-gone')
    Object.assign(seen, { level, gone })
  }

  function lookOn(): void {
    cancel = clock.after(DISK_POLL_MS, () => {
      void lookNow().finally(() => {
        if (!isOver) lookOn()
      })
    })
  }

  return {
    /** `gone`: why nothing can be written any more. */
    seen: seen as Readonly<typeof seen>,
    lookNow,

    async start(): Promise<void> {
      await lookNow()
      lookOn()
    },

    /** True while deliveries of this urgency wait for disk space. */
    waits: (urgency: Urgency): boolean =>
      seen.gone !== null || seen.level === 'accepts-only' || (seen.level === 'no-bulk' && urgency === 'bulk'),

    holdsDeliveries(): string | null {
      if (seen.gone !== null) return 'the file of the store is gone'
      return seen.level === 'accepts-only' ? 'the disk is almost full' : null
    },

    holdsJobs: (): string | null =>
      seen.level === 'no-bulk' || seen.level === 'accepts-only' ? 'the disk is almost full' : null,

    [Symbol.dispose]() {
      isOver = true
      cancel()
    },
  }
}

/** Watches storage outages, and fetches what was refused meanwhile as soon as they end. */
export function openOutage({ storage, disk, guard, clock, logger }: Infrastructure, scheduler: Scheduler) {
  const over = () =>
    void fetchRefused(scheduler, logger).catch((err: unknown) => logger.warn({ err }, 'resend.not-begun'))
  const free = async () => (await disk())?.free ?? null
  return createOutage({ storage, guard, free, over, clock, logger })
}

/** At once, not on the job's schedule. */
async function fetchRefused(scheduler: Scheduler, logger: Logger): Promise<void> {
  const jobs = await scheduler.status()
  if (!jobs.some(({ name }) => name === RESEND_FAILED)) return logger.warn({ todo: REFUSED_REMEDY }, 'resend.not-there')
  try {
    await scheduler.run(RESEND_FAILED)
  } catch (error) {
    // Running elsewhere or stopping: it runs at each start.
    if (!(error instanceof UserError)) throw error
  }
}

const REFUSED_REMEDY = 'What was refused is not looked for: it takes platform.baseUrl and server.publicUrl in config.'

interface OutageOptions extends Pick<Infrastructure, 'clock' | 'logger'> {
  storage: Pick<Storage, 'accept' | 'check'>
  guard: Pick<DiskGuard, 'seen' | 'lookNow'>
  free(): Promise<number | null>
  over(): void
}

/** Retry interval while the storage refuses writes (ms). */
const OUTAGE_POLL_MS = 5_000

/** A disk with less space takes small writes and refuses the next large one (bytes). */
const ROOM = 128 * 1024

/** Tracks since when the storage refuses writes; notices the end even without traffic. */
export function createOutage({ storage, guard, free, over, clock, logger }: OutageOptions) {
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
    cancel = clock.after(OUTAGE_POLL_MS, () => {
      look().catch((err: unknown) => {
        logger.error({ err }, 'store.not-looked-at')
        if (since !== null) lookSoon()
      })
    })
  }

  async function look(): Promise<StorageSnapshot> {
    try {
      await guard.lookNow()
      if (guard.seen.gone !== null) throw new StorageUnavailableError(guard.seen.gone)
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
    async accept(arrivals: Parameters<Storage['accept']>[0]): ReturnType<Storage['accept']> {
      const { level, gone } = guard.seen
      // Own systems send again: that is no outage.
      if (level === 'accepts-only' && arrivals.some(({ origin }) => origin !== PLATFORM))
        throw new StorageUnavailableError('The disk is almost full: what is left is for the webhooks of the platform.')
      try {
        if (gone !== null) throw new StorageUnavailableError(gone)
        const verdicts = await storage.accept(arrivals)
        if (since !== null) ended()
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
