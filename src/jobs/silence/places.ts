import { type KnownStore, presentOf, type StoreIndex } from '../../domain/places/store-index.ts'
import { type Opening, type OpeningHours, type OpenPlace, openingAt } from '../../domain/silence/opening.ts'
import type { Usual } from '../../domain/silence/usual.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { EventRow } from '../../store/screens.ts'

/**
 * Where an event happened, by what its row says: its store's subscription, the sale, or the stock that it is about. `store`: its number, with
 * its country where stores of several have that number; a sale alone does not say the country.
 */
export function placeOf({ subscription, entity }: EventRow, index: StoreIndex): { store: string; zone: string } | null {
  const sale = /^sale:([^/]+)\//.exec(entity ?? '')?.[1]
  const stock = /^stock:([^:]+):/.exec(entity ?? '')?.[1]
  return (
    only(index, ({ storeId }) => storeId === subscription) ??
    (sale === undefined ? null : numbered(index, decodeURIComponent(sale))) ??
    (stock === undefined ? null : only(index, ({ stockId }) => stockId === decodeURIComponent(stock)))
  )
}

/** The one place of the stores that are meant. */
function only(index: StoreIndex, isMeant: (store: KnownStore) => boolean): { store: string; zone: string } | null {
  const meant = index.stores.filter((one) => one.number !== null && isMeant(one))
  const [store, ...others] = new Set(meant.map((one) => index.keyOf(one)))
  const zone = meant[0]?.zone
  return store && zone && others.length === 0 ? { store, zone } : null
}

function numbered({ stores }: StoreIndex, number: string): { store: string; zone: string } | null {
  const zone = stores.find((one) => one.number === number)?.zone
  return zone ? { store: number, zone } : null
}

/** What is usual of stores that the platform has: one that got another number, or is gone, says nothing under its old one. */
export function withStores(usuals: readonly Usual[], index: StoreIndex): Usual[] {
  const present = presentOf(index.stores)
  const keys = new Set(present.map((one) => index.keyOf(one)))
  const learned = new Set(usuals.map(({ store }) => store))
  // A number that several have is all that sales say where no store has a subscription of its own.
  const isOfAll = (store: string) => {
    const its = present.filter(({ number }) => number === store)
    return its.length > 0 && !its.some((one) => learned.has(index.keyOf(one) ?? ''))
  }
  return usuals.filter(({ store }) => keys.has(store) || isOfAll(store))
}

/** Whether the store of a usual is open now: asked once of each store, however many kinds it has. */
export function createOpenings(hours: OpeningHours, index: StoreIndex, now: Instant): (usual: Usual) => Opening {
  const known = new Map<string, Opening>()
  return (usual) => {
    const opening = known.get(usual.store) ?? openingAt(hours, openPlace(usual, index), now)
    known.set(usual.store, opening)
    return opening
  }
}

/** A store, as its opening hours are looked up. */
export function openPlace({ store, zone }: Usual, index: StoreIndex): OpenPlace {
  const its = index.stores.find((one) => index.keyOf(one) === store)
  return { number: its?.number ?? store, country: its?.countryCode ?? index.countryOf(store), zone }
}
