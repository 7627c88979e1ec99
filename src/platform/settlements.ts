import { PermanentError } from '../domain/errors.ts'
import { dayIn, hasZone } from '../domain/store-time.ts'
import type { Client } from './client.ts'
import { knownDay } from './odata-window.ts'
import { readList } from './read.ts'
import { readSettlement, type Settlement } from './settlement.ts'

interface SettlementQuery {
  /** A day of the stores, `yyyy-mm-dd`. */
  day: string
  /** Only of this store. */
  storeId?: string
  /** The time zone of the store of a settlement: a time with an offset or Z has its day there. Not given, or null: not known. */
  zoneOf?: (settlement: Settlement) => string | null
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
    async list({ day, storeId, zoneOf = () => null }, signal) {
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
      return [...found.values()].filter((each) => isOfDay(each, day, zoneOf(each)) && isOfStore(each, storeId))
    },
  }
}

/**
 * Whether `date` is the day of the till or of its settlement is not shown, and it may be ignored: so each of them counts. An
 * instant of a store whose zone is not known counts for each day that it is somewhere.
 */
function isOfDay({ settledAt, from, to }: Settlement, day: string, zone: string | null): boolean {
  const days = [settledAt, from, to].flatMap((at) => (at === null ? [] : daysAt(at, zone)))
  return days.length === 0 || days.includes(day)
}

function daysAt(at: string, zone: string | null): string[] {
  if (zone !== null || !hasZone(at)) return [dayIn(at, zone)].filter((day) => day !== null)
  return [...new Set(['Etc/GMT+12', 'UTC', 'Etc/GMT-14'].flatMap((anywhere) => dayIn(at, anywhere) ?? []))]
}

function isOfStore(settlement: Settlement, storeId: string | undefined): boolean {
  if (storeId === undefined) return true
  if (settlement.storeId !== null) return settlement.storeId === storeId
  const message = `platform: settlement ${settlement.settlementId} does not say its store's id. Ask for all stores, and choose by storeNo.`
  throw new PermanentError(message, { code: 'unexpected-answer' })
}
