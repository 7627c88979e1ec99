import type { Inbox } from '../../ingest/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Storage } from '../../storage/storage.ts'
import type { HubJob } from '../engine/job.ts'
import { stockLevelsJob } from '../stock/stock-levels.ts'
import type { LookBack } from './days.ts'
import { goodsDeliveriesJob } from './goods-deliveries.ts'
import { createIngest } from './ingest.ts'
import { salesLinesJob } from './sales-lines.ts'
import { settlementsJob } from './settlements.ts'
import { stockMovementsJob } from './stock-movements.ts'

export interface Pulling {
  mirrored: 'all' | 'stock' | null
  wanted?: (kind: string) => boolean
  soldFrom: readonly string[]
  listsDeliveries: boolean
  pulls: LookBack & { movementColumns: { id?: string | undefined; type?: string | undefined } }
}

interface Options extends Pulling {
  platform: Pick<Platform, 'settlements' | 'stock' | 'stockMovements' | 'salesLines' | 'goodsDeliveries'>
  storage: Pick<Storage, 'stores' | 'mirrorRows' | 'mirrorPage'>
  inbox: Pick<Inbox, 'accept' | 'announce'>
  clock: Clock
  logger: Logger
}

export function createPulls(options: Options): HubJob[] {
  const { platform, storage, inbox, mirrored, wanted = () => true, soldFrom, listsDeliveries, pulls } = options
  const { clock, logger } = options
  const { movementColumns, ...back } = pulls
  const { id, type } = movementColumns
  const all = mirrored === 'all'
  const common = { platform, storage, ingest: createIngest({ inbox, clock, logger }), back, soldFrom, clock, logger }
  const leftOut = (job: string, lacks: string) => logger.debug({ job, lacks }, 'job.left-out')
  const jobs: HubJob[] = []
  if (wanted('POSSettlementCreated')) jobs.push(settlementsJob({ ...common, mirrored: all }))
  if (mirrored !== null && wanted('StockLevelRead')) jobs.push(stockLevelsJob(common))
  if (wanted('StockMovementCreated')) {
    if (id !== undefined) jobs.push(stockMovementsJob({ ...common, columns: { id, type } }))
    else leftOut('stock-movements', 'pulls.movementColumns.id')
  }
  if (all && wanted('SalesLinesRead')) jobs.push(salesLinesJob(common))
  if (all && wanted('DeliveryUpdated')) {
    if (listsDeliveries) jobs.push(goodsDeliveriesJob(common))
    else leftOut('goods-deliveries', 'platform.endpoints.goodsDeliveries.list')
  }
  return jobs
}
