import { type Said, saidOfPrice, saidOfProduct, saidOfText, THERE, timeOf } from '../../domain/catalogue/master-data.ts'
import type { SubmittedPrice, SubmittedProduct, SubmittedProductText } from '../../domain/catalogue/submitted.ts'
import { payloadOf } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { DeliveryRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'

export interface Check {
  delivery: number
  entity: string | null
  settledAt: Instant
  isText: boolean
  product: ProductName
  said: Said[]
  dated: { list: string; price: string; from: Instant; to: Instant } | null
}

export interface ProductName {
  extId: string | null
  productId: string | null
  gtins: string[]
  /** Where the GTINs are of one product: it must not be another one. */
  number: string | null
  variant: string | null
}

/** Kinds that say that something is there no more: what was submitted of it before is not missed then. */
const ENDS: ReadonlySet<string> = new Set(['ProductDeletionSubmitted', 'PriceEndSubmitted'])

export function subjectOf({ extId, productId, gtins: [gtin] }: ProductName): string {
  return extId ?? gtin ?? `product ${productId}`
}

/** The contents that a delivery submitted; null: nobody knows any more, or it ended something, which says nothing that could be there. */
export async function readCheck(store: Pick<Store, 'event'>, row: DeliveryRow): Promise<Check | null> {
  const event = await store.event(row.event)
  if (!event || event.body === null || ENDS.has(event.kind)) return null
  const payload = payloadOf({ body: event.body })
  const { id: delivery, entity, settledAt, flow } = row
  const common = { delivery, entity, settledAt: settledAt ?? 0, isText: false, dated: null }
  switch (flow) {
    case 'save-prices': {
      const price = payload as SubmittedPrice
      return { ...common, product: pricedName(price), said: [THERE, ...saidOfPrice(price)], dated: datedOf(price) }
    }
    case 'save-product-text': {
      const text = payload as SubmittedProductText
      const said = [THERE, ...saidOfText(text)]
      return { ...common, isText: true, product: named({ extId: text.extId }), said }
    }
    default: {
      const product = payload as SubmittedProduct
      return { ...common, product: nameOfProduct(product), said: [THERE, ...saidOfProduct(product)] }
    }
  }
}

function nameOfProduct({ extId, number, variant, productSizes = [] }: SubmittedProduct): ProductName {
  const gtins = productSizes.flatMap(({ gtin }) => gtin ?? [])
  return named({ extId, gtins, number: number ?? null, variant: variant ?? null })
}

function pricedName({ productExtId, gtin, productId }: SubmittedPrice): ProductName {
  return named({ extId: productExtId ?? null, productId: productId ?? null, gtins: gtin === undefined ? [] : [gtin] })
}

function named(known: Partial<ProductName>): ProductName {
  return { extId: null, productId: null, gtins: [], number: null, variant: null, ...known }
}

function datedOf(price: SubmittedPrice): Check['dated'] {
  const { list, price: amount, validFrom, validTo } = price
  return validFrom === undefined && validTo === undefined ? null : { list, price: amount, ...timeOf(price) }
}
