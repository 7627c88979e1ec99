import type { z } from 'zod'
import type { KnownStore } from '../../domain/places/store-index.ts'
import { otherCurrency } from '../../domain/values/other-currency.ts'
import { fault } from './fault.ts'
import { type Checked, partOf } from './faults.ts'
import { Name, OptionalId } from './fields.ts'
import type { ReadingContext } from './resources/resource.ts'

/** The store that something is of: by exactly one of the first two. */
export const whichStore = {
  storeNo: Name.nullish().describe('The number of the store, instead of storeId.'),
  storeId: OptionalId.describe("The platform's id of the store."),
  stockId: OptionalId.describe("Without it, the store's own stock."),
}

export interface StorePlace {
  storeId: string
  stockId: string
}

/** Money in another currency than that of the store that it goes to: of the payments, and of whatever else names one. */
export function currencyFaults(
  money: readonly { currency?: string | null | undefined }[],
  store: Checked<KnownStore>,
): string[] {
  if ('faults' in store) return []
  const { number, storeId, currency } = store.value
  const faults = money.flatMap((one) => otherCurrency(one.currency, currency, `store ${number ?? storeId}`) ?? [])
  return [...new Set(faults)]
}

/** The store and its stock that an item names, or what is wrong with them: also where something else of it is wrong. */
export function placeOf(
  schema: z.ZodObject<typeof whichStore & z.ZodRawShape>,
  value: unknown,
  { stores }: ReadingContext,
): Checked<StorePlace> {
  const names = partOf(schema, ['storeNo', 'storeId', 'stockId'], value)
  if (names === null) return { faults: [] }
  const { storeNo, storeId, stockId } = names as { storeNo?: string; storeId?: string; stockId?: string }
  const store = stores.named({ storeNo, storeId })
  if ('faults' in store) return store
  const stock = stockId ?? store.value.stockId
  if (stock === null) return { faults: [fault(['stockId'], 'nothing', 'a stockId: this store has no stock')] }
  return { value: { storeId: store.value.storeId, stockId: stock } }
}
