import { isTime, OdataRefusal } from '../../odata/query.ts'
import type { Asked } from '../operation.ts'
import { Products } from './products.ts'
import { Sale } from './sale.ts'

/** The fields of a store that this API calls otherwise, or has besides (facts, §3 "Store"). */
export function storeRecord({ Legalname, ...store }: { Legalname: string; StoreNo: string; Currency: string }) {
  const list = `Retail ${store.Currency}`
  return { ...store, LegalName: Legalname, ExternalStockId: store.StoreNo, RetailPricelistID: list, PricelistID: null }
}

/** All that the log documents of an event: how it ended is one word. */
export function eventRecord(record: Readonly<Record<string, unknown>>) {
  const { webhookId, webhookEventId, createdDateTime, status, payload } = record
  return { webhookId, webhookEventId, createdDateTime, status, ...(payload !== undefined && { payload }) }
}

export function hasStatus(wanted: unknown) {
  return ({ status }: { status: string }) => wanted === undefined || [wanted].flat().includes(status)
}

/** The API behind does not choose by them. */
export function withoutStatuses(asked: Asked): Asked {
  const { statuses: _, ...query } = asked.query
  return { ...asked, query: { ...query } }
}

/** Sizes of a bulk call are documented without these two: they are not heeded there. */
export function withoutSkus(asked: Asked): Asked {
  const { success, data } = Products.safeParse(asked.body)
  if (!success) return asked
  const body = data.map(({ productSizes, ...product }) => ({
    ...product,
    ...(productSizes && { productSizes: productSizes.map(({ externalSKU: _, labelSortIndex: __, ...size }) => size) }),
  }))
  return { ...asked, body }
}

/** "SaleDateTime is expected as CET": whatever zone is written behind it is not read. */
export function inCet(asked: Asked): Asked {
  const { success, data } = Sale.safeParse(asked.body)
  if (!success || data.saleDateTime === undefined) return asked
  return { ...asked, body: { ...data, saleDateTime: data.saleDateTime.replace(/(Z|[+-]\d\d:?\d\d)$/, '') } }
}

/** Days without quotes break it, times too (facts, §1b "Saleslines from/to"). */
export function inQuotes(asked: Asked): Asked {
  for (const name of ['from', 'to'])
    if (isTime(asked.query[name]))
      throw new OdataRefusal(500, `An error occurred: ${name} is not a text in single quotes.`)
  return asked
}
