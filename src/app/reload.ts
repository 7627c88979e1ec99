import { isDeepStrictEqual } from 'node:util'
import type { Reload, Reloaded } from '../admin/context.ts'
import type { Config } from '../config/config.ts'
import { type LoadedConfig, located } from '../config/load.ts'
import { isMap, pathText } from '../config/schemas-at.ts'
import type { ConfigWarning } from '../domain/health/health.ts'
import { UserError } from '../domain/values/errors.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { createSetup, type Setup } from './compose.ts'
import { listsOf, warningsOf } from './config-warnings.ts'
import type { Base } from './infrastructure.ts'
import { refuseTokenInUse } from './subscriptions.ts'
import type { TrafficSwitch } from './traffic-switch.ts'

interface Options {
  base: Base
  trafficSwitch: TrafficSwitch
  /** Null: the config came from no file. */
  read: (() => Promise<LoadedConfig>) | null
  warnings: () => readonly ConfigWarning[]
  taken(setup: Setup): void
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
export function createReloading({ base, trafficSwitch, read, warnings, taken }: Options) {
  const { logger, stores } = base
  const oneByOne = createSemaphore(1)
  const closed = Promise.withResolvers<void>()
  const leaving = new Map<Setup, Promise<void>>()
  let current: Setup | null = null
  let isStopping = false

  const reload: Reload = (by) => oneByOne(() => takeIn(by))

  async function takeIn(by: string): Promise<Reloaded> {
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
      const next = await createSetup(loaded.config, loaded.folder, base, { reload, warnings }).catch(
        (error: unknown) => {
          throw located(error, loaded)
        },
      )
      await swap(current, next)
      logger.warn({ by, changed }, 'config.reloaded')
      const found = warningsOf(loaded.config, next.systems, listsOf(stores.index().stores))
      return { file: loaded.path, changed, warnings: loaded.problemsOf(found) }
    } catch (error) {
      const why = error instanceof UserError ? { problem: error.message } : { err: error }
      logger.error({ by, ...why }, 'config.not-reloaded')
      throw error
    }
  }

  async function swap(before: Setup, next: Setup): Promise<void> {
    await before.stopJobs(JOBS_PATIENCE)
    current = next
    const answered = trafficSwitch.lead(next.listener)
    const executed = before.worker.stop(LONGEST_CALL)
    leaving.set(before, leave(before, answered, executed))
    taken(next)
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
