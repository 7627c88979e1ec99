import { createDirectoryPort } from '../adapters/directory/directory.ts'
import { createCountReader } from '../adapters/mirror/counts.ts'
import { createMirrorPort } from '../adapters/mirror/mirror.ts'
import type { ArticleStock } from '../domain/catalogue/channel.ts'
import { DIRECTORY, MIRROR } from '../domain/queue/event.ts'
import type { Instant } from '../domain/values/instant.ts'
import { toStoreLocal, wallClockInstant } from '../domain/values/store-time.ts'
import { levelsReader } from '../platform/areas/stock/stock-status.ts'
import type { Platform } from '../platform/platform.ts'
import type { StockOf } from '../store/article-stock.ts'
import type { Base } from './base.ts'
import { UNASKED } from './platform.ts'
import type { Target } from './systems.ts'

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
export function directoryTarget({ store }: Pick<Base, 'store'>): Target {
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
export function mirrorTarget(
  { store, stores, flows, clock }: Base,
  { what, platform, stockOf, announce }: Mirrored,
): Target {
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
