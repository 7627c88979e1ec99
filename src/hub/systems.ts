import type { AdapterInstance } from '../adapters/adapter.ts'
import { loadAdapter } from '../adapters/load.ts'
import type { Config } from '../config/config.ts'
import type { Destination } from '../delivery/destination.ts'
import type { Channels } from '../domain/catalogue/channel.ts'
import type { Routable } from '../inbox/route.ts'
import type { AskedDestination } from '../jobs/ledger/destinations/comparison.ts'
import type { Ports } from '../ports/ports.ts'
import type { IntakeSystem } from '../receiver/intake/system.ts'
import type { MisfitList } from './misfit-list.ts'

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
export function soldStocks(targets: readonly Target[]): string[] {
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
