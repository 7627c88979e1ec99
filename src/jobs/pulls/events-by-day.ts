import { fullnessOf } from '../../domain/accounting/settlement.ts'
import { field, text } from '../../domain/values/field.ts'
import { pluralize } from '../../domain/values/text.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Unreadable } from '../../platform/http/read.ts'
import { movementTypeOf } from '../../platform/payloads/goods.ts'
import { readFiscal } from '../../platform/payloads/settlement.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Settlement, StockMovement } from '../../platform/resources/sales.ts'
import type { Storage } from '../../storage/storage.ts'
import type { HubJob } from '../engine/job.ts'
import { DayState, type LookBack, openStores, planDays, pullDays, todaysOf } from './days.ts'
import { type Ingest, wireNumber } from './ingest.ts'

interface Options {
  platform: Pick<Platform, 'stockMovements'>
  storage: Pick<Storage, 'stores' | 'mirrorRows' | 'mirrorPage'>
  ingest: Pick<Ingest, 'take'>
  columns: MovementColumns
  back: LookBack
  logger: Logger
}

const ROWS_PER_READ = 500

/** Days before the checkpoint that are read again: offline POS are late. */
const OVERLAP = 1

/** Reads the stock movements of each day (odata Stockmovements), and ingests those that the mirror does not have. */
export function stockMovementsJob({ platform, storage, ingest, columns, back, logger }: Options): HubJob {
  const select = [columns.id, ...(columns.type === undefined ? [] : [columns.type])]

  return {
    name: 'stock-movements',
    async run(run) {
      const todays = todaysOf(openStores(await storage.stores(), run.now), run.now)
      const plan = planDays(DayState.safeParse(run.state).data ?? null, todays, back, OVERLAP)
      const counts = { rows: 0, news: 0, nameless: 0 }
      return await pullDays({
        ...{ job: 'stock-movements', run, todays, logger, ...plan },
        async read(day) {
          const rows: StockMovement[] = []
          const rejected: Unreadable[] = []
          for await (const window of platform.stockMovements.list({ from: day, to: day, select }, run.signal)) {
            for (const row of window.rows) if (row.movedAt.startsWith(day)) rows.push(row)
            for (const row of window.rejected) rejected.push(row)
          }
          counts.rows += rows.length
          for (const some of chunksOf(rows, ROWS_PER_READ)) rejected.push(...(await takeNew(some, counts)))
          if (rows.length === 0 && rejected.length === 0) await warnIfSuspect(day)
          return { rows: rows.length, rejected }
        },
        note() {
          const nameless = counts.nameless > 0 ? `, ${counts.nameless} without an id` : ''
          return `${pluralize(counts.rows, 'movement')}, ${counts.news} new${nameless}`
        },
      })
    },
  }

  async function takeNew(
    rows: readonly StockMovement[],
    counts: { news: number; nameless: number },
  ): Promise<Unreadable[]> {
    const ids = rows.map(({ record }) => text(record, columns.id) ?? '')
    const known = new Set((await storage.mirrorRows('movements', ids)).map(({ key }) => key))
    const missing = rows.filter((_, index) => !known.has(ids[index] ?? ''))
    const payloads = missing.flatMap((row) => movementPayload(row, columns) ?? [])
    counts.nameless += missing.length - payloads.length
    const { news, rejected } = await ingest.take('StockMovementCreated', payloads)
    counts.news += news
    return rejected
  }

  async function warnIfSuspect(day: string): Promise<void> {
    const [pushed] = await storage.mirrorPage({ set: 'movements', from: day, to: day }, null, 1)
    if (pushed) logger.warn({ day }, 'stock-movements.suspect')
  }
}

export interface MovementColumns {
  id: string
  /** Without it, the reason of a movement is unknown. */
  type?: string | undefined
}

/** As webhooks bring it (spec, "StockMovementCreated"); null: without an id. */
export function movementPayload({ record, stockId, gtin, quantity, movedAt }: StockMovement, columns: MovementColumns) {
  const id = text(record, columns.id)
  if (id === null) return null
  return {
    movementId: field(record, columns.id),
    stockId: field(record, 'Stockid') ?? stockId,
    gtin,
    type: columns.type === undefined ? null : movementTypeOf(text(record, columns.type)),
    quantity: wireNumber(quantity),
    createdDateTime: movedAt,
  }
}

interface SettlementOptions {
  platform: Pick<Platform, 'settlements'>
  storage: Pick<Storage, 'stores' | 'mirrorRows'>
  ingest: Pick<Ingest, 'take' | 'announce'>
  mirrored: boolean
  back: LookBack
  logger: Logger
}

/** Days before the checkpoint that are read again: a POS that was not closed in the evening is settled the day after. */
const SETTLEMENT_OVERLAP = 2

/** Takes the settlements of each day (spec, "pull at end of day or at night"). Run by an operator, it asks for all recent days. */
export function settlementsJob({ platform, storage, ingest, mirrored, back, logger }: SettlementOptions): HubJob {
  return {
    name: 'settlements',
    async run(run) {
      const stores = openStores(await storage.stores(), run.now)
      if (stores.length === 0) return { note: 'no stores are known yet' }
      const todays = todaysOf(stores, run.now)
      const plan = planDays(DayState.safeParse(run.state).data ?? null, todays, back, SETTLEMENT_OVERLAP, run.asked)
      const counts = { settlements: 0, news: 0 }
      return await pullDays({
        ...{ job: 'settlements', run, todays, logger, ...plan },
        async read(day) {
          const { rows, rejected } = await platform.settlements.list({ day }, run.signal)
          const taken = await ingest.take(
            'POSSettlementCreated',
            rows.map(({ record }) => record),
          )
          if (mirrored) await ingest.announce('SettlementRead', await richer(rows, storage))
          counts.news += taken.news
          counts.settlements += rows.length
          return { rows: rows.length, rejected: [...rejected, ...taken.rejected] }
        },
        note: () => `${pluralize(counts.settlements, 'settlement')}, ${counts.news} new`,
      })
    },
  }
}

/** Settlements that were pushed in part: their event is known, so the rest goes to the mirror by itself. */
async function richer(rows: readonly Settlement[], storage: Pick<Storage, 'mirrorRows'>): Promise<object[]> {
  const records: object[] = []
  for (const some of chunksOf(rows, ROWS_PER_READ)) {
    const kept = await storage.mirrorRows(
      'settlements',
      some.map(({ settlementId }) => settlementId),
    )
    const fullness = new Map(kept.map(({ key, version }) => [key, version]))
    for (const row of some) {
      const before = fullness.get(row.settlementId)
      if (before !== undefined && before < fullnessOf(row, readFiscal(row.record))) records.push(row.record)
    }
  }
  return records
}
