import { field, text } from '../../domain/values/field.ts'
import { counted } from '../../domain/values/text.ts'
import { partsOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import { movementTypeOf } from '../../payloads/goods.ts'
import type { StockMovement } from '../../platform/areas/sales/sales.ts'
import type { Unreadable } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import { DayState, type LookBack, openStores, planDays, pullDays, todaysOf } from './days.ts'
import { type Handover, wireNumber } from './handover.ts'

interface Options {
  platform: Pick<Platform, 'stockMovements'>
  store: Pick<Store, 'stores' | 'mirrorRows' | 'mirrorPage'>
  handover: Pick<Handover, 'take'>
  columns: MovementColumns
  back: LookBack
  logger: Logger
}

/** Days before the checkpoint that are read again: offline POS are late. */
const OVERLAP = 1

const IDS_PER_READ = 500

/** Reads the stock movements of each day (odata Stockmovements), and ingests those that the mirror does not have. */
export function stockMovementsJob({ platform, store, handover, columns, back, logger }: Options): HubJob {
  const select = [columns.id, ...(columns.type === undefined ? [] : [columns.type])]

  return {
    name: 'stock-movements',
    async run(run) {
      const todays = todaysOf(openStores(await store.stores(), run.now), run.now)
      const plan = planDays(DayState.safeParse(run.state).data ?? null, todays, back, OVERLAP)
      const counts = { rows: 0, news: 0, nameless: 0 }
      return await pullDays({
        ...{ job: 'stock-movements', run, todays, logger, ...plan },
        async read(day) {
          const rows: StockMovement[] = []
          const aside: Unreadable[] = []
          for await (const window of platform.stockMovements.list({ from: day, to: day, select }, run.signal)) {
            for (const row of window.rows) if (row.movedAt.startsWith(day)) rows.push(row)
            for (const row of window.aside) aside.push(row)
          }
          counts.rows += rows.length
          for (const some of partsOf(rows, IDS_PER_READ)) aside.push(...(await takeNew(some, counts)))
          if (rows.length === 0 && aside.length === 0) await warnIfSuspect(day)
          return { rows: rows.length, aside }
        },
        note() {
          const nameless = counts.nameless > 0 ? `, ${counts.nameless} without an id` : ''
          return `${counted(counts.rows, 'movement')}, ${counts.news} new${nameless}`
        },
      })
    },
  }

  async function takeNew(
    rows: readonly StockMovement[],
    counts: { news: number; nameless: number },
  ): Promise<Unreadable[]> {
    const ids = rows.map(({ record }) => text(record, columns.id) ?? '')
    const known = new Set((await store.mirrorRows('movements', ids)).map(({ key }) => key))
    const missing = rows.filter((_, index) => !known.has(ids[index] ?? ''))
    const payloads = missing.flatMap((row) => movementPayload(row, columns) ?? [])
    counts.nameless += missing.length - payloads.length
    const { news, aside } = await handover.take('StockMovementCreated', payloads)
    counts.news += news
    return aside
  }

  async function warnIfSuspect(day: string): Promise<void> {
    const [pushed] = await store.mirrorPage({ set: 'movements', from: day, to: day }, null, 1)
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
