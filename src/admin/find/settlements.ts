import { Router } from 'express'
import { z } from 'zod'
import { createUnsettled, type UnsettledTill } from '../../domain/books/unsettled.ts'
import type { KnownStore } from '../../domain/places/store-index.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'
import { askedStores } from '../asked-store.ts'
import { Day, parse, requireInOrder } from '../filters.ts'

interface Options {
  store: Pick<Store, 'mirrorPage' | 'stores'>
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
    const place = of === undefined ? null : placeOf(askedStores(of, await store.stores())[0])
    response.json(await missing({ from, to, ...(place !== null && { place }) }))
  })
  return router

  async function missing(filter: { from: string; to: string; place?: string }): Promise<MissingSettlements> {
    const unsettled = createUnsettled()
    const counts = { sales: 0, settlements: 0 }
    for await (const rows of mirrorPages(store, { set: 'sales', ...filter })) {
      counts.sales += rows.length
      for (const row of rows) unsettled.sold(row)
    }
    const until = new Date(Date.parse(filter.to) + LATE_DAYS * DAY).toISOString().slice(0, 10)
    for await (const rows of mirrorPages(store, { set: 'settlements', ...filter, to: until })) {
      counts.settlements += rows.length
      for (const row of rows) unsettled.settled(row)
    }
    return { missing: unsettled.missing(), ...counts }
  }
}

/** The name under which the mirror keeps sales and settlements of a store. */
function placeOf({ number, storeId }: Pick<KnownStore, 'number' | 'storeId'>): string {
  return number ?? storeId
}
