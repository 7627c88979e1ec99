import { z } from 'zod'
import { differenceText, type Journal, journalOf } from '../domain/accounting/journal.ts'
import { createUnsettled, type Settlement, type UnsettledPos } from '../domain/accounting/settlement.ts'
import type { StoredMirrorRow } from '../domain/catalogue/mirror.ts'
import { payloadOrNull } from '../domain/queue/event.ts'
import {
  createStoreIndex,
  type IndexedStore,
  posNames,
  type StoreIndex,
  storesOfRow,
} from '../domain/stores/store-index.ts'
import { PermanentError, UserError } from '../domain/values/errors.ts'
import { addDays } from '../domain/values/instant.ts'
import type { Decimal } from '../domain/values/money.ts'
import { notFoundText } from '../domain/values/text.ts'
import { orElse } from '../lib/or-else.ts'
import { readSettlement } from '../platform/payloads/settlement.ts'
import type { DeliveryDetail } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { mirrorPages } from '../storage/walk-pages.ts'
import { askedStores, Day, idIn, requireInOrder } from './asked.ts'
import type { AdminContext } from './context.ts'
import { get, NOTHING, notFound, type Route } from './routes.ts'

type Listed = Pick<Settlement, 'batchNumber' | 'posId' | 'posName' | 'receiptNoFrom' | 'receiptNoTo' | 'currency'> &
  Record<'grandTotal' | 'discrepancy', Decimal | null>

interface ListedSettlement extends Listed {
  id: string
  day: string
  store: string | null
}

export interface SettlementList {
  settlements: ListedSettlement[]
}

export interface MissingSettlements {
  missing: UnsettledPos[]
  sales: number
  settlements: number
}

/** A posting of a settlement, as it is or would be made. */
export interface SettlementPosting {
  delivery: Omit<DeliveryDetail, 'attempts' | 'audit'>
  /** Null: what came is not readable. */
  settlement: Settlement | null
  /** By the accounts of its destination; null: `why`. */
  journal: Journal | null
  /** Null: debit and credit are the same. */
  difference: string | null
  why: string | null
}

const SettlementsAsked = z.strictObject({ from: Day, to: Day, store: z.string().optional() })

const DAY_MS = 86_400_000
const MAX_DAYS = 62
const MAX_LISTED = 500
/** A settlement may be made so many days after its sales. */
const LATE_DAYS = 7

export function settlementRoutes({ storage, mirrored, config }: AdminContext): Route[] {
  function requireMirror(): void {
    if (mirrored !== 'all')
      throw new UserError(
        'The hub keeps no sales and settlements: set mirror to all in the config, and let it take some days.',
      )
  }

  function posted(
    settlement: Settlement,
    destination: string,
  ): Pick<SettlementPosting, 'journal' | 'difference' | 'why'> {
    const unknown = (why: string) => ({ journal: null, difference: null, why })
    const { accounts = null } = config.destinations.find(({ name }) => name === destination) ?? {}
    if (accounts === null) return unknown(`${destination} has no accounts in the config`)
    if (settlement.payments === null) return unknown('it names its totals only; the rest is read when it is posted')
    try {
      const journal = journalOf(settlement, accounts)
      return { journal, difference: journal.difference.amount === '0' ? null : differenceText(journal), why: null }
    } catch (error) {
      if (error instanceof PermanentError) return unknown(error.message)
      throw error
    }
  }

  return [
    get('/settlements', SettlementsAsked, async ({ asked: { from, to, store: of } }): Promise<SettlementList> => {
      requireMirror()
      requireInOrder({ from, to })
      const known = await storage.stores()
      const readers = await readersOf(storage, of === undefined ? null : askedStores(of, known), known)
      const settlements: ListedSettlement[] = []
      await eachRow(storage, { set: 'settlements', from, to }, readers, ({ key, day, place, body }) => {
        if (settlements.length < MAX_LISTED) settlements.push({ id: key, day, store: place, ...(body as Listed) })
      })
      return { settlements }
    }),

    get('/settlements/:delivery/posting', NOTHING, async ({ params }): Promise<SettlementPosting> => {
      const found = await storage.delivery(idIn(params.delivery, 'a delivery', 'deliveries list'))
      if (found?.flow !== 'book-settlement') throw notFound(notFoundText('delivery', String(params.delivery)))
      const { attempts: _, audit: __, ...delivery } = found
      const body = (await storage.event(found.event))?.body ?? null
      const settlement = orElse(() => readSettlement(payloadOrNull(body)), null)
      if (settlement === null)
        return { delivery, settlement, journal: null, difference: null, why: 'it cannot be read' }
      return { delivery, settlement, ...posted(settlement, delivery.destination) }
    }),

    get(
      '/settlements/missing',
      SettlementsAsked,
      async ({ asked: { from, to, store: of } }): Promise<MissingSettlements> => {
        requireMirror()
        requireInOrder({ from, to })
        const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
        if (days > MAX_DAYS) throw new UserError(`from, to: ${MAX_DAYS} days at most, and these are ${days}.`)
        const known = await storage.stores()
        const readers = await readersOf(storage, of === undefined ? null : askedStores(of, known), known)
        const unsettled = createUnsettled(readers.storesOf)
        const until = addDays(to, LATE_DAYS)
        const settlements = await eachRow(storage, { set: 'settlements', from, to: until }, readers, unsettled.settled)
        const sales = await eachRow(storage, { set: 'sales', from, to }, readers, unsettled.sold)
        const index = createStoreIndex(known)
        const missing = unsettled.missing().map((pos) => ({ ...pos, store: calledIn(index, pos) }))
        return { missing, sales, settlements }
      },
    ),
  ]
}

/** Rows may be under former numbers of a store, which others may have now. */
async function readersOf(
  storage: Pick<Storage, 'formerPlaces'>,
  asked: readonly IndexedStore[] | null,
  known: readonly IndexedStore[],
) {
  const former = await storage.formerPlaces()
  const storesOf = storesOfRow(known, former)
  if (asked === null) return { places: [{}], storesOf, isAsked: () => true }
  const names = new Set(asked.flatMap((one) => posNames(one, former)))
  const ids = asked.map(({ storeId }) => storeId)
  const isAsked = (row: StoredMirrorRow) => {
    const of = storesOf(row)
    return of.length > 0 ? of.some((id) => ids.includes(id)) : asked.some(({ number }) => number === row.place)
  }
  return { places: [...names].map((place) => ({ place })), storesOf, isAsked }
}

async function eachRow(
  storage: Pick<Storage, 'mirrorPage'>,
  days: { set: 'sales' | 'settlements'; from: string; to: string },
  { places, isAsked }: Awaited<ReturnType<typeof readersOf>>,
  take: (row: StoredMirrorRow) => void,
): Promise<number> {
  let count = 0
  for (const place of places)
    for await (const rows of mirrorPages(storage, { ...days, ...place }))
      for (const row of rows.filter(isAsked)) {
        count += 1
        take(row)
      }
  return count
}

function calledIn(index: StoreIndex, { store, storeId }: UnsettledPos): string | null {
  const its = index.stores.find((one) => one.storeId === storeId)
  return its !== undefined && its.number === store ? index.keyOf(its) : store
}
