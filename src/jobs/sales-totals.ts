import { z } from 'zod'
import { PermanentError } from '../domain/errors.ts'
import type { MirrorCursor } from '../domain/mirror.ts'
import {
  compareDecimals,
  type Decimal,
  multiplyDecimals,
  parseDecimal,
  subtractDecimals,
  sumDecimals,
} from '../domain/money.ts'
import type { DayTotal } from '../platform/aggregates.ts'
import type { Platform } from '../platform/platform.ts'
import type { Store } from '../store/store.ts'
import { counted } from './counted.ts'
import type { Job } from './job.ts'
import { addDays, openStores, todaysOf } from './store-days.ts'

interface Options {
  platform: Pick<Platform, 'aggregates'>
  store: Pick<Store, 'stores' | 'mirrorPage'>
  /** A cron expression in UTC. */
  schedule?: string
}

/** So many days that are over everywhere are compared: the platform adds them up at night, and tills come late. */
const DAYS = 3

/** So many differences are named in a problem. */
const NAMED = 5

const PAGE = 5_000

const State = z.object({
  /** What differed in the last run, by store and day: what it was. */
  differed: z.record(z.string(), z.string()),
})

/** What a store sold on a day. */
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
 * that is new may be a till that was late, and is only counted.
 */
export function salesTotalsJob({ platform, store, schedule = '30 6 * * *' }: Options): Job {
  return {
    name: 'sales-totals',
    schedule,
    async run({ now, signal, state: left, save }) {
      const { first } = todaysOf(openStores(await store.stores(), now), now)
      const [from, to] = [addDays(first, -DAYS), addDays(first, -1)]
      const totals = await platform.aggregates.list({ from, to }, signal)
      const told = soldIn(totals)
      const days = new Set(totals.map(({ day }) => day))
      const read = await linesOf(from, to, signal)
      const before = State.safeParse(left).data?.differed ?? {}
      const differed: Record<string, string> = {}
      for (const key of new Set([...told.keys(), ...read.keys()])) {
        // A day of which it tells nothing at all is not added up yet.
        if (!days.has(dayOf(key))) continue
        const difference = differenceOf(told.get(key) ?? NOTHING, read.get(key) ?? NOTHING)
        if (difference !== null) differed[key] = difference
      }
      await save({ differed })
      const note = `${counted(days.size, 'day')}: ${counted(told.size, 'store day')}, ${Object.keys(differed).length} other than the lines`
      const standing = Object.entries(differed).filter(([key, difference]) => before[key] === difference)
      if (standing.length > 0) throw differing(standing, note)
      return { state: { differed }, note }
    },
  }

  async function linesOf(from: string, to: string, signal: AbortSignal): Promise<Map<string, Sold>> {
    const sums = new Map<string, Sold>()
    let after: MirrorCursor | null = null
    for (;;) {
      signal.throwIfAborted()
      const page = await store.mirrorPage({ set: 'sales-lines', from, to }, after, PAGE)
      for (const { day, body } of page) {
        const quantity = parseDecimal(body.quantity)
        add(sums, keyOf(String(body.storeId), day), quantity, multiplyDecimals(quantity, parseDecimal(body.unitPrice)))
      }
      const last = page.at(-1)
      if (!last || page.length < PAGE) return sums
      after = { day: last.day, id: last.id }
    }
  }
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

/** For people; null: they agree. */
function differenceOf(told: Sold, read: Sold): string | null {
  const off = subtractDecimals(told.total, read.total)
  const far = off.startsWith('-') ? parseDecimal(off.slice(1)) : off
  if (told.quantity === read.quantity && compareDecimals(far, ROUNDING) <= 0) return null
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
