import { fullnessOf } from '../../domain/accounting/settlement.ts'
import { pluralize } from '../../domain/values/text.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import { readFiscal } from '../../platform/payloads/settlement.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Settlement } from '../../platform/resources/sales.ts'
import type { Storage } from '../../storage/storage.ts'
import type { HubJob } from '../engine/job.ts'
import { DayState, type LookBack, openStores, planDays, pullDays, todaysOf } from './days.ts'
import type { Ingest } from './ingest.ts'

interface Options {
  platform: Pick<Platform, 'settlements'>
  storage: Pick<Storage, 'stores' | 'mirrorRows'>
  ingest: Pick<Ingest, 'take' | 'announce'>
  mirrored: boolean
  back: LookBack
  logger: Logger
}

const ROWS_PER_READ = 500

/** Days before the checkpoint that are read again: a POS that was not closed in the evening is settled the day after. */
const OVERLAP = 2

/** Takes the settlements of each day (spec, "pull at end of day or at night"). Run by an operator, it asks for all recent days. */
export function settlementsJob({ platform, storage, ingest, mirrored, back, logger }: Options): HubJob {
  return {
    name: 'settlements',
    async run(run) {
      const stores = openStores(await storage.stores(), run.now)
      if (stores.length === 0) return { note: 'no stores are known yet' }
      const todays = todaysOf(stores, run.now)
      const plan = planDays(DayState.safeParse(run.state).data ?? null, todays, back, OVERLAP, run.asked)
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
