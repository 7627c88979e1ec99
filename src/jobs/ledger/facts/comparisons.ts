import type { Range } from '../../../domain/ledger/covered.ts'
import { zonesOf } from '../../../domain/ledger/facts/wall-clock.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { SearchIndex } from '../../../inbox/search-index.ts'
import type { OperationName } from '../../../platform/http/endpoints.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { KeptStore } from '../../../store/kept.ts'
import type { Store } from '../../../store/store.ts'
import { openStores, presentStocks, todaysOf } from '../../pulls/store-days.ts'
import type { AcceptFact } from './accept.ts'
import { compareDeliveries, DELIVERY_KIND } from './compare-deliveries.ts'
import { type Compared, compareKind } from './compare-kind.ts'
import type { FactsState } from './facts-state.ts'
import { movementsRoad } from './movements.ts'
import { createPlaces } from './places.ts'
import { salesRoad } from './sales.ts'
import type { SaleColumns } from './sales-source.ts'
import { settlementsRoad } from './settlements.ts'
import type { Subscribed } from './subscribed.ts'

/** What all comparisons of a run have in common. */
interface Options {
  platform: Pick<Platform, 'salesLines' | 'stockMovements' | 'settlements' | 'deliveries'>
  store: Pick<
    Store,
    'known' | 'mirrorPage' | 'mirrorRows' | 'covered' | 'gaps' | 'saveLedger' | 'watermarks' | 'find' | 'bodies'
  >
  /** The index of what events say. */
  index: Pick<SearchIndex, 'catchUp'>
  /** Also those that the platform does not have any more. */
  stores: readonly KeptStore[]
  subscribed: Subscribed
  /** Sales, settlements, movements and deliveries are mirrored: what events told is known. */
  mirrored: boolean
  hasList(operation: OperationName): boolean
  movementColumns: { id?: string | undefined; type?: string | undefined }
  saleColumns: SaleColumns
  state: FactsState
  lag: number
  now: Instant
  accept: AcceptFact
  turn(): Promise<void>
  save(state: FactsState): Promise<void>
  signal: AbortSignal
}

/** A kind whose facts can be compared, or why they cannot. */
export interface Comparison {
  kind: string
  cannotTell: string | null
  /** `span`: from where events could tell to the frozen bound. */
  compare(span: Range): Promise<Compared>
}

/** Every kind that the platform lists facts of, as far as events of it come. */
export function comparisonsOf(options: Options): Comparison[] {
  const { stores, subscribed, mirrored, hasList, movementColumns, saleColumns, now } = options
  const lacks = (operation: OperationName) => (hasList(operation) ? null : 'the platform has no such list')
  const asked = { ...options, places: createPlaces(stores), lacks }
  const open = openStores(stores, now)
  const watchedOf = (kind: string) => (storeId: string | null) => subscribed.watches(kind, storeId)
  const when = { zones: zonesOf(open), lastDay: todaysOf(open, now).last }
  const roads = [
    salesRoad({ ...asked, columns: saleColumns }),
    movementsRoad({ ...asked, columns: movementColumns }),
    settlementsRoad(asked),
  ]
  const all: Comparison[] = [
    ...roads.map((road) => ({
      kind: road.kind,
      cannotTell: road.cannotTell,
      compare: (span: Range) => compareKind({ ...options, ...when, road, span, watched: watchedOf(road.kind) }),
    })),
    {
      kind: DELIVERY_KIND,
      cannotTell: lacks('deliveries.list') ?? whyNoDeliveries(open, mirrored),
      compare: (span) => compareDeliveries({ ...options, stores: open, span, watched: watchedOf(DELIVERY_KIND) }),
    },
  ]
  return all.filter(({ kind }) => subscribed.isFor(kind))
}

function whyNoDeliveries(stores: readonly KeptStore[], mirrored: boolean): string | null {
  if (!mirrored) return 'deliveries are not mirrored (mirror: all)'
  return presentStocks(stores).length === 0 ? 'no store says which stock it has' : null
}
