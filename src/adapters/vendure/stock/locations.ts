import { PermanentError } from '../../../domain/values/errors.ts'
import type { StockLevel } from '../../../ports/stock.ts'
import type { Shop } from '../shop.ts'

/** The ids of the stock locations that levels name by id or name. */
export async function locationsOf(
  { api, operations }: Shop,
  levels: readonly Pick<StockLevel, 'location'>[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const { items } = await api.run(operations.stockLocations, { options: {} }, signal)
  return new Map(
    levels.flatMap(({ location }) => {
      const found = items.find(({ name }) => name === location) ?? items.find(({ id }) => id === location)
      return found ? [[location, found.id] as const] : []
    }),
  )
}

export function noLocation({ api }: Shop, location: string): PermanentError {
  return new PermanentError(
    `${api.destination}: the shop has no stock location ${location}: compare stocks in config with its settings`,
    { code: 'no-stock-location' },
  )
}
