import { z } from 'zod'
import { JOBS } from '../../config/jobs.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { addDays } from '../../domain/values/instant.ts'
import {
  compareDecimals,
  type Decimal,
  distanceBetween,
  multiplyDecimals,
  parseDecimal,
  sumDecimals,
} from '../../domain/values/money.ts'
import { counted } from '../../domain/values/text.ts'
import type { Logger } from '../../lib/logger.ts'
import { type DayTotal, totalDay } from '../../platform/areas/sales/sales.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import { asideNote, Held, holds, openStores, todaysOf } from './days.ts'

interface Options {
  platform: Pick<Platform, 'aggregates'>
  store: Pick<Store, 'stores' | 'mirrorPage'>
  logger: Logger
  schedule?: string
}

/** Days, over everywhere, that are compared: the platform adds them up at night, and tills come late. */
const DAYS = 3

const NAMED = 5

const State = z.object({
  differed: z.record(z.string(), z.string()),
  held: Held.default({}),
})

interface Sold {
  quantity: Decimal
  total: Decimal
}

const NOTHING: Sold = { quantity: parseDecimal(0), total: parseDecimal(0) }

/** Roundings of the platform's own (in the currency of the store). */
const ROUNDING = parseDecimal('0.05')

/**
 * Compares what the platform has added up each night (public facts, Aggregates) with the sales lines that the hub has read: a second
 * road to the same sums. A difference that is the same in the next run is a problem that names store and day, until it is gone; one
 * that is new may be a till that was late, and is only counted. A day of which rows cannot be read is not compared, and asked for
 * again.
 */
export function salesTotalsJob({ platform, store, logger, schedule = JOBS['sales-totals'].schedule }: Options): HubJob {
  return {
    name: 'sales-totals',
    schedule,
    async run({ now, signal, state: left, save }) {
      const { first } = todaysOf(openStores(await store.stores(), now), now)
      const { differed: before, held: heldBefore } = State.safeParse(left).data ?? { differed: {}, held: {} }
      const held = { ...heldBefore }
      const [from, to] = [firstDay(addDays(first, -DAYS), held), addDays(first, -1)]
      const { rows: totals, aside } = await platform.aggregates.list({ from, to }, signal)
      const unread = new Set<string>()
      for (let day = from; day <= to; day = addDays(day, 1)) {
        const ofDay = aside.filter(({ record }) => (totalDay(record) ?? day) === day)
        if (ofDay.length > 0) unread.add(day)
        holds({ job: 'sales-totals', held, now, logger }, day, ofDay)
      }
      const told = soldIn(totals)
      const days = new Set(totals.map(({ day }) => day))
      const read = await linesOf(from, to, signal)
      const differed: Record<string, string> = {}
      for (const key of new Set([...told.keys(), ...read.keys()])) {
        // A day of which it tells nothing at all is not added up yet.
        if (unread.has(dayOf(key)) || !days.has(dayOf(key))) continue
        const difference = differenceOf(told.get(key) ?? NOTHING, read.get(key) ?? NOTHING)
        if (difference !== null) differed[key] = difference
      }
      const state = { differed, held: Object.fromEntries(Object.entries(held).filter(([day]) => day >= from)) }
      await save(state)
      const note = `${counted(days.size, 'day')}: ${counted(told.size, 'store day')}, ${Object.keys(differed).length} other than the lines${asideNote(aside.length)}`
      const standing = Object.entries(differed).filter(([key, difference]) => before[key] === difference)
      if (standing.length > 0) throw differing(standing, note)
      return { state, note }
    },
  }

  async function linesOf(from: string, to: string, signal: AbortSignal): Promise<Map<string, Sold>> {
    const sums = new Map<string, Sold>()
    for await (const page of mirrorPages(store, { set: 'sales-lines', from, to }, signal))
      for (const { day, body } of page) {
        const quantity = parseDecimal(body.quantity)
        add(sums, keyOf(String(body.storeId), day), quantity, multiplyDecimals(quantity, parseDecimal(body.unitPrice)))
      }
    return sums
  }
}

/** Days of which something is aside are asked for as long as they are held. */
function firstDay(usual: string, held: Held): string {
  return Object.keys(held).reduce((first, day) => (held[day] !== 0 && day < first ? day : first), usual)
}

function soldIn(totals: readonly DayTotal[]): Map<string, Sold> {
  const sums = new Map<string, Sold>()
  for (const { storeId, day, quantity, total } of totals) add(sums, keyOf(storeId, day), quantity, total)
  return sums
}

function add(sums: Map<string, Sold>, key: string, quantity: Decimal, total: Decimal): void {
  const before = sums.get(key) ?? NOTHING
  sums.set(key, {
    quantity: sumDecimals([before.quantity, quantity]),
    total: sumDecimals([before.total, total]),
  })
}

function differenceOf(told: Sold, read: Sold): string | null {
  const isClose = compareDecimals(distanceBetween(told.total, read.total), ROUNDING) <= 0
  if (told.quantity === read.quantity && isClose) return null
  return `${told.quantity} pieces for ${told.total}, and the lines ${read.quantity} for ${read.total}`
}

function keyOf(storeId: string, day: string): string {
  return `${storeId} ${day}`
}

function dayOf(key: string): string {
  return key.slice(-10)
}

function differing(standing: readonly [key: string, difference: string][], note: string): PermanentError {
  const named = standing.slice(0, NAMED).map(([key, difference]) => `store ${key}: the platform has ${difference}`)
  const more = standing.length > NAMED ? ` And ${standing.length - NAMED} more.` : ''
  return new PermanentError(
    `${named.join('; ')}.${more} Have the days read again (docs/pulls.md, "To fill in what is missing"), or look at the sales in the portal. Done: ${note}`,
    { code: 'sales-differ' },
  )
}
