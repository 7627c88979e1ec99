import { counted } from '../../domain/values/counted.ts'
import { isNotThere } from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Finding, finding } from './finding.ts'

/** A price list, as far as it is looked at. */
type PriceList = Pick<Awaited<ReturnType<Platform['prices']['lists']>>['rows'][number], 'name' | 'productCount'>

/** The price lists that there are. The specification has no call that lists them, so not every platform can be asked. */
export async function examinePriceLists(
  platform: { prices: Pick<Platform['prices'], 'lists'> },
  currencies: readonly string[],
): Promise<Finding> {
  try {
    return judgePriceLists((await platform.prices.lists()).rows, currencies)
  } catch (error) {
    if (!isNotThere(error)) throw error
    return { check: 'price lists', state: 'note', says: 'This platform does not tell them.' }
  }
}

/** The finding on price lists, beside the currencies of the stores. Pure. */
export function judgePriceLists(lists: readonly PriceList[], currencies: readonly string[]): Finding {
  const empty = lists.filter(({ productCount }) => productCount === 0).map(({ name }) => name)
  const needed = `Stores sell in ${currencies.join(' and ')}, and price lists are needed there.`
  return finding('price lists', {
    fine:
      lists.length === 0 ? 'None.' : `${counted(lists.length, 'price list')}: ${named(lists.map(({ name }) => name))}.`,
    faults: [
      ...(lists.length === 0 && currencies.length > 1 ? [needed] : []),
      ...(lists.length > 0 && lists.length < currencies.length
        ? [`Fewer than the currencies of the stores: ${currencies.join(', ')}.`]
        : []),
    ],
    remarks: [
      ...(lists.length === 0 ? ['A store sells what has a price in its recommended retail price list.'] : []),
      ...(empty.length > 0 ? [`Without prices: ${named(empty)}.`] : []),
    ],
    todo: 'push prices, then assign a list to each store or region in the portal: Admin > Settings > POS settings.',
  })
}

function named(names: readonly string[]): string {
  const more = names.length - NAMED
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ')
}

const NAMED = 12
