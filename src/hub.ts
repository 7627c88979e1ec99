import type { Reloaded } from './admin/reload.ts'
import type { Config } from './config/config.ts'
import type { LoadedConfig } from './config/reading/load.ts'
import type { Flow } from './flows/flow.ts'
import { flows as allFlows } from './flows/index.ts'
import { openBase } from './hub/base.ts'
import { createDoubtLog } from './hub/config-warnings.ts'
import { createEntrance } from './hub/entrance.ts'
import { createOffline } from './hub/offline.ts'
import { loggerOf } from './hub/own-logger.ts'
import { createReloading } from './hub/reloading.ts'
import { createSetup } from './hub/setup.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import { type StartThread, startThread } from './lib/thread.ts'
import type { Store } from './store/store.ts'

/** A hub at work. Disposing it stops it in order; nothing is lost. */
export interface Hub extends AsyncDisposable {
  /** Where it listens. */
  url: string
  store: Store
  /** Takes its config file in again, all of it or nothing; `by`: who asks. Rejects with a UserError that says what is wrong. */
  reload(by: string): Promise<Reloaded>
  /**
   * Stops: requests and calls under way get so long to finish, and who has a connection gets `linger` to send one last
   * request on it (milliseconds).
   */
  stop(patience: number, linger?: number): Promise<void>
}

/** Parts that a test may put in the place of the real ones. */
export interface Parts {
  flows?: readonly Flow[]
  clock?: Clock
  random?: () => number
  logger?: Logger
  /** From how long on a turn of the event loop that does not end is a stall (milliseconds). */
  stallMs?: number
  /** How the store's threads are started. */
  startThread?: StartThread
  /** Reads the config again, for a reload. */
  read?: () => Promise<LoadedConfig>
}

/** How long what is under way may take when the hub is disposed of (milliseconds). */
const DISPOSE_PATIENCE = 1_000

/** Long before a supervisor that asks for its health gives a hub up (milliseconds). */
const STALL_MS = 5_000

/**
 * Builds a hub from its config and starts it. `folder`: where paths to adapters of the operator's own begin. Throws a MisfitError
 * that names everything that does not fit, before anything is opened, or a UserError.
 */
export async function startHub(config: Config, folder: string, parts: Parts = {}): Promise<Hub> {
  const { flows = allFlows, clock: ownClock = systemClock, random = Math.random, stallMs = STALL_MS } = parts
  const { logger, logTrouble, setLevel } = loggerOf(config.log, parts.logger)
  const given = { flows, ownFlows: parts.flows !== undefined, ownClock, random, logger, logTrouble }
  {
    await using _ = await createOffline(config, folder, { flows, stores: null })
  }
  /** Everything that is open; if the hub cannot start, it is closed again. */
  await using opened = new AsyncDisposableStack()
  const entrance = opened.use(createEntrance(config.server, { clock: ownClock, logger }))
  const base = await openBase(config, {
    ...given,
    traffic: entrance.traffic,
    stallMs,
    startThread: parts.startThread ?? startThread,
    opened,
  })
  const doubts = createDoubtLog(base)
  const reloading = createReloading({
    base,
    entrance,
    read: parts.read ?? null,
    doubts: doubts.all,
    taken(setup) {
      setLevel(setup.config.log.level)
      doubts.follow(setup)
    },
  })
  const setup = opened.use(await createSetup(config, folder, base, { reload: reloading.reload, doubts: doubts.all }))
  void entrance.lead(setup.listener)
  const url = await entrance.open()
  await reloading.begin(setup)
  const open = opened.move()
  logger.info({ url, destinations: setup.names }, 'hub.started')
  doubts.follow(setup)

  const stop = once(async (patience: number, linger?: number) => {
    await reloading.stop(patience, entrance.close(patience, linger ?? 0))
    await open.disposeAsync()
    logger.info('hub.stopped')
  })
  return {
    url,
    store: base.store,
    reload: reloading.reload,
    stop,
    [Symbol.asyncDispose]: () => stop(DISPOSE_PATIENCE),
  }
}

/** A function that does its work the first time that it is called; whoever calls it again gets what came of that. */
export function once<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
  const done: Result[] = []
  return (...args) => {
    if (done.length === 0) done.push(work(...args))
    return done[0] as Result
  }
}
