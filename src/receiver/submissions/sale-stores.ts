import { UserError } from '../../domain/errors.ts'
import { numberKey, type StoreDirectory } from '../../domain/store-directory.ts'

/**
 * Throws a UserError where config lets a store stand for a country that the platform does not have, or that is in another
 * country. Says nothing while no stores are known: they are read at the first start.
 */
export function checkSaleStores(saleStores: Readonly<Record<string, string>>, { stores }: StoreDirectory): void {
  if (stores.length === 0) return
  for (const [country, number] of Object.entries(saleStores)) {
    const where = `platform.saleStores.${country}`
    const found = stores.filter((store) => store.number !== null && numberKey(store.number) === numberKey(number))
    if (found.length === 0) {
      const known = stores.flatMap((store) => store.number ?? []).join(', ')
      throw new UserError(`${where}: the platform has no store ${number}; it has ${known || 'none with a number'}.`)
    }
    const elsewhere = found.find(({ countryCode }) => countryCode !== null && countryCode.toUpperCase() !== country)
    if (elsewhere)
      throw new UserError(`${where}: the store ${number} is in ${elsewhere.countryCode}, not in ${country}.`)
  }
}
