import type { JobName } from '../../config/jobs.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import { stockChangesJob, stockLevelsJob } from '../stock/stock-levels.ts'
import type { LookBack } from './days.ts'
import { deliveriesJob } from './deliveries.ts'
import { createHandover } from './handover.ts'
import { salesLinesJob } from './sales-lines.ts'
import { settlementsJob } from './settlements.ts'
import { stockCountsJob } from './stock-counts.ts'
import { stockMovementsJob } from './stock-movements.ts'

/** Facts that are pulled besides those that are pushed, and for whom. */
export interface Pulling {
  mirrored: 'all' | 'stock' | null
  wanted?: (kind: string) => boolean
  soldFrom: readonly string[]
  listsDeliveries: boolean
  listsCounts?: boolean
  pulls: LookBack & { movementColumns: { id?: string | undefined; type?: string | undefined } }
}

interface Options extends Pulling {
  platform: Pick<Platform, 'settlements' | 'stock' | 'stockMovements' | 'salesLines' | 'deliveries' | 'counts'>
  store: Pick<Store, 'stores' | 'mirrorRows' | 'mirrorPage' | 'events'>
  inbox: Pick<Inbox, 'accept' | 'announce'>
  at(name: JobName): { schedule?: string }
  clock: Clock
  logger: Logger
}

/** The pull jobs whose events are subscribed to. */
export function createPulls(options: Options): HubJob[] {
  const { platform, store, inbox, mirrored, wanted = () => true, soldFrom, listsDeliveries, pulls, at } = options
  const { listsCounts = false } = options
  const { clock, logger } = options
  const { movementColumns, ...back } = pulls
  const common = { platform, store, handover: createHandover({ inbox, clock, logger }), back, clock, logger }
  const jobs: HubJob[] = []

  if (wanted('POSSettlementCreated'))
    jobs.push(settlementsJob({ ...common, mirrored: mirrored === 'all', ...at('settlements') }))
  if (mirrored !== null && wanted('StockLevelRead'))
    jobs.push(
      stockLevelsJob({ ...common, soldFrom, ...at('stock-levels') }),
      stockChangesJob({ ...common, soldFrom, ...at('stock-changes') }),
    )
  const { id, type } = movementColumns
  if (wanted('StockMovementCreated')) {
    if (id !== undefined) jobs.push(stockMovementsJob({ ...common, columns: { id, type }, ...at('stock-movements') }))
    else logger.debug({ job: 'stock-movements', lacks: 'pulls.movementColumns.id' }, 'job.left-out')
  }
  if (mirrored === 'all' && wanted('SalesLinesRead')) jobs.push(salesLinesJob({ ...common, ...at('sales-lines') }))
  if (listsCounts && wanted('StockCountReconciled')) jobs.push(stockCountsJob({ ...common, ...at('stock-counts') }))
  if (mirrored === 'all' && wanted('DeliveryUpdated')) {
    if (listsDeliveries) jobs.push(deliveriesJob({ ...common, ...at('deliveries') }))
    else logger.debug({ job: 'deliveries', lacks: 'platform.endpoints.deliveries.list' }, 'job.left-out')
  }
  return jobs
}
