import { Refusal } from '../refusal.ts'
import { type Article, ASSORTMENT, UNKNOWN_ARTICLE } from './assortment.ts'
import type { Item, ItemName } from './catalogue.ts'
import type { Goods } from './held.ts'

const OF_TILLS = new Map([...ASSORTMENT, UNKNOWN_ARTICLE].map((article) => [article.gtin, article]))

/** The article that the catalogue has by this name, as the POS know it. */
export function findArticle({ catalogue }: Pick<Goods, 'catalogue'>, name: ItemName): Article | null {
  const item = catalogue.find(name)
  // The POS know the VAT rate of their own, too; these can be sold whatever became of them in the catalogue.
  if (!item) return OF_TILLS.get(name.gtin ?? '') ?? null
  return OF_TILLS.get(item.size.gtin ?? '') ?? articleOfItem(item)
}

/** The article with this SKU or GTIN. Nobody sells one that does not exist. */
export function articleNamed(goods: Pick<Goods, 'catalogue'>, name: string): Article {
  const found =
    [...OF_TILLS.values()].find(({ sku }) => sku === name) ??
    findArticle(goods, { externalSKU: name }) ??
    findArticle(goods, { gtin: name })
  if (!found) throw new Refusal(400, `The POS knows no article ${name}.`)
  return found
}

/** A size as the POS know it. */
export function articleOfItem({ variant, size }: Item): Article {
  return {
    sku: size.externalSKU ?? '',
    gtin: size.gtin ?? '',
    name: variant.name,
    brand: variant.brand ?? '',
    number: variant.number ?? '',
    colour: variant.color ?? '',
    size: size.label,
    group: variant.groupName ?? '',
    season: variant.season ?? '',
    cents: Math.round((variant.price ?? 0) * 100),
    vatRate: 0.25,
  }
}
