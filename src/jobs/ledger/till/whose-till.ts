import type { StoreIndex } from '../../../domain/places/store-index.ts'
import { type TillState, tillKey } from './till-state.ts'

/** Says which store a till is of by what the store was called when it made a report: the platform's id; null: nobody knows. */
export type WhoseTill = (till: { place: string; posId: string }) => string | null

/**
 * A store may have got another number since, and another store the one that it had. So a till that is remembered of a store that is
 * called so, or was, is of that one.
 */
export function whoseTill(index: StoreIndex, { tills, names }: TillState): WhoseTill {
  const called = Map.groupBy(
    Object.entries(names).flatMap(([storeId, own]) => own.map((name) => ({ storeId, name }))),
    ({ name }) => name,
  )
  return ({ place, posId }) => {
    const ref = { number: place, storeId: null, stockId: null, stockNumber: null, countryCode: null }
    const now = index.find(ref)?.storeId ?? null
    const before = (called.get(place) ?? []).map(({ storeId }) => storeId)
    const remembered = [...(now === null ? [] : [now]), ...before].find(
      (home) => tills[tillKey({ home, posId })]?.storeId === home,
    )
    return remembered ?? now ?? (before.length === 1 ? (before[0] ?? null) : null)
  }
}
