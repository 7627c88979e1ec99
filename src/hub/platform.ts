import { createPlatformErasing } from '../adapters/platform/customers.ts'
import { createPlatformPort } from '../adapters/platform/platform-port.ts'
import type { Config } from '../config/config.ts'
import { createAsideBook, type HubAsideBook } from '../delivery/aside-book.ts'
import { createUseBook } from '../delivery/use-book.ts'
import { PLATFORM } from '../domain/queue/event.ts'
import { createPlatform } from '../platform/create-platform.ts'
import type { Platform } from '../platform/platform.ts'
import type { Base } from './base.ts'
import type { MisfitList } from './misfit-list.ts'
import type { Target } from './systems.ts'

/** The most of one call, and how long it waits for more: the platform takes 2 MB at once, and is asked rarely. */
const BATCH = { items: 5_000, bytes: 2_000_000, linger: 1_000 }

/** Settings of the hub's own destinations, of which config says nothing. */
export const UNASKED = {
  publish: [],
  skip: [],
  stores: null,
  messages: [],
  channels: {},
  accounts: null,
  daily: { flows: [], closes: '03:00' },
}

/** The platform as config names it: whom the hub asks, and as a destination. Null: it asks nothing. */
export function openPlatform(
  { baseUrl, odataUrl, apiKey, subscriptionKey, preset, rate, endpoints }: Config['platform'],
  { store, clock, ownClock, logger }: Base,
  { opened, misfits }: { opened: AsyncDisposableStack; misfits: MisfitList },
): { platform: Platform | null; asides: HubAsideBook } {
  const uses = createUseBook(store, clock, logger)
  const asides = createAsideBook(clock, logger)
  if (!baseUrl || !apiKey || !subscriptionKey) return { platform: null, asides }
  const keys = { apiKey, subscriptionKey }
  const platform = misfits.tried(['platform'], () =>
    createPlatform({ ...keys, preset, baseUrl, odataUrl, rate, endpoints, uses, asides, clock: ownClock }),
  )
  return { platform: platform && opened.use(platform), asides }
}

/** The platform as a destination: submissions of own systems go to it as to any other. */
export function platformTarget(
  platform: Platform,
  { lane, dryRun, reserveOrders }: Pick<Config['platform'], 'lane' | 'dryRun' | 'reserveOrders'>,
): Target {
  const ports = {
    platform: createPlatformPort(platform, { reservesOrders: reserveOrders }),
    customers: createPlatformErasing(platform),
  }
  return { ...UNASKED, name: PLATFORM, lane, dryRun, batch: BATCH, ports }
}
