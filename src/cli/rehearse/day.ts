import { counted } from '../../domain/values/counted.ts'
import { UserError } from '../../domain/values/errors.ts'
import { madeSource } from '../../hub/rehearsal/made-source.ts'
import { recordedWebhooks, type WebhookSource } from '../../hub/rehearsal/webhook-source.ts'
import { openReading, type StoreReading } from '../../store/reading/open-reading.ts'
import type { dayOf, madeOf } from './options.ts'

export interface DayOptions {
  day?: ReturnType<typeof dayOf>
  made?: ReturnType<typeof madeOf>
}

/** The day that is rehearsed. */
export interface Day {
  source: WebhookSource
  /** A name for people. */
  what: string
  /** The stretch of time that is looked at for how long calls took; null: nothing was recorded. */
  span: { since: number; until: number } | null
}

/** How far back a made day looks for how long calls take (milliseconds). */
const LATELY = 7 * 86_400_000

/** The store for reading. A made day needs none: a hub that has never run has none yet. */
export async function readingOf(url: string, { made }: DayOptions): Promise<StoreReading | null> {
  return await openReading(url).catch((error: unknown) => {
    if (made === undefined || !(error instanceof UserError)) throw error
    return null
  })
}

/** The webhooks of the day that was asked for. Throws a UserError where the store has none. */
export async function readDay({ day, made }: DayOptions, reading: StoreReading | null): Promise<Day> {
  const now = Date.now()
  if (made !== undefined && day === undefined) {
    const source = await madeSource(made, reading, now)
    const shapes =
      source.recorded.length === 0 ? 'built-in examples' : `what was recorded (${source.recorded.join(', ')})`
    const what = `A made day of ${counted(made.sales, 'sale')} in ${counted(made.stores, 'store')}, in the shape of ${shapes}`
    return { source, what, span: reading && { since: now - LATELY, until: now } }
  }
  if (day === undefined || made !== undefined || reading === null)
    throw new UserError('Name either a recorded day, --day 2026-11-27, or a made one, --made stores=20,sales=5000.')
  const source = await recordedWebhooks(reading, day)
  if (source.came.length === 0)
    throw new UserError(
      `The store has no webhooks of ${day.day}: name a day that has some (tillbridge events list), or --made stores=20,sales=5000.`,
    )
  return { source, what: `${day.day}, as it was recorded`, span: day }
}
