import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import { articleOfItem, findArticle } from '../goods/article.ts'
import type { Article } from '../goods/assortment.ts'
import type { Goods } from '../goods/held.ts'
import type { Stock } from '../stores.ts'
import { textField } from './parts.ts'

/** The most articles that are proposed while one types. */
const PROPOSED = 20

/** The articles of the platform, as people look for them. */
export interface Articles {
  /** The articles whose name, SKU, GTIN or number has each of these words in it; all, if there is no word. */
  search(words: string): Article[]
  /** The article that this SKU or GTIN names. */
  find(name: string): Article | null
  /** `T-shirt Black M`; what was asked, if the catalogue does not have it. */
  nameOf(name: string): string
  /** The pieces that a stock has of it, and how many of those are kept for somebody. */
  level(stock: Stock, article: Article): { quantity: number; reserved: number }
}

export function createArticles(goods: Goods): Articles {
  const { catalogue, stock: levels } = goods
  const find = (name: string) => findArticle(goods, { gtin: name }) ?? findArticle(goods, { externalSKU: name })
  return {
    search(words) {
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
      return catalogue
        .items()
        .map(articleOfItem)
        .filter((article) => {
          const said = `${labelOf(article)} ${article.sku} ${article.gtin} ${article.number}`.toLowerCase()
          return wanted.every((word) => said.includes(word))
        })
    },
    find,
    nameOf(name) {
      const found = find(name)
      return found ? labelOf(found) : name
    },
    level({ StockId }, { gtin, sku }) {
      const identity = (catalogue.find({ gtin }) ?? catalogue.find({ externalSKU: sku }))?.size.identity ?? ''
      return { quantity: levels.level(StockId, identity), reserved: levels.reserved(StockId, identity) }
    },
  }
}

/** As people call it: name, colour and size. */
export function labelOf({ name, colour, size }: Article): string {
  return [name, colour, size].filter(Boolean).join(' ')
}

/** The name that forms and addresses have for it. */
export function nameIn({ sku, gtin }: Article): string {
  return gtin || sku
}

/** The fields for so many of one article, by SKU or GTIN. The page must have the `proposals` in it. */
export function articleFields(): Markup {
  return html`${articleField()}${piecesField()}`
}

export function articleField(): Markup {
  return textField('Article (SKU or GTIN)', 'sku', { list: 'articles', required: 'required', autocomplete: 'off' })
}

function piecesField(): Markup {
  return textField('Pieces', 'quantity', { type: 'number', min: 1, max: 999, value: 1, required: 'required' })
}

/** The articles that the browser proposes where one is asked for; once a page. */
export function proposals(articles: Articles): Markup {
  const some = articles.search('').slice(0, PROPOSED)
  return html`<datalist id="articles">${some.map(
    (article) => html`<option value="${article.sku || article.gtin}">${labelOf(article)}</option>`,
  )}</datalist>`
}
