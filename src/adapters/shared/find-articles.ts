import type { SaleLine } from '../../domain/accounting/sale.ts'
import { spellingsOf } from '../../domain/catalogue/article-number.ts'

export type WantedArticle = Pick<SaleLine, 'sku' | 'gtin'>

interface Source<Product> {
  fetch(field: 'sku' | 'gtin', texts: string[]): Promise<Product[]>
  textOf(product: Product, field: 'sku' | 'gtin'): string | null
  normalize(text: string): string
}

const written = (text: string | null) => (text === null ? [] : [text.trim()])
/** As written was asked for before. */
const spelled = (text: string | null) => (text === null ? [] : spellingsOf(text).slice(1))

/** The surest first. Many shops have the GTIN as SKU, some with other leading zeros. */
const WAYS = [
  { field: 'sku', wanted: ({ sku }: WantedArticle) => written(sku) },
  { field: 'gtin', wanted: ({ gtin }: WantedArticle) => written(gtin) },
  { field: 'sku', wanted: ({ gtin }: WantedArticle) => written(gtin) },
  { field: 'gtin', wanted: ({ gtin }: WantedArticle) => spelled(gtin) },
  { field: 'sku', wanted: ({ gtin }: WantedArticle) => spelled(gtin) },
] as const

/** Null: none, or several that spell the GTIN in other ways. */
export async function findArticles<Product>(
  articles: readonly WantedArticle[],
  { fetch, textOf, normalize }: Source<Product>,
): Promise<(Product | null)[]> {
  const found: (Product | null)[] = articles.map(() => null)
  for (const { field, wanted } of WAYS) {
    const missing = articles.flatMap((article, index) => (found[index] ? [] : wanted(article))).filter(Boolean)
    if (missing.length === 0) continue
    const products = await fetch(field, [...new Set(missing)])
    const byText = new Map<string, Product>()
    for (const product of products.toReversed()) {
      const text = normalize(textOf(product, field) ?? '')
      if (text !== '') byText.set(text, product)
    }
    for (const [index, article] of articles.entries()) {
      const own = new Set(wanted(article).flatMap((text) => byText.get(normalize(text)) ?? []))
      const [product] = own.size === 1 ? own : []
      if (product) found[index] ??= product
    }
  }
  return found
}
