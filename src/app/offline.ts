import type { Config } from '../config/config.ts'
import { type LoadedConfig, located } from '../config/load.ts'
import type { IndexedStore } from '../domain/stores/store-index.ts'
import { UserError } from '../domain/values/errors.ts'
import type { Flow } from '../flows/flow.ts'
import { flows as allFlows } from '../flows/index.ts'
import { createPosPriority } from '../http/pos-priority.ts'
import { systemClock } from '../lib/clock.ts'
import { createLogger } from '../lib/logger.ts'
import type { Storage } from '../storage/storage.ts'
import { createSetup, type Setup } from './compose.ts'
import { createDiskGuard, createStoreIndexCache, type Infrastructure } from './infrastructure.ts'
import { createTrafficSwitch } from './traffic-switch.ts'

/** A hub that is composed but inert. */
export type Offline = Pick<Setup, 'systems' | 'platform' | 'targets' | 'route' | 'actingOn' | 'unverified'> &
  AsyncDisposable

/**
 * Composes a hub as a start would, on an unopened storage: nothing is asked, written or left behind. Throws a ConfigIssueError listing every
 * config issue.
 */
export async function createOffline(
  config: Config,
  folder: string,
  flows: readonly Flow[],
  stores: readonly IndexedStore[] = [],
): Promise<Offline> {
  await using opened = new AsyncDisposableStack()
  const logger = createLogger('silent', { write() {} })
  const clock = systemClock
  const { traffic } = opened.use(createTrafficSwitch(config.server, { clock, logger }))
  const storage = unopened()
  const disk = async () => null
  const base: Infrastructure = {
    storage,
    stores: createStoreIndexCache(stores),
    eventLoop: { hasStalledSince: () => false, delay: () => ({ p50Ms: 0, p99Ms: 0, maxMs: 0 }), [Symbol.dispose]() {} },
    searchIndex: { catchUp: async () => true },
    traffic,
    posPriority: createPosPriority(),
    disk,
    guard: opened.use(createDiskGuard({ look: disk, clock, logger })),
    clockWatch: { jump: () => null, onJump: () => ({ [Symbol.dispose]() {} }), [Symbol.dispose]() {} },
    flows,
    ownFlows: true,
    clock,
    ownClock: clock,
    random: Math.random,
    logger,
    logFailure: () => null,
  }
  const setup = opened.use(
    await createSetup(config, folder, base, { reload: () => Promise.reject(NO_RELOAD), warnings: () => [] }),
  )
  const open = opened.move()
  const { systems, platform, targets, route, actingOn, unverified } = setup
  return { systems, platform, targets, route, actingOn, unverified, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The same of a config file. Throws a ConfigError with every issue and its line. */
export async function composeLoaded(loaded: LoadedConfig, stores?: readonly IndexedStore[]): Promise<Offline> {
  return await createOffline(loaded.config, loaded.folder, allFlows, stores).catch((error: unknown) => {
    throw located(error, loaded)
  })
}

/** A storage on which every call fails. */
function unopened(): Storage {
  const deaf = () => () => {}
  const closed = () => Promise.reject(new Error('The store is not opened to put a hub together.'))
  return new Proxy({} as Storage, { get: (_, name) => (name === 'onWork' || name === 'onStores' ? deaf : closed) })
}

const NO_RELOAD = new UserError('This hub does not run.')
