import type { Reloaded } from '../admin/context.ts'
import type { Config } from '../config/config.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Flow } from '../flows/flow.ts'
import { flows as allFlows } from '../flows/index.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { type StartThread, startThread } from '../lib/thread.ts'
import type { Storage } from '../storage/storage.ts'
import { createSetup } from './compose.ts'
import { createWarningLog } from './config-warnings.ts'
import { openBase } from './infrastructure.ts'
import { loggerOf } from './logger.ts'
import { createOffline } from './offline.ts'
import { createReloading } from './reload.ts'
import { createTrafficSwitch } from './traffic-switch.ts'

/** A running hub. Disposing it stops it in order. */
export interface Hub extends AsyncDisposable {
  url: string
  storage: Storage
  /** Reloads the config file, all or nothing. Rejects with a UserError. */
  reload(by: string): Promise<Reloaded>
  /** Stops: requests and calls get `patience` ms; open connections may send one last request within `linger` ms. */
  stop(patience: number, linger?: number): Promise<void>
}

/** Replacements for tests. */
export interface Parts {
  flows?: readonly Flow[]
  clock?: Clock
  random?: () => number
  logger?: Logger
  stallMs?: number
  startThread?: StartThread
  read?: () => Promise<LoadedConfig>
}

/** (ms) */
const DISPOSE_PATIENCE = 1_000

/** Well before a supervisor's health check gives up (ms). */
const STALL_MS = 5_000

/** `folder`: base of relative adapter paths. Throws a ConfigIssueError with every config issue before anything is opened, or a UserError. */
export async function startHub(config: Config, folder: string, parts: Parts = {}): Promise<Hub> {
  const { flows = allFlows, clock: ownClock = systemClock, random = Math.random, stallMs = STALL_MS } = parts
  const { logger, logFailure, setLevel } = loggerOf(config.log, parts.logger)
  const given = { flows, ownFlows: parts.flows !== undefined, ownClock, random, logger, logFailure }
  {
    await using _ = await createOffline(config, folder, flows)
  }
  await using opened = new AsyncDisposableStack()
  const trafficSwitch = opened.use(createTrafficSwitch(config.server, { clock: ownClock, logger }))
  const base = await openBase(config, {
    ...given,
    traffic: trafficSwitch.traffic,
    stallMs,
    startThread: parts.startThread ?? startThread,
    opened,
  })
  const warnings = createWarningLog(base)
  const reloading = createReloading({
    base,
    trafficSwitch,
    read: parts.read ?? null,
    warnings: warnings.all,
    taken(setup) {
      setLevel(setup.config.log.level)
      warnings.follow(setup)
    },
  })
  const setup = opened.use(
    await createSetup(config, folder, base, { reload: reloading.reload, warnings: warnings.all }),
  )
  void trafficSwitch.lead(setup.listener)
  const url = await trafficSwitch.open()
  await reloading.begin(setup)
  const open = opened.move()
  logger.info({ url, destinations: setup.names }, 'hub.started')
  warnings.follow(setup)

  const stop = once(async (patience: number, linger?: number) => {
    await reloading.stop(patience, trafficSwitch.close(patience, linger ?? 0))
    await open.disposeAsync()
    logger.info('hub.stopped')
  })
  return {
    url,
    storage: base.storage,
    reload: reloading.reload,
    stop,
    [Symbol.asyncDispose]: () => stop(DISPOSE_PATIENCE),
  }
}

function once<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
  const done: Result[] = []
  return (...args) => {
    if (done.length === 0) done.push(work(...args))
    return done[0] as Result
  }
}
