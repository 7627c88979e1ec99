import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { isDay } from '../sales/clock.ts'
import { STOCKS, type Stock } from '../stores.ts'

/** A date, or a date with a time; without a zone it is UTC. Gives milliseconds since 1970. */
export const Instant = z.string().transform((text, context) => {
  const match = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/.exec(text)
  const [, day, time = '00:00:00', zone = 'Z'] = match ?? []
  const instant = day !== undefined && isDay(day) ? Date.parse(`${day}T${time}${zone}`) : Number.NaN
  if (!Number.isNaN(instant)) return instant
  context.addIssue('This must be an ISO 8601 date or datetime.')
  return z.NEVER
})

/** How many, and from which row on. */
export const PAGE = { pageSize: z.int().min(1).max(100_000).nullish(), pageSkip: z.int().min(0).nullish() }

/** The stock of this id, or of this number of the integrator's own. */
export function stockOfId(stockId: number | null | undefined, stockExtId: string | null | undefined = null): Stock {
  if (stockId == null && stockExtId == null) throw new Refusal(400, 'stockId is required.')
  const found = STOCKS.find(({ StockId, StoreNo }) => (stockId == null ? StoreNo === stockExtId : StockId === stockId))
  if (!found) throw new Refusal(400, `Stock ${stockId ?? stockExtId}: there is no such stock.`)
  return found
}
