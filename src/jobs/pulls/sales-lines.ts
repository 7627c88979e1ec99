import { z } from 'zod'
import { JOBS } from '../../config/jobs.ts'
import { counted } from '../../domain/values/counted.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Unreadable } from '../../platform/http/listed.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import { DayState, inDays, type LookBack, planDays } from './days.ts'
import type { Handover } from './handover.ts'
import { asideNote, holds } from './held.ts'
import { throwIfFailed } from './in-turn.ts'
import { changesOf, type HourSold, type SoldDay, soldOn } from './sales-hours.ts'
import { openStores, todaysOf } from './store-days.ts'

interface Options {
  platform: Pick<Platform, 'salesLines'>
  store: Pick<Store, 'stores' | 'mirrorPage'>
  handover: Pick<Handover, 'announce'>
  back: LookBack
  logger: Logger
  /** A cron expression in UTC. */
  schedule?: string
}

/** Days before the checkpoint that are read again: tills that were offline are late, and lines are voided. */
const OVERLAP = 2

/** Besides those that the spec names: what is kept of a line, and no more, for there are many. */
const COLUMNS = 'SALESLINEID SALEID STOCKID_FK Discount Cost VATPercent Currency'.split(' ')

type DayRead = z.output<typeof DayRead>

const DayRead = z.object({
  /** How many lines there were. */
  lines: z.number(),
  /** The digests of each hour of each store (FoundHours). */
  hours: z.record(z.string(), z.record(z.string(), z.string())),
  /** How many lines the last answer had that was not believed. */
  doubted: z.number().optional(),
})

/** Lines that may be voided in a day without a doubt: so many, and so large a part of all. */
const VOIDED = { lines: 20, part: 0.05 }

const State = DayState.extend({
  /** The readings of the days that are read again. */
  read: z.record(z.string(), DayRead),
})

/**
 * Reads the sales lines of each day (odata Saleslines), a day at a time so that no more is in memory, and announces what each
 * store sold in each hour, whole: what is not in it any more is void.
 */
export function salesLinesJob({
  platform,
  store,
  handover,
  back,
  logger,
  schedule = JOBS['sales-lines'].schedule,
}: Options): HubJob {
  return {
    name: 'sales-lines',
    schedule,
    async run({ now, signal, state: left, save }) {
      const stores = await store.stores()
      const currencies = new Map(stores.map(({ storeId, currency }) => [storeId, currency]))
      const todays = todaysOf(openStores(stores, now), now)
      const before = State.safeParse(left).data ?? null
      const { state: days, from, days: asked } = planDays(before, todays, back, OVERLAP)
      const read = Object.fromEntries(
        Object.entries(before?.read ?? {}).filter(([day]) => day >= from || day in days.again),
      )
      const state = { ...days, read }
      const counts = { days: 0, lines: 0, changed: 0, skipped: 0, suspect: 0, aside: 0 }
      let columns = COLUMNS

      async function soldLines(day: string, currencyOf: (storeId: string) => string | null) {
        try {
          return await soldWith(columns, day, currencyOf, signal)
        } catch (error) {
          // A platform may have the columns that the spec names, and no other (spec, "Sales lines").
          if (!(error instanceof PermanentError && error.code === 'http-400') || columns.length === 0) throw error
          const sold = await soldWith([], day, currencyOf, signal)
          columns = []
          logger.warn({ columns: COLUMNS }, 'sales-lines.columns-refused')
          return sold
        }
      }

      const failed = await inDays({ state, days: asked, todays, signal, save }, async (day) => {
        const { sold, aside } = await soldLines(day, (storeId) => currencies.get(storeId) ?? null)
        counts.aside += aside.length
        counts.days += 1
        if (await isSuspect(day, sold, read[day])) {
          counts.suspect += 1
          read[day] = { lines: 0, hours: {}, ...read[day], doubted: sold.lines }
          logger.warn({ day, lines: sold.lines, before: read[day]?.lines ?? 0 }, 'sales-lines.suspect')
          return 'empty'
        }
        counts.lines += sold.lines
        counts.skipped += sold.skipped
        const { changed, emptied, found, meanwhile } = changesOf(day, read[day]?.hours ?? {}, sold, aside)
        if (changed.length > 0) {
          // Kept first: what was announced must be known, should it be gone the next time.
          read[day] = { lines: sold.lines, hours: meanwhile }
          await save(state)
        }
        await handover.announce('SalesLinesRead', made(changed))
        await handover.announce('SalesLinesRead', emptied)
        counts.changed += changed.length + emptied.length
        read[day] = { lines: sold.lines, hours: found }
        if (holds({ job: 'sales-lines', held: state.held, now, logger }, day, aside)) return 'failed'
        return sold.lines === 0 ? 'empty' : 'read'
      })

      if (counts.skipped > 0) logger.warn({ lines: counts.skipped }, 'sales-lines.without-currency')
      const note = noteOf(counts)
      throwIfFailed(failed, (day) => day, note)
      return { state, note }
    },
  }

  async function soldWith(
    select: readonly string[],
    day: string,
    currencyOf: (storeId: string) => string | null,
    signal: AbortSignal,
  ) {
    let sold = soldOn(day, [], currencyOf)
    const aside: Unreadable[] = []
    for await (const window of platform.salesLines.list({ from: day, to: day, select, records: false }, signal)) {
      sold = soldOn(day, window.rows, currencyOf)
      for (const row of window.aside) aside.push(row)
    }
    return { sold, aside }
  }

  /**
   * An empty list, or a part of one, may be trouble: these endpoints answer it so, and nobody voids half of a day. A smaller part is believed
   * where the next answer has as many.
   */
  async function isSuspect(day: string, { lines }: SoldDay, before: DayRead | undefined): Promise<boolean> {
    const had = before?.lines ?? 0
    if (lines < had / 2) return true
    const isFew = lines < had - Math.max(VOIDED.lines, had * VOIDED.part)
    if (isFew && before?.doubted !== lines) return true
    if (lines > 0) return false
    const [pushed] = await store.mirrorPage({ set: 'sales', from: day, to: day }, null, 1)
    return pushed !== undefined
  }
}

/** One after the other, as they are needed. */
function* made(hours: readonly HourSold[]) {
  for (const hour of hours) yield hour.make()
}

function noteOf(counts: {
  days: number
  lines: number
  changed: number
  skipped: number
  suspect: number
  aside: number
}): string {
  const skipped = counts.skipped > 0 ? `, ${counted(counts.skipped, 'line')} without a currency` : ''
  const suspect = counts.suspect > 0 ? `, ${counted(counts.suspect, 'day')} suspiciously empty` : ''
  return `${counted(counts.days, 'day')}: ${counted(counts.lines, 'line')}, ${counted(counts.changed, 'other hour')}${skipped}${suspect}${asideNote(counts.aside)}`
}
