import { PermanentError } from '../../../domain/values/errors.ts'
import { dayIn, hasZone } from '../../../domain/values/store-time.ts'
import type { Client } from '../../http/client.ts'
import { joined, type Listed, type Unreadable } from '../../http/listed.ts'
import { readListed } from '../../http/read-rows.ts'
import { knownDay } from '../../odata/window.ts'
import { readSettlement, type Settlement } from './settlement.ts'

interface SettlementQuery {
  /** A day of the stores, `yyyy-mm-dd`. */
  day: string
  /** Only of this store. */
  storeId?: string
}

export interface Settlements {
  /**
   * The settlements that have to do with a day: made on it, or for sales of it (GET /api/possettlement, or its version 2).
   * Throws a UserError where the day is none, and a PermanentError where a store is asked for and the answer names none.
   */
  list(query: SettlementQuery, signal?: AbortSignal): Promise<Listed<Settlement>>
}

/** Settlements on one page, where the dialect has pages. */
const PAGE = 500

export function createSettlements(client: Client): Settlements {
  return {
    async list({ day, storeId }, signal) {
      knownDay('day', day)
      const found = new Map<string, Settlement>()
      let aside: Unreadable[] = []
      for (let offset = 0; ; ) {
        const query = { day, storeId, offset, limit: PAGE, includePaymentTypes: true }
        const page = await client.read('settlements.list', { query, signal }, (answer) =>
          readListed(answer, 'settlement', readSettlement),
        )
        const before = found.size + aside.length
        for (const settlement of page.rows) found.set(settlement.settlementId, settlement)
        aside = joined(aside, page.aside)
        // A short page need not be the last one. A dialect without pages answers the same again: nothing new, the end.
        if (found.size + aside.length === before) break
        offset += page.rows.length + page.aside.length
      }
      client.aside('settlements.list', day, aside)
      const rows = [...found.values()].filter((each) => isOfDay(each, day) && isOfStore(each, storeId))
      return { rows, aside }
    },
  }
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
