import { Router } from 'express'
import { z } from 'zod'
import { createUnsettled, type UnsettledTill } from '../../domain/books/unsettled.ts'
import type { KeptRow } from '../../domain/catalogue/mirror.ts'
import { storesOfRow, tillNames } from '../../domain/places/former-place.ts'
import { createStoreIndex, type KnownStore, type StoreIndex } from '../../domain/places/store-index.ts'
import { UserError } from '../../domain/values/errors.ts'
import { addDays } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'
import { askedStores } from '../asked-store.ts'
import { Day, parse, requireInOrder } from '../filters.ts'

interface Options {
  store: Pick<Store, 'mirrorPage' | 'stores' | 'formerPlaces'>
  /** How much is mirrored; null: nothing. */
  mirrored: 'stock' | 'all' | null
}

export interface MissingSettlements {
  missing: UnsettledTill[]
  /** How many there are of these days in the mirror. */
  sales: number
  settlements: number
}

const Asked = z.strictObject({ from: Day, to: Day, store: z.string().optional() })

const DAY = 86_400_000
/** The most days that are looked at in one question. */
const MOST_DAYS = 62
/** A settlement may be made so many days after its sales. */
const LATE_DAYS = 7

/** `/admin/settlements/missing`: tills that sold, and have no settlement of that day. */
export function createSettlementsAdmin({ store, mirrored }: Options): Router {
  const router = Router()

  router.get('/missing', async (request, response) => {
    const { from, to, store: of } = parse(Asked, request.query)
    if (mirrored !== 'all')
      throw new UserError(
        'The hub keeps no sales and settlements: set mirror to all in the config, and let it take some days.',
      )
    requireInOrder({ from, to })
    const days = (Date.parse(to) - Date.parse(from)) / DAY + 1
    if (days > MOST_DAYS) throw new UserError(`from, to: ${MOST_DAYS} days at most, and these are ${days}.`)
    const known = await store.stores()
    const asked = of === undefined ? null : askedStores(of, known)
    const found = await missing({ from, to }, await readersOf(asked, known))
    const index = createStoreIndex(known)
    response.json({ ...found, missing: found.missing.map((till) => ({ ...till, store: calledIn(index, till) })) })
  })
  return router

  async function missing(days: Days, readers: Readers): Promise<MissingSettlements> {
    const unsettled = createUnsettled(readers.storesOf)
    const sales = await eachRow('sales', days, readers, unsettled.sold)
    const until = addDays(days.to, LATE_DAYS)
    const settlements = await eachRow('settlements', { ...days, to: until }, readers, unsettled.settled)
    return { missing: unsettled.missing(), sales, settlements }
  }

  /** Takes each row of these days that is asked for; how many there are. */
  async function eachRow(
    set: 'sales' | 'settlements',
    days: Days,
    { places, isAsked }: Readers,
    take: (row: KeptRow) => void,
  ): Promise<number> {
    let count = 0
    for (const place of places)
      for await (const rows of mirrorPages(store, { set, ...days, ...place }))
        for (const row of rows.filter(isAsked)) {
          count += 1
          take(row)
        }
    return count
  }

  /** A store that got another number has rows by each that it has had, and others may have had its number: what may be of it is looked at. */
  async function readersOf(asked: readonly KnownStore[] | null, known: readonly KnownStore[]): Promise<Readers> {
    const former = await store.formerPlaces()
    const storesOf = storesOfRow(known, former)
    if (asked === null) return { places: [{}], storesOf, isAsked: () => true }
    const names = new Set(asked.flatMap((one) => tillNames(one, former)))
    const ids = asked.map(({ storeId }) => storeId)
    const isAsked = (row: KeptRow) => {
      const of = storesOf(row)
      return of.length > 0 ? of.some((id) => ids.includes(id)) : asked.some(({ number }) => number === row.place)
    }
    return { places: [...names].map((place) => ({ place })), storesOf, isAsked }
  }
}

/** The store of a till, with its country where stores of several have its number. */
function calledIn(index: StoreIndex, { store, storeId }: UnsettledTill): string | null {
  const its = index.stores.find((one) => one.storeId === storeId)
  // The store may have had another number then.
  return its !== undefined && its.number === store ? index.keyOf(its) : store
}

/** First and last day (`yyyy-mm-dd`). */
interface Days {
  from: string
  to: string
}

/** The rows that are read, and whose they are. */
interface Readers {
  /** The names by which they are kept; an empty one stands for all. */
  places: { place?: string }[]
  storesOf: ReturnType<typeof storesOfRow>
  isAsked(row: KeptRow): boolean
}
