import { z } from 'zod'
import { createUnsettled, type UnsettledPos } from '../domain/accounting/settlement.ts'
import type { KeptRow } from '../domain/catalogue/mirror.ts'
import { posNames, storesOfRow } from '../domain/stores/former-place.ts'
import { createStoreIndex, type KnownStore, type StoreIndex } from '../domain/stores/store-index.ts'
import { UserError } from '../domain/values/errors.ts'
import { addDays } from '../domain/values/instant.ts'
import type { Storage } from '../storage/storage.ts'
import { mirrorPages } from '../storage/walk-pages.ts'
import { askedStores, Day, requireInOrder } from './asked.ts'
import type { AdminContext } from './context.ts'
import { get, type Route } from './routes.ts'

export interface MissingSettlements {
  missing: UnsettledPos[]
  sales: number
  settlements: number
}

const Asked = z.strictObject({ from: Day, to: Day, store: z.string().optional() })

const DAY = 86_400_000
const MAX_DAYS = 62
/** A settlement may be made so many days after its sales. */
const LATE_DAYS = 7

export function settlementRoutes({ storage, mirrored }: AdminContext): Route[] {
  return [
    get('/settlements/missing', Asked, async ({ asked: { from, to, store: of } }): Promise<MissingSettlements> => {
      if (mirrored !== 'all')
        throw new UserError(
          'The hub keeps no sales and settlements: set mirror to all in the config, and let it take some days.',
        )
      requireInOrder({ from, to })
      const days = (Date.parse(to) - Date.parse(from)) / DAY + 1
      if (days > MAX_DAYS) throw new UserError(`from, to: ${MAX_DAYS} days at most, and these are ${days}.`)
      const known = await storage.stores()
      const readers = await readersOf(storage, of === undefined ? null : askedStores(of, known), known)
      const unsettled = createUnsettled(readers.storesOf)
      const sales = await eachRow(storage, { set: 'sales', from, to }, readers, unsettled.sold)
      const until = addDays(to, LATE_DAYS)
      const settlements = await eachRow(storage, { set: 'settlements', from, to: until }, readers, unsettled.settled)
      const index = createStoreIndex(known)
      const missing = unsettled.missing().map((pos) => ({ ...pos, store: calledIn(index, pos) }))
      return { missing, sales, settlements }
    }),
  ]
}

interface Readers {
  /** An empty one stands for all. */
  places: { place?: string }[]
  storesOf: ReturnType<typeof storesOfRow>
  isAsked(row: KeptRow): boolean
}

/** Rows may be under former numbers of a store, which others may have now. */
async function readersOf(
  storage: Pick<Storage, 'formerPlaces'>,
  asked: readonly KnownStore[] | null,
  known: readonly KnownStore[],
): Promise<Readers> {
  const former = await storage.formerPlaces()
  const storesOf = storesOfRow(known, former)
  if (asked === null) return { places: [{}], storesOf, isAsked: () => true }
  const names = new Set(asked.flatMap((one) => posNames(one, former)))
  const ids = asked.map(({ storeId }) => storeId)
  const isAsked = (row: KeptRow) => {
    const of = storesOf(row)
    return of.length > 0 ? of.some((id) => ids.includes(id)) : asked.some(({ number }) => number === row.place)
  }
  return { places: [...names].map((place) => ({ place })), storesOf, isAsked }
}

async function eachRow(
  storage: Pick<Storage, 'mirrorPage'>,
  days: { set: 'sales' | 'settlements'; from: string; to: string },
  { places, isAsked }: Readers,
  take: (row: KeptRow) => void,
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
