import type { StoreIndex } from '../../domain/places/store-index.ts'
import { type Opening, type OpeningHours, type OpenPlace, openingAt } from '../../domain/silence/opening.ts'
import type { Usual } from '../../domain/silence/usual.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { EventRow } from '../../store/screens.ts'

/** Where an event happened, by what its row says: its store's subscription, the sale, or the stock that it is about. */
export function placeOf({ subscription, entity }: EventRow, index: StoreIndex): { store: string; zone: string } | null {
  const sale = /^sale:([^/]+)\//.exec(entity ?? '')?.[1]
  const stock = /^stock:([^:]+):/.exec(entity ?? '')?.[1]
  const number =
    (subscription === null ? null : index.numberOfStore(subscription)) ??
    (sale === undefined ? null : decodeURIComponent(sale)) ??
    (stock === undefined ? null : index.numberOf(decodeURIComponent(stock)))
  const zone = index.stores.find((one) => one.number === number && number !== null)?.zone
  return number === null || !zone ? null : { store: number, zone }
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
  return { number: store, country: index.countryOf(store), zone }
}
