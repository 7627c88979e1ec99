import { spellingsOf } from '../../../domain/catalogue/article-number.ts'
import type { Variant } from '../operations.ts'
import { customField } from '../orders/shop-order.ts'
import type { Shop } from '../shop.ts'

export interface Wanted {
  sku: string | null
  gtin: string | null
}

/** As many as fit well into one request. */
const AT_ONCE = 50

/**
 * The shop's variant of each, in their order: by SKU, else by GTIN (in its field, or as the SKU), with whichever zeros before it. Null: it
 * has none, or several that spell the GTIN in other ways.
 */
export async function findVariants(
  shop: Shop,
  wanted: readonly Wanted[],
  signal: AbortSignal,
): Promise<(Variant | null)[]> {
  const { gtinField } = shop.options
  const skus = [
    ...new Set(
      wanted.flatMap(({ sku, gtin }) => [...(sku === null ? [] : [sku]), ...(gtin === null ? [] : spellingsOf(gtin))]),
    ),
  ]
  const gtins = [...new Set(wanted.flatMap(({ gtin }) => (gtin === null ? [] : spellingsOf(gtin))))]
  const bySku = await fetchAll(shop, 'sku', skus, signal)
  const byGtin = gtinField === undefined ? [] : await fetchAll(shop, gtinField, gtins, signal)
  const ofSku = firstBy(bySku, (variant) => variant.sku)
  const ofGtin = firstBy(byGtin, (variant) => customField(variant, gtinField))
  return wanted.map(
    ({ sku, gtin }) =>
      (sku !== null && ofSku.get(sku)) ||
      (gtin !== null && (ofGtin.get(gtin) ?? ofSku.get(gtin) ?? only(spellingsOf(gtin)))) ||
      null,
  )

  function only(spellings: readonly string[]): Variant | null {
    const found = new Map(
      spellings.flatMap((text) => ofGtin.get(text) ?? ofSku.get(text) ?? []).map((one) => [one.id, one]),
    )
    const [variant = null] = found.size === 1 ? found.values() : []
    return variant
  }
}

async function fetchAll({ api, operations }: Shop, field: string, texts: string[], signal: AbortSignal) {
  const all: Variant[] = []
  for (let start = 0; start < texts.length; start += AT_ONCE) {
    const filter = { [field]: { in: texts.slice(start, start + AT_ONCE) } }
    for (const one of (await api.run(operations.variants, { options: { filter } }, signal)).items) all.push(one)
  }
  return all
}

/** Variants by key: of several with the same key the first counts. */
function firstBy(variants: readonly Variant[], keyOf: (variant: Variant) => unknown): Map<unknown, Variant> {
  return new Map(variants.toReversed().map((variant) => [keyOf(variant), variant]))
}
