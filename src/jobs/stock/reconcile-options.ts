import type { Channels } from '../../domain/catalogue/channel.ts'
import type { Correct } from '../../inbox/corrections.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Platform } from '../../platform/platform.ts'
import type { StockPort } from '../../ports/stock.ts'
import type { StockOf } from '../../store/article-stock.ts'
import type { Store } from '../../store/store.ts'

export interface ReconcileOptions {
  platform: Pick<Platform, 'stockStatus' | 'stock' | 'operations' | 'stockMovements'>
  store: Pick<Store, 'stores' | 'mirrorRows' | 'mirrorPage' | 'saveFindings' | 'levelStanding' | 'now'>
  correct: Correct
  /** The shops that say what they have. */
  shops: readonly AskedShop[]
  /** The stocks that anybody sells from. */
  soldFrom: readonly string[]
  stockOf: StockOf
  /** The column of a movement's id, where it is known: it tells which were missed. */
  movementId: string | undefined
  /** The most differences that are corrected by themselves; more wait for a person. */
  cap: number
  clock: Pick<Clock, 'now'>
  logger: Logger
  /** A cron expression in UTC. */
  schedule?: string
}

/** A shop that says what it has. */
export interface AskedShop {
  name: string
  channels: Channels
  readLevels: NonNullable<StockPort['readLevels']>
}
