import type { Settlement as Read } from '../../../domain/books/settlement.ts'
import { PermanentError, RetryLaterError } from '../../../domain/values/errors.ts'
import { dayIn, hasZone } from '../../../domain/values/store-time.ts'
import { readSettlement as read } from '../../../payloads/settlement.ts'
import type { Client } from '../../http/client.ts'
import { joined, type Listed, readListed, UnexpectedAnswer, type Unreadable, type WireRecord } from '../../http/read.ts'
import { knownDay } from '../../odata/odata.ts'

interface SettlementQuery {
  day: string
  storeId?: string
}

export interface Settlements {
  /**
   * The settlements that have to do with a day: made on it, or for sales of it (GET /api/possettlement, or its version 2).
   * Throws a UserError where the day is none, and a PermanentError where a store is asked for and the answer names none.
   */
  list(query: SettlementQuery, signal?: AbortSignal): Promise<Listed<Settlement>>
}

const PAGE = 500

/** The most pages that are asked for: a platform that answers each question with other ids has no last one. */
const MOST_PAGES = 1_000

/** Pages in a row without anything new, after which no more will come. */
const MOST_BARREN = 2

/** The most rows that cannot be read: where these are others each time, there is no last page either. */
const MOST_ASIDE = 10_000

export function createSettlements(client: Client): Settlements {
  return {
    async list({ day, storeId }, signal) {
      knownDay('day', day)
      const seen = new Set<string>()
      const found = new Map<string, Settlement>()
      let aside: Unreadable[] = []
      const hasPages = client.endpoint('settlements.list').query.offset !== undefined
      for (let [offset, pages, barren] = [0, 0, 0]; barren < MOST_BARREN; pages++) {
        if (pages === MOST_PAGES || aside.length > MOST_ASIDE) throw endless(day, seen.size + aside.length, pages)
        const query = { day, storeId, offset, limit: PAGE, includePaymentTypes: true }
        const page = await client.read('settlements.list', { query, signal }, (answer) =>
          readListed(answer, 'settlement', readSettlement),
        )
        const before = seen.size + aside.length
        for (const settlement of page.rows) {
          seen.add(settlement.settlementId)
          // Others than were asked for may be very many.
          if (isOfDay(settlement, day) && isOfStore(settlement, storeId)) found.set(settlement.settlementId, settlement)
        }
        aside = joined(aside, page.aside)
        if (!hasPages) break
        const isBarren = seen.size + aside.length === before
        barren = isBarren ? barren + 1 : 0
        // A platform may count the rows of a page before it chooses those of the day: short or empty, it need not be the last one.
        offset += isBarren ? PAGE : page.rows.length + page.aside.length
      }
      client.aside('settlements.list', day, aside)
      return { rows: [...found.values()], aside }
    },
  }
}

function endless(day: string, found: number, pages: number): RetryLaterError {
  const message = `platform: settlements.list of ${day} has found ${found} settlements on ${pages} pages, and each has others: this list does not end. None is taken.`
  return new RetryLaterError(message, { code: 'endless' })
}

/**
 * Whether `date` is the day of the till or of its settlement is not shown, and it may be ignored: so each of them counts. A time
 * with an offset may be told by the day that is written, or by that of the store: it counts for each day that it is somewhere.
 */
function isOfDay({ settledAt, from, to }: Settlement, day: string): boolean {
  const days = [settledAt, from, to].flatMap((at) => (at === null ? [] : daysOfInstant(at)))
  return days.length === 0 || days.includes(day)
}

/** The clocks of the world that are furthest behind and furthest ahead (Etc/GMT has its signs turned round). */
const ANYWHERE = ['Etc/GMT+12', 'UTC', 'Etc/GMT-14']

function daysOfInstant(at: string): string[] {
  const written = dayIn(at, null)
  return [written, ...(hasZone(at) ? ANYWHERE.map((zone) => dayIn(at, zone)) : [])].filter((day) => day !== null)
}

function isOfStore(settlement: Settlement, storeId: string | undefined): boolean {
  if (storeId === undefined) return true
  if (settlement.storeId !== null) return settlement.storeId === storeId
  const message = `platform: settlement ${settlement.settlementId} does not say its store's id. Ask for all stores, and choose by storeNo.`
  throw new PermanentError(message, { code: 'unexpected-answer' })
}

export interface Settlement extends Read {
  record: WireRecord
}

function readSettlement(record: WireRecord): Settlement {
  try {
    return { ...read(record), record }
  } catch (error) {
    if (error instanceof PermanentError) throw new UnexpectedAnswer(error.message)
    throw error
  }
}
