import type { Path } from '../../config/reading/path.ts'
import { fault } from './fault.ts'
import type { Checked } from './faults.ts'
import { Name, OptionalId } from './fields.ts'
import type { ReadingContext } from './resources/resource.ts'
import type { StoreFinder } from './store-finder.ts'

/** How a stock is named: by exactly one of these. */
export const whichStock = {
  stockId: OptionalId.describe("The platform's id of the stock."),
  stockNo: Name.nullish().describe('The number of the store whose stock it is, instead of stockId.'),
}

export interface NamedStock {
  stockId?: string | null | undefined
  stockNo?: string | null | undefined
}

const ONE_STOCK = 'exactly one of stockId and stockNo'

/** A stock has one writer: what two systems say of one level is nobody's truth. */
export function writtenByAnother(
  stockId: string,
  at: Path,
  { system, stockWriters }: Pick<ReadingContext, 'system' | 'stockWriters'>,
): string[] {
  const writer = stockWriters?.[stockId]
  if (writer === undefined || writer === system) return []
  const expected = `levels of it from ${writer} alone (platform.stockWriters in config)`
  return [fault(at, 'a stock that another system writes', expected)]
}

/** The id of a stock. One may be without a store (that of the online shop), so an id is taken as it is. */
export function stockNamed({ stockId, stockNo }: NamedStock, stores: StoreFinder): Checked<string> {
  if (stockId && !stockNo) return { value: stockId }
  if (!stockNo || stockId) return { faults: [`found ${stockId ? 'both' : 'neither'}, expected ${ONE_STOCK}`] }
  const store = stores.byNumber(stockNo, ['stockNo'])
  if ('faults' in store) return store
  if (store.value.stockId !== null) return { value: store.value.stockId }
  return { faults: [fault(['stockNo'], JSON.stringify(stockNo), 'a store that has a stock; give the stockId')] }
}
