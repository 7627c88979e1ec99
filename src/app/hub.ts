import { isDeepStrictEqual } from 'node:util'
import { pino } from 'pino'
import type { Reload, Reloaded } from '../admin/context.ts'
import type { Config } from '../config/config.ts'
import { type LoadedConfig, located } from '../config/load.ts'
import { pathText } from '../config/schema.ts'
import type { LogFailure } from '../domain/health/storage-health.ts'
import { UserError } from '../domain/values/errors.ts'
import type { Flow } from '../flows/flow.ts'
import { flows as allFlows } from '../flows/index.ts'
import { readCallback } from '../jobs/subscriptions/decide.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { isMap } from '../lib/collections.ts'
import { createLogger, type Logger } from '../lib/logger.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { type StartThread, startThread } from '../lib/thread.ts'
import type { Platform } from '../platform/platform.ts'
import type { Storage } from '../storage/storage.ts'
import { createSetup, type Setup } from './compose.ts'
import { createWarningLog, listsOf, type WarningLog, warningsOf } from './config-checks.ts'
import { type Infrastructure, openInfrastructure } from './infrastructure.ts'
import { createOffline } from './offline.ts'
import { createTrafficSwitch, type TrafficSwitch } from './traffic-switch.ts'

/** A running hub. Disposing it stops it in order. */
export interface Hub extends AsyncDisposable {
  url: string
  /** Of `server.admin`; null: `url` has `/admin` and `/console` as well. */
  adminUrl: string | null
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
  const { flows = allFlows, clock: ownClock = systemClock, random = Math.random, read = null } = parts
  const { logger, logFailure, setLevel } = openLog(config.log, parts.logger)
  {
    await using _ = await createOffline(config, folder, flows)
  }
  await using opened = new AsyncDisposableStack()
  const trafficSwitch = opened.use(createTrafficSwitch(config.server, { clock: ownClock, logger }))
  const base = await openInfrastructure(config, {
    ...{ flows, ownFlows: parts.flows !== undefined, ownClock, random, logger, logFailure, opened },
    traffic: trafficSwitch.traffic,
    stallMs: parts.stallMs ?? STALL_MS,
    startThread: parts.startThread ?? startThread,
  })
  const warnings = createWarningLog(base)
  const reloading = createReloading({ base, trafficSwitch, read, warnings, setLevel })
  const setup = opened.use(
    await createSetup(config, folder, base, { reload: reloading.reload, warnings: warnings.all }),
  )
  void trafficSwitch.switchTo(setup.listeners)
  const { url, adminUrl } = await trafficSwitch.open()
  await reloading.begin(setup)
  const open = opened.move()
  logger.info({ url, ...(adminUrl && { adminUrl }), destinations: setup.names }, 'hub.started')
  warnings.follow(setup)

  let stopped: Promise<void> | undefined
  async function end(patience: number, linger: number): Promise<void> {
    await reloading.stop(patience, trafficSwitch.close(patience, linger))
    await open.disposeAsync()
    logger.info('hub.stopped')
  }
  async function stop(patience: number, linger = 0): Promise<void> {
    stopped ??= end(patience, linger)
    await stopped
  }
  return {
    url,
    adminUrl,
    storage: base.storage,
    reload: reloading.reload,
    stop,
    [Symbol.asyncDispose]: () => stop(DISPOSE_PATIENCE),
  }
}

interface Reloadable {
  base: Infrastructure
  trafficSwitch: TrafficSwitch
  /** Null: the config came from no file. */
  read: (() => Promise<LoadedConfig>) | null
  warnings: WarningLog
  setLevel(level: Config['log']['level']): void
}

/** Jobs resume from their checkpoint at the next run (ms). */
const JOBS_PATIENCE = 5_000

/** Longer than any call's timeout (ms). */
const LONGEST_CALL = 15 * 60_000

/** Longer than any request (ms). */
const LONGEST_REQUEST = 65 * 60_000

/**
 * Reloads: a new setup is composed beside the running one on the same storage, takes over traffic and pending deliveries, and the old one
 * drains. Nothing is refused or done twice: claims live in the storage.
 */
function createReloading({ base, trafficSwitch, read, warnings, setLevel }: Reloadable) {
  const { logger, stores } = base
  const oneByOne = createSemaphore(1)
  const closed = Promise.withResolvers<void>()
  const leaving = new Map<Setup, Promise<void>>()
  let current: Setup | null = null
  let isStopping = false

  const reload: Reload = (by, { dryRun } = { dryRun: false }) => oneByOne(() => takeIn(by, dryRun))

  async function takeIn(by: string, dryRun: boolean): Promise<Reloaded> {
    try {
      if (isStopping) throw new UserError('The hub is stopping; it reads its config when it starts.')
      if (read === null || current === null)
        throw new UserError('This hub was given its config by a program: there is no file to read.')
      const loaded = await read()
      const changed = changedKeys(current.config, loaded.config)
      const kept = restartKeys(changed)
      if (kept.length > 0)
        throw new UserError(
          `${kept.join(', ')} cannot change while the hub runs. Nothing was taken in: restart it, or take that change back and reload.`,
        )
      await refuseTokenInUse(current, loaded.config, logger)
      const next = await createSetup(loaded.config, loaded.folder, base, { reload, warnings: warnings.all }).catch(
        (error: unknown) => {
          throw located(error, loaded)
        },
      )
      const found = warningsOf(loaded.config, next.systems, listsOf(stores.index().stores))
      if (dryRun) await next[Symbol.asyncDispose]()
      else {
        await swap(current, next)
        logger.warn({ by, changed }, 'config.reloaded')
      }
      return { file: loaded.path, changed, warnings: loaded.problemsOf(found) }
    } catch (error) {
      const why = error instanceof UserError ? { problem: error.message } : { err: error }
      if (!dryRun) logger.error({ by, ...why }, 'config.not-reloaded')
      throw error
    }
  }

  async function swap(before: Setup, next: Setup): Promise<void> {
    await before.stopJobs(JOBS_PATIENCE)
    current = next
    const answered = trafficSwitch.switchTo(next.listeners)
    const executed = before.worker.stop(LONGEST_CALL)
    leaving.set(before, leave(before, answered, executed))
    setLevel(next.config.log.level)
    warnings.follow(next)
    await next.start(before.worker)
  }

  async function leave(before: Setup, answered: Promise<void>, executed: Promise<void>): Promise<void> {
    const tooLong = Promise.withResolvers<void>()
    const timer = setTimeout(tooLong.resolve, LONGEST_REQUEST)
    try {
      await Promise.all([executed, Promise.race([answered, closed.promise, tooLong.promise])])
      await before[Symbol.asyncDispose]()
    } catch (err) {
      logger.error({ err }, 'config.old-not-closed')
    } finally {
      clearTimeout(timer)
      leaving.delete(before)
    }
  }

  return {
    reload,

    async begin(setup: Setup): Promise<void> {
      current = setup
      await setup.start(null)
    },

    /** `patience` (ms): for calls and jobs. */
    async stop(patience: number, closing: Promise<void>): Promise<void> {
      isStopping = true
      // A reload under way ends first.
      await oneByOne(async () => {})
      const gone = [...leaving.keys()].map((before) => before.worker.stop(patience))
      await Promise.all([closing, current?.worker.stop(patience), current?.stopJobs(patience), ...gone])
      closed.resolve()
      await Promise.all(leaving.values())
      await current?.[Symbol.asyncDispose]()
    },
  }
}

/** Settings that need a restart. */
const KEPT = [
  'server.host',
  'server.port',
  'server.admin',
  'server.limits',
  'server.timeouts',
  'store',
  'platform.webhooks.sameBytesWindow',
]

export function changedKeys(before: Config, after: Config): string[] {
  return differences(asWritten(before), asWritten(after), [])
}

export function restartKeys(changed: readonly string[]): string[] {
  return changed.filter((key) => KEPT.some((kept) => key === kept || key.startsWith(`${kept}.`)))
}

function differences(before: unknown, after: unknown, path: readonly string[]): string[] {
  // An added or removed key is named itself, not its content.
  if (!isMap(before) || !isMap(after) || !isPlain(before) || !isPlain(after))
    return isDeepStrictEqual(before, after) ? [] : [pathText(path)]
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].flatMap((key) => differences(before[key], after[key], [...path, key]))
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}

/** Destinations by name with their options; a named stock is no channel. */
function asWritten({ destinations, ...rest }: Config): Record<string, unknown> {
  const byName = destinations.map(({ name, options: _, written, channels, ...common }) => {
    const named = Object.values(common.stocks)
    const own = Object.entries(channels).filter(([location]) => !named.includes(location))
    return [name, { ...common, ...written, channels: Object.fromEntries(own) }]
  })
  return { ...rest, destinations: Object.fromEntries(byName) }
}

/**
 * Throws a UserError if config drops a token that the platform still sends: its webhooks would be refused. A platform that cannot be
 * asked is logged and ignored.
 */
async function refuseTokenInUse(
  before: { config: Pick<Config, 'server' | 'platform'>; platform: Pick<Platform, 'webhooks'> | null },
  after: Pick<Config, 'platform'>,
  logger: Logger,
): Promise<void> {
  const { publicUrl } = before.config.server
  const dropped = before.config.platform.webhooks.tokens.filter((one) => !after.platform.webhooks.tokens.includes(one))
  if (dropped.length === 0) return
  const listed = await before.platform?.webhooks.list(AbortSignal.timeout(TIMEOUT_MS)).catch(() => null)
  if (!listed || publicUrl === undefined) return logger.warn({ todo: REMEDY }, 'config.tokens-not-looked-at')
  const inUse = listed.rows.filter(({ url }) => dropped.includes(readCallback(url, publicUrl)?.token ?? ''))
  if (inUse.length === 0) return
  const moved =
    after.platform.webhooks.kinds === undefined ? 'reload, change their addresses at the platform' : 'reload'
  throw new UserError(
    `platform.webhooks.tokens: ${inUse.length} subscriptions still send with a token that is taken out: each would be refused. Nothing was taken in: put the new token first, leave the old one below it, ${moved}, and take it out when tillbridge subscriptions list says that each has the first one.`,
  )
}

const TIMEOUT_MS = 10_000

const REMEDY =
  'A token was taken out, and whether the platform still sends with it could not be looked at: tillbridge subscriptions list.'

function openLog({ level }: Config['log'], given?: Logger) {
  if (given) return { logger: given, logFailure: () => null, setLevel() {} }
  const { stream, failure } = openLogOutput()
  const logger = createLogger(level, stream)
  return {
    logger,
    logFailure: failure,
    setLevel(next: Config['log']['level']) {
      logger.level = next
    },
  }
}

/** Bytes of buffered log lines: output may block for days. */
const MAX_WAITING = 8 * 1024 * 1024

/** Asynchronous stdout, flushed within half a second. If blocked, lines are buffered, then dropped. */
function openLogOutput() {
  const stream = pino.destination({
    ...{ dest: 1, sync: false, minLength: 4_096, periodicFlush: 500, maxLength: MAX_WAITING },
  })
  let failure: LogFailure | null = null
  const met = () => {
    failure ??= { code: null, since: Date.now(), lost: 0 }
    return failure
  }
  stream.on('error', (error: NodeJS.ErrnoException) => {
    met().code = error.code ?? error.name
  })
  stream.on('drop', () => {
    met().lost += 1
  })
  stream.on('write', () => {
    failure = null
  })
  // flushSync at exit would loop for ever on a full disk: drop instead.
  const flushSync = stream.flushSync.bind(stream)
  stream.flushSync = () => {
    if (failure === null) flushSync()
  }
  return { stream, failure: () => failure }
}
