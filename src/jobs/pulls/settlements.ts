import { z } from 'zod'
import { fullnessOf } from '../../domain/books/settlement.ts'
import { addDays, type Instant, isStillToCome } from '../../domain/values/instant.ts'
import { toInstant } from '../../domain/values/store-time.ts'
import { counted } from '../../domain/values/text.ts'
import type { Clock } from '../../lib/clock.ts'
import { partsOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import { readFiscal } from '../../payloads/settlement.ts'
import type { Settlement } from '../../platform/areas/sales/sales.ts'
import { daysOf } from '../../platform/odata/odata.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import {
  asideNote,
  beginOf,
  Held,
  holds,
  inTurn,
  type LookBack,
  later,
  openStores,
  type Todays,
  throwIfFailed,
  todaysOf,
} from './days.ts'
import type { Handover } from './handover.ts'

interface Options {
  platform: Pick<Platform, 'settlements'>
  store: Pick<Store, 'stores' | 'mirrorRows'>
  handover: Pick<Handover, 'take' | 'announce'>
  mirrored: boolean
  back: LookBack
  clock: Pick<Clock, 'now'>
  logger: Logger
}

const AT_ONCE = 500

/**
 * Asks for the settlements of each day of the stores when it is over (spec, "pull at end of day or at night"), and again for
 * stragglers. Where a person asks for a run, all recent days are asked for once more.
 */
export function settlementsJob({ platform, store, handover, mirrored, back, clock, logger }: Options): HubJob {
  return {
    name: 'settlements',
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

export type PassState = z.output<typeof PassState>

export const PassState = z.object({
  begin: z.iso.date(),
  from: z.iso.date(),
  asked: z.record(z.string(), z.number()),
  held: Held.default({}),
})

/**
 * The state that a run begins with. Passes that are said to be made and are still to come were made by a clock that was ahead: days
 * are asked for again from as far back as a first run looks.
 */
export function startPasses(
  left: PassState | null,
  { last }: Todays,
  back: LookBack,
  { zones, now }: { zones: readonly string[]; now: Instant },
): PassState {
  const begin = beginOf(left?.begin ?? null, last, back)
  const made = Object.entries(left?.asked ?? {}).filter(([, at]) => !isStillToCome(at, now))
  const asked = Object.fromEntries(made)
  if (left === null || begin !== left.begin) return { begin, from: begin, asked, held: left?.held ?? {} }
  const isAhead = isStillToCome(lastPass(addDays(left.from, -1), zones), now)
  const from = isAhead ? later(begin, addDays(last, -back.days)) : left.from
  return { ...left, from, asked }
}

export function dueDays({ from, asked }: PassState, { last }: Todays, zones: readonly string[], now: Instant) {
  const isDue = (day: string) => {
    const before = asked[day] ?? Number.NEGATIVE_INFINITY
    return zones.some((zone) => passesOf(day, zone).some((pass) => pass <= now && pass > before))
  }
  return daysOf({ from, to: last }).filter(isDue)
}

function recentDays({ last }: Todays, { days }: LookBack): string[] {
  return daysOf({ from: addDays(last, -days), to: last })
}

export function withoutOver({ begin, from, asked, held }: PassState, zones: readonly string[]): PassState {
  let day = from
  while (lastPass(day, zones) <= (asked[day] ?? 0)) day = addDays(day, 1)
  const since = (days: Record<string, number>) => Object.fromEntries(Object.entries(days).filter(([one]) => one >= day))
  return { begin, from: day, asked: since(asked), held: since(held) }
}

function lastPass(day: string, zones: readonly string[]): Instant {
  return Math.max(...zones.flatMap((zone) => passesOf(day, zone)))
}

/**
 * When the settlements of a day are asked for, on the store's wall clock: when the day has closed, in the early morning, and
 * once more when a till that was forgotten has been settled as well.
 */
const PASSES = [
  { after: 1, time: '00:15' },
  { after: 1, time: '06:00' },
  { after: 2, time: '12:00' },
] as const

export function passesOf(day: string, zone: string): Instant[] {
  return PASSES.map(({ after, time }) => toInstant(`${addDays(day, after)}T${time}`, zone))
}
