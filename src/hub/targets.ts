import { createDirectoryPort } from '../adapters/directory/directory.ts'
import { createCountReader } from '../adapters/mirror/counts.ts'
import { createMirrorPort } from '../adapters/mirror/mirror.ts'
import type { Config } from '../config/config.ts'
import { tellingMoved } from '../delivery/moved-stock.ts'
import type { ArticleStock } from '../domain/catalogue/channel.ts'
import { DIRECTORY, MIRROR } from '../domain/queue/event.ts'
import type { Instant } from '../domain/values/instant.ts'
import { toStoreLocal, wallClockInstant } from '../domain/values/store-time.ts'
import type { Inbox } from '../inbox/accept.ts'
import { levelsReader } from '../platform/areas/stock/stock-status.ts'
import type { Platform } from '../platform/platform.ts'
import { createArticleStock, type StockOf } from '../store/article-stock.ts'
import type { Base } from './base.ts'
import { platformTarget, UNASKED } from './platform.ts'
import { type Systems, soldStocks, type Target } from './systems.ts'

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

const BATCH = { items: 5_000, bytes: 16_000_000, linger: 100 }

/** Mirrored facts go on to shops, so a batch takes no more than comes in the same breath; nothing waits long for its commit. */
const MIRROR_BATCH = { items: 500, bytes: 250_000, linger: 20 }

/** The hub's own customers, for a till that asks for them. */
function directoryTarget({ store }: Pick<Base, 'store'>): Target {
  return { ...OWN_TABLES, name: DIRECTORY, batch: BATCH, ports: { customers: createDirectoryPort(store) } }
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
