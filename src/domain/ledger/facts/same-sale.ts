import { keyPart } from '../../queue/event.ts'
import { wallClockIn } from '../../values/store-time.ts'

/** The event and the list may have been written by two clocks of the platform (seconds). */
export const APART = 5

/** The fields that tell a sale from one of the same receipt number, POS and day in another store. */
export interface SaidOfSale {
  /** As it was written; null: it is not known. */
  at: string | null
  /** Decimal text; null: it is not known. */
  total: string | null
}

/** The identity of a sale in two parts: its store as it was called then, and POS, receipt and day. */
export function splitSaleKey(key: string): { naming: string; rest: string } {
  const at = key.indexOf('/')
  return { naming: key.slice(0, at), rest: key.slice(at + 1) }
}

/** Till and receipt of the second part, and the day: an event that says its time in UTC may name another day than the store's. */
export function splitRest(rest: string): { receipt: string; day: string } {
  const at = rest.lastIndexOf('/')
  return { receipt: rest.slice(0, at), day: rest.slice(at + 1) }
}

/** Names by which identities of sales may call these stores. */
export function namingsOf(stores: readonly { number: string | null; name: string | null }[]): Set<string> {
  return new Set(
    stores.flatMap(({ number, name }) => [number, name]).flatMap((one) => (one === null ? [] : keyPart(one))),
  )
}

/**
 * Whether what was told under another name of a store is the sale of a list, where POS, receipt and day are the same: it was sold in the
 * same moment; or no other store is called so, and the amount is the same as far as both are known. Stores get numbers, and other
 * ones, and two may change theirs with each other. `zone`: that of the store; null: it is not known.
 */
export function isSameSale(
  listed: { at: string; total: string; zone: string | null },
  told: SaidOfSale,
  isNameOfOther: boolean,
): boolean {
  if (isSameMoment(listed, told.at)) return true
  return !isNameOfOther && (told.total === null || Number(told.total) === Number(listed.total))
}

/** Whether an event says the moment in which a sale of a list was sold. */
export function isSameMoment(listed: { at: string; zone: string | null }, told: string | null): boolean {
  const apart = Date.parse(`${wallClockIn(told ?? '', listed.zone)}Z`) - Date.parse(`${listed.at}Z`)
  return Math.abs(apart) <= APART * 1_000
}
