import type { AdapterInstance } from '../adapters/adapter.ts'
import { createDirectoryPort } from '../adapters/directory/directory.ts'
import { loadAdapter } from '../adapters/load.ts'
import { createCountReader } from '../adapters/mirror/counts.ts'
import { createMirrorPort } from '../adapters/mirror/mirror.ts'
import { createPlatformErasing } from '../adapters/platform/customers.ts'
import { createPlatformPort } from '../adapters/platform/platform-port.ts'
import type { Config } from '../config/config.ts'
import type { Destination } from '../delivery/destination.ts'
import { tellingMoved } from '../delivery/moved-stock.ts'
import { createAsideBook, createUseBook, type HubAsideBook } from '../delivery/platform-use.ts'
import type { ArticleStock, Channels } from '../domain/catalogue/channel.ts'
import { DIRECTORY, MIRROR, PLATFORM } from '../domain/queue/event.ts'
import { type Misfit, MisfitError, misfitsOf } from '../domain/queue/misfit.ts'
import { UserError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { toStoreLocal, wallClockInstant } from '../domain/values/store-time.ts'
import type { Inbox } from '../inbox/accept.ts'
import type { Routable } from '../inbox/route.ts'
import type { AskedDestination } from '../jobs/ledger/destinations/comparison.ts'
import { levelsReader } from '../platform/areas/stock/stock-status.ts'
import { createPlatform } from '../platform/create-platform.ts'
import type { Platform } from '../platform/platform.ts'
import type { Ports } from '../ports/ports.ts'
import type { IntakeSystem } from '../receiver/intake/taking.ts'
import { createArticleStock, type StockOf } from '../store/article-stock.ts'
import type { Base } from './base.ts'

/** A destination as delivery sees it, and as routing does. */
export type Target = Destination & Omit<Routable, 'abilities'>

/** The retailer's own systems, as config names them. */
export interface Systems {
  targets: Target[]
  /** Systems that hand orders over by themselves. */
  handing: IntakeSystem[]
  /** Systems that tills' questions go to: connections of their own, so that they never wait behind deliveries. */
  asked: { name: string; ports: Ports; handsOver: boolean }[]
  /** Systems, each with the look that its adapter can take at it for people. */
  examined: ({ name: string } & Pick<AdapterInstance, 'examine'>)[]
  /** The look of each through its files. */
  searched: NonNullable<AdapterInstance['search']>[]
  /** Systems that are told of alarms: by connections of their own, so that they never wait behind deliveries. */
  told: { name: string; dryRun: boolean; mails: boolean; notify: NonNullable<AdapterInstance['notify']> | null }[]
}

/** The most of one call, and how long it waits for more. Shops and tills wait for levels: little is lost by not waiting long. */
const BATCH = { items: 5_000, bytes: 16_000_000, linger: 100 }

/** The lane of questions to one system: their deadline is the till's, so that this one only frees the connection (milliseconds). */
const LOOKUP_LANE = { concurrency: 8, timeout: 30_000 }

/** How long one call may take where neither config nor the adapter says (milliseconds). */
const PATIENCE = 20_000

/** How long an effect may come late where neither config nor the adapter says: beyond what web servers let a request run (milliseconds). */
const IN_DOUBT_FOR = 5 * 60_000

/** Makes the adapters of all destinations. They open nothing before they are called. */
export async function openSystems(
  { destinations, lookups, alarms }: Config,
  folder: string,
  { opened, misfits }: { opened: AsyncDisposableStack; misfits: MisfitList },
): Promise<Systems> {
  const systems: Systems = { targets: [], handing: [], asked: [], examined: [], searched: [], told: [] }
  const isAsked = lookups.customers !== undefined || lookups.orders !== undefined
  for (const {
    adapter: adapterName,
    options,
    intake: orders,
    publish,
    stocks: _,
    written: __,
    ...rest
  } of destinations) {
    const { name } = rest
    const adapter = await loadAdapter(adapterName, folder)
    const lane = { ...rest.lane, timeout: rest.lane.timeout ?? adapter.patience ?? PATIENCE }
    const open = ({ concurrency, timeout }: Pick<Destination['lane'], 'concurrency' | 'timeout'>): AdapterInstance => {
      const instance = adapter.create(options, { destination: name, timeout, concurrency })
      opened.defer(() => instance[Symbol.asyncDispose]())
      return instance
    }
    const instance = misfits.tried(['destinations', name], () => open(lane))
    if (instance === null) continue
    const { ports, intake, gathers = false } = instance
    const inDoubtFor = lane.inDoubtFor ?? instance.inDoubtFor ?? IN_DOUBT_FOR
    const { stores: places, country, currencies, reservationHours, salesSince } = orders
    systems.targets.push({
      ...rest,
      lane: { ...lane, inDoubtFor },
      ports,
      gathers,
      publish: publish ?? [],
      batch: BATCH,
    })
    if (intake) systems.handing.push({ name, intake, places, country, currencies, reservationHours, salesSince })
    if (isAsked && (ports.customers?.search || ports.orders?.search))
      systems.asked.push({ name, ports: open(LOOKUP_LANE).ports, handsOver: intake !== undefined })
    const examine = instance.examine?.bind(instance)
    systems.examined.push({ name, ...(examine && { examine }) })
    if (instance.search) systems.searched.push(instance.search.bind(instance))
    if (!Object.hasOwn(alarms.to, name)) continue
    const own = open({ ...lane, concurrency: 1 })
    const notify = own.notify?.bind(own) ?? null
    systems.told.push({ name, dryRun: rest.dryRun, mails: own.ports.email !== undefined, notify })
  }
  return systems
}

/** The stocks that shops sell from, each once. */
function soldStocks(targets: readonly Target[]): string[] {
  return [...new Set(targets.flatMap(({ ports, channels }) => (ports.stock?.setLevels ? stocksOf(channels) : [])))]
}

/** Shops that sell the platform's stock, and say what they have. `reached` is told whenever one has answered. */
export function askedShops(targets: readonly Target[], reached: (destination: string) => void) {
  return targets.flatMap(({ name, ports: { stock }, channels }) => {
    if (!stock?.readLevels) return []
    const read = stock.readLevels.bind(stock)
    const readLevels = async (...asked: Parameters<typeof read>) => {
      const page = await read(...asked)
      reached(name)
      return page
    }
    return [{ name, channels, readLevels }]
  })
}

/** A destination, as far as it can be asked what it has. */
export function askedDestination({ name, ports, dryRun, lane }: Target): AskedDestination {
  return { name, ports, dryRun, timeout: lane.timeout }
}

/** The stocks of all channels. */
function stocksOf(channels: Channels): string[] {
  return Object.values(channels).flatMap(({ stocks }) => stocks)
}

/** Gathers what does not fit while a hub is put together, so that all of it is said at once. */
export function createMisfitList() {
  const list: Misfit[] = []

  function add(misfits: readonly Misfit[]): void {
    list.push(...misfits)
  }

  return {
    add,

    /** Makes a part; null where it cannot be made, which is in the list then. `path`: what of config it is made of. */
    tried<Part>(path: Misfit['path'], make: () => Part): Part | null {
      try {
        return make()
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        add(misfitsOf(error, path))
        return null
      }
    },

    /** Throws a MisfitError where there is anything. */
    throwIfAny(): void {
      if (list.length > 0) throw new MisfitError(list)
    },
  }
}

export type MisfitList = ReturnType<typeof createMisfitList>

/** The most of one call, and how long it waits for more: the platform takes 2 MB at once, and is asked rarely. */
const PLATFORM_BATCH = { items: 5_000, bytes: 2_000_000, linger: 1_000 }

/** Settings of the hub's own destinations, of which config says nothing. */
const UNASKED = {
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
function platformTarget(
  platform: Platform,
  { lane, dryRun, reserveOrders }: Pick<Config['platform'], 'lane' | 'dryRun' | 'reserveOrders'>,
): Target {
  const ports = {
    platform: createPlatformPort(platform, { reservesOrders: reserveOrders }),
    customers: createPlatformErasing(platform),
  }
  return { ...UNASKED, name: PLATFORM, lane, dryRun, batch: PLATFORM_BATCH, ports }
}

/** Who gets deliveries: the systems of the config, the platform, and the hub's own tables. */
export function gatherTargets(config: Config, base: Base, systems: Systems, platform: Platform | null) {
  const asked = [...systems.asked]
  // Stock is mirrored for a shop that sells from it, everything where config asks for it.
  const soldFrom = soldStocks(systems.targets)
  const levelsAreSellable = platform?.stock.areSellable() === true
  const stockOf = createArticleStock({ store: base.store, stocks: soldFrom, levelsAreSellable })
  // The mirror, and shops that count by themselves, announce stock to the inbox, which is made for all targets, them among them.
  const made = Promise.withResolvers<Inbox>()
  const announce = async (stock: object) => {
    const inbox = await made.promise
    await inbox.announce('StockChanged', MIRROR, stock, base.clock.now())
  }
  const { logger } = base
  const targets: Target[] = systems.targets.map((target) => tellingMoved(target, { stockOf, announce, logger }))
  if (platform) targets.push(platformTarget(platform, config.platform))
  const mirrored = config.mirror ?? (soldFrom.length > 0 ? 'stock' : null)
  // Customers are kept for a till that asks for them alone, whatever the mirror holds: nobody else reads them.
  if (config.lookups.customers) {
    const directory = directoryTarget(base)
    targets.push(directory)
    asked.push({ name: directory.name, ports: directory.ports, handsOver: false })
  }
  if (mirrored !== null) targets.push(mirrorTarget(base, { what: mirrored, platform, stockOf, announce }))
  return { targets, asked, soldFrom, stockOf, mirrored, announceTo: made.resolve }
}

/** The hub's own tables take few calls at once, and many rows in one. */
const OWN_TABLES = {
  ...UNASKED,
  lane: { concurrency: 1, timeout: 60_000, inDoubtFor: 0, lookAgain: [] },
  dryRun: false,
}

const DIRECTORY_BATCH = { items: 5_000, bytes: 16_000_000, linger: 100 }

/** Mirrored facts go on to shops, so a batch takes no more than comes in the same breath; nothing waits long for its commit. */
const MIRROR_BATCH = { items: 500, bytes: 250_000, linger: 20 }

/** The hub's own customers, for a till that asks for them. */
function directoryTarget({ store }: Pick<Base, 'store'>): Target {
  return { ...OWN_TABLES, name: DIRECTORY, batch: DIRECTORY_BATCH, ports: { customers: createDirectoryPort(store) } }
}

interface Mirrored {
  /** Everything, or stock alone. */
  what: 'all' | 'stock'
  platform: Platform | null
  stockOf: StockOf
  /** Told how many of an article there are now. */
  announce(stock: ArticleStock): Promise<void>
}

/** The hub's own copy of what the platform has. */
function mirrorTarget({ store, stores, flows, clock }: Base, { what, platform, stockOf, announce }: Mirrored): Target {
  const zoneOf = (stockId: string) => stores.index().zoneOfStock(stockId) ?? 'UTC'
  const instantOf = (stockId: string, wallClock: string) => wallClockInstant(wallClock, zoneOf(stockId))
  const wallClockOf = (stockId: string, instant: Instant) => toStoreLocal(instant, zoneOf(stockId)).slice(0, 19)
  const { now } = clock
  const mirror = createMirrorPort({
    records: store,
    stockOf,
    instantOf,
    storeNoOf: (storeId) => stores.index().numberOfStore(storeId),
    levelsOfCounts: createCountReader({
      instantOf,
      wallClockOf,
      readLevels: platform && levelsReader(platform),
      now,
    }),
    announce,
    now,
  })
  const skip = what === 'stock' && flows.some(({ name }) => name === MIRROR) ? [MIRROR] : []
  return { ...OWN_TABLES, name: MIRROR, batch: MIRROR_BATCH, skip, ports: { mirror } }
}
