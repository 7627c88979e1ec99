import { UserError } from '../../domain/errors.ts'
import { type KnownStore, numberKey, presentOf } from '../../domain/store-directory.ts'

/**
 * Throws a UserError where config lets a store stand for a country that is not among these, that is in another country, or
 * that shares its number. Says nothing while no stores are known: they are read at the first start.
 */
export function checkSaleStores(saleStores: Readonly<Record<string, string>>, stores: readonly KnownStore[]): void {
  if (stores.length === 0) return
  for (const [country, number] of Object.entries(saleStores)) {
    const where = `platform.saleStores.${country}`
    const numbered = stores.filter((store) => store.number !== null && numberKey(store.number) === numberKey(number))
    const present = presentOf(numbered)
    // One that is gone counts at start: a store that closes must not keep the hub from taking webhooks.
    const found = present.length > 0 ? present : numbered
    if (found.length === 0) {
      const known = presentOf(stores).flatMap((store) => store.number ?? [])
      throw new UserError(
        `${where}: the platform has no store ${number}; it has ${known.join(', ') || 'none with a number'}.`,
      )
    }
    if (found.length > 1)
      throw new UserError(`${where}: ${found.length} stores have the number ${number}, and only one may stand for it.`)
    const elsewhere = found.find(({ countryCode }) => countryCode !== null && countryCode.toUpperCase() !== country)
    if (elsewhere)
      throw new UserError(`${where}: the store ${number} is in ${elsewhere.countryCode}, not in ${country}.`)
  }
}
