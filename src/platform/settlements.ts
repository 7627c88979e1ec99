import { PermanentError } from '../domain/errors.ts'
import type { Client } from './client.ts'
import { knownDay } from './odata-window.ts'
import { readList } from './read.ts'
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
  list(query: SettlementQuery, signal?: AbortSignal): Promise<Settlement[]>
}

/** Settlements on one page, where the dialect has pages. */
const PAGE = 500

export function createSettlements(client: Client): Settlements {
  return {
    async list({ day, storeId }, signal) {
      knownDay('day', day)
      const found = new Map<string, Settlement>()
      for (let offset = 0; ; ) {
        const query = { day, storeId, offset, limit: PAGE, includePaymentTypes: true }
        const page = await client.read('settlements.list', { query, signal }, (answer) =>
          readList(answer, 'settlement', readSettlement),
        )
        const before = found.size
        for (const settlement of page) found.set(settlement.settlementId, settlement)
        // A short page need not be the last one. A dialect without pages answers the same again: nothing new, the end.
        if (found.size === before) break
        offset += page.length
      }
      return [...found.values()].filter((each) => isOfDay(each, day) && isOfStore(each, storeId))
    },
  }
}

/** Whether `date` is the day of the till or of its settlement is not shown, and it may be ignored: so each of them counts. */
function isOfDay({ settledAt, from, to }: Settlement, day: string): boolean {
  const days = [settledAt, from, to].flatMap((at) => at?.slice(0, 10) ?? [])
  return days.length === 0 || days.includes(day)
}

function isOfStore(settlement: Settlement, storeId: string | undefined): boolean {
  if (storeId === undefined) return true
  if (settlement.storeId !== null) return settlement.storeId === storeId
  const message = `platform: settlement ${settlement.settlementId} does not say its store's id. Ask for all stores, and choose by storeNo.`
  throw new PermanentError(message, { code: 'unexpected-answer' })
}
