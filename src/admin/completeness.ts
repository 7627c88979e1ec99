import { z } from 'zod'
import { createUnsettled, type UnsettledPos } from '../domain/accounting/settlement.ts'
import type { StoredMirrorRow } from '../domain/catalogue/mirror.ts'
import { requestedRange } from '../domain/completeness/covered.ts'
import { CAUSE_NAMES, CAUSES, GAP_STATES, RECONCILIATION_SOURCES, type StoredGap } from '../domain/completeness/gap.ts'
import { posNames, storesOfRow } from '../domain/stores/former-place.ts'
import { createStoreIndex, type IndexedStore, presentOf, type StoreIndex } from '../domain/stores/store-index.ts'
import { UserError } from '../domain/values/errors.ts'
import { addDays } from '../domain/values/instant.ts'
import { notFoundText } from '../domain/values/text.ts'
import {
  type CompletenessResult,
  readCompleteness,
  readSecondSource,
  readThere,
  type SecondSource,
  type There,
} from '../storage/read-completeness.ts'
import type { Storage } from '../storage/storage.ts'
import { mirrorPages } from '../storage/walk-pages.ts'
import {
  askedStore,
  askedStores,
  Day,
  type Hinted,
  hintOf,
  idIn,
  limit,
  requireInOrder,
  requireStoreId,
  when,
  whole,
} from './asked.ts'
import type { AdminContext } from './context.ts'
import { change, get, NOTHING, notFound, type Route } from './routes.ts'

const Asked = z.strictObject({ until: when.optional(), day: Day.optional(), store: z.string().optional() })

/** `store`: number or platform id; `day`: by the clocks of the stores. */
export function completenessRoutes({ storage, completeness, clock }: AdminContext): Route[] {
  return [
    get(
      '/completeness',
      Asked,
      async ({ asked: { store: of, ...time } }): Promise<CompletenessResult & SecondSource & There> => {
        const stores = await storage.stores()
        const one = of === undefined ? null : askedStore(of, stores)
        const storeId = one?.storeId ?? null
        const asked = { ...requestedRange(time, one === null ? presentOf(stores) : [one]), storeId, now: clock.now() }
        const [answer, second, there] = await Promise.all([
          readCompleteness(storage, completeness, asked),
          readSecondSource(storage, { day: time.day, storeId }),
          readThere(storage, asked),
        ])
        return { ...answer, ...second, ...there }
      },
    ),
  ]
}

export interface GapView extends StoredGap {
  words: string
  remedy: string
}

export interface GapList extends Hinted {
  gaps: GapView[]
}

const GapFilter = z.strictObject({
  id: whole.optional(),
  state: z.enum(GAP_STATES).optional(),
  source: z.enum(RECONCILIATION_SOURCES).optional(),
  cause: z.enum(CAUSE_NAMES).optional(),
  kind: z.string().optional(),
  storeId: z.string().optional(),
  destination: z.string().optional(),
  day: Day.optional(),
})
const Page = GapFilter.extend({ after: whole.default(0), limit: limit.default(50) })
const GapSelection = GapFilter.omit({ state: true })

const WHICH = ['source', 'cause', 'kind', 'store-id', 'destination', 'day']

export function gapRoutes(context: AdminContext): Route[] {
  const { storage } = context

  /** Throws a UserError for an unknown store without gaps; a gap may be older than the list of stores. */
  async function requireKnown({ storeId }: { storeId?: string }): Promise<void> {
    if (storeId === undefined || (await storage.gaps({ storeId }, 0, 1)).length > 0) return
    requireStoreId(storeId, await storage.stores())
  }

  return [
    get('/gaps', Page, async ({ asked: { after, limit, ...filter } }): Promise<GapList> => {
      await requireKnown(filter)
      const gaps = (await storage.gaps(filter, after, limit)).map(gapView)
      return { gaps, hint: gaps.length === 0 ? hintOf(filter, context) : null }
    }),

    get('/gaps/:id', NOTHING, async ({ params: { id } }): Promise<GapView> => {
      const [gap] = await storage.gaps({ id: idIn(id, 'a gap', 'gaps list') }, 0, 1)
      if (!gap) throw notFound(notFoundText('gap', String(id)))
      return gapView(gap)
    }),

    change(context, '/gaps/explain', 'explain', { selection: GapSelection, which: WHICH }, async (filter, audit) => {
      await requireKnown(filter)
      return await storage.explainGaps(filter, audit)
    }),
  ]
}

function gapView(gap: StoredGap): GapView {
  const { words, remedy } = CAUSES[gap.cause]
  const { delivery } = gap.evidence.destination ?? {}
  return { ...gap, words, remedy: remedy.replace('<id>', String(gap.id)).replace('<delivery>', String(delivery)) }
}

export interface MissingSettlements {
  missing: UnsettledPos[]
  sales: number
  settlements: number
}

const SettlementsAsked = z.strictObject({ from: Day, to: Day, store: z.string().optional() })

const DAY_MS = 86_400_000
const MAX_DAYS = 62
/** A settlement may be made so many days after its sales. */
const LATE_DAYS = 7

export function settlementRoutes({ storage, mirrored }: AdminContext): Route[] {
  return [
    get(
      '/settlements/missing',
      SettlementsAsked,
      async ({ asked: { from, to, store: of } }): Promise<MissingSettlements> => {
        if (mirrored !== 'all')
          throw new UserError(
            'The hub keeps no sales and settlements: set mirror to all in the config, and let it take some days.',
          )
        requireInOrder({ from, to })
        const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
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
