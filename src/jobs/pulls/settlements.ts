import { JOBS } from '../../config/jobs.ts'
import { fullnessOf } from '../../domain/books/settlement.ts'
import { counted } from '../../domain/values/counted.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { partsOf } from '../../lib/parts.ts'
import { readFiscal } from '../../payloads/fiscal.ts'
import type { Settlement } from '../../platform/areas/sales/settlement.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import type { LookBack } from './days.ts'
import type { Handover } from './handover.ts'
import { asideNote, holds } from './held.ts'
import { inTurn, throwIfFailed } from './in-turn.ts'
import { dueDays, PassState, recentDays, startPasses, withoutOver } from './settlement-passes.ts'
import { openStores, todaysOf } from './store-days.ts'

interface Options {
  platform: Pick<Platform, 'settlements'>
  store: Pick<Store, 'stores' | 'mirrorRows'>
  handover: Pick<Handover, 'take' | 'announce'>
  /** The mirror keeps settlements. */
  mirrored: boolean
  back: LookBack
  clock: Pick<Clock, 'now'>
  logger: Logger
  /** A cron expression in UTC. */
  schedule?: string
}

/** Rows of the mirror asked for at once. */
const AT_ONCE = 500

/**
 * Asks for the settlements of each day of the stores when it is over (spec, "pull at end of day or at night"), and again for
 * stragglers: one question for all stores, at the times of each of their zones. What was pushed is known; a settlement that
 * was not is one event, as if it had been. Where a person asks for a run, all recent days are asked for once more: a till
 * may have been settled after the last of these times.
 */
export function settlementsJob({
  platform,
  store,
  handover,
  mirrored,
  back,
  clock,
  logger,
  schedule = JOBS.settlements.schedule,
}: Options): HubJob {
  return {
    name: 'settlements',
    schedule,
    async run({ now, asked: byPerson, signal, state: left, save }) {
      const stores = openStores(await store.stores(), now)
      if (stores.length === 0) return { note: 'no stores are known yet' }
      const zones = [...new Set(stores.map(({ zone }) => zone ?? 'UTC'))]
      const todays = todaysOf(stores, now)
      let state = startPasses(PassState.safeParse(left).data ?? null, todays, back, { zones, now })
      const due = dueDays(state, todays, zones, now)
      const days = byPerson ? [...new Set([...due, ...recentDays(todays, back)])].sort() : due
      const counts = { days: 0, settlements: 0, news: 0, aside: 0 }

      const failed = await inTurn(days, signal, async (day) => {
        const at = clock.now()
        const { rows, aside: unread } = await platform.settlements.list({ day }, signal)
        const taken = await handover.take(
          'POSSettlementCreated',
          rows.map(({ record }) => record),
        )
        const aside = [...unread, ...taken.aside]
        counts.news += taken.news
        if (mirrored) await handover.announce('SettlementRead', await fuller(rows, store))
        counts.days += 1
        counts.settlements += rows.length
        counts.aside += aside.length
        const isHeld = holds({ job: 'settlements', held: state.held, now, logger }, day, aside)
        // Not asked as it should be: the next run asks again.
        const asked = isHeld ? state.asked : { ...state.asked, [day]: at }
        state = withoutOver({ ...state, asked }, zones)
        await save(state)
      })

      const note = `${counted(counts.days, 'day')}: ${counted(counts.settlements, 'settlement')}, ${counts.news} new${asideNote(counts.aside)}`
      throwIfFailed(failed, (day) => day, note)
      return { state, note }
    },
  }
}

/** Settlements that were pushed in part: the event is known, so that what else there is to say is told by itself. */
async function fuller(rows: readonly Settlement[], store: Pick<Store, 'mirrorRows'>): Promise<object[]> {
  const records: object[] = []
  for (const some of partsOf(rows, AT_ONCE)) {
    const kept = await store.mirrorRows(
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
