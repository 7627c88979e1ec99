import { UserError } from '../../domain/errors.ts'
import { type KnownStore, numberKey, presentOf, type StoreDirectory } from '../../domain/store-directory.ts'
import type { Logger } from '../../lib/logger.ts'

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

/** At the first start no stores were known, and stores go: config may name one that is not there. */
export function nameSaleStores(
  saleStores: Record<string, string>,
  known: Pick<StoreDirectory, 'stores'>,
  logger: Logger,
): void {
  try {
    checkSaleStores(saleStores, presentOf(known.stores))
  } catch (error) {
    logger.error({ problem: error instanceof Error ? error.message : String(error) }, 'config.sale-store')
  }
}
