import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { Article } from '../goods/assortment.ts'
import { toText } from '../sales/amounts.ts'
import type { Store } from '../stores.ts'
import { type Articles, labelOf, nameIn } from './articles.ts'
import { type Form, wholeNumber } from './form.ts'
import { counted, table } from './parts.ts'

/** The most articles that are shown; the search finds the others. */
const SHOWN = 8

/** The fields of the form that have pieces in them are named after the GTIN. */
const LINE = 'line.'

/** The lines that lie on the counter. */
export function linesOf(form: Form): { sku: string; quantity: number }[] {
  return [...form.starting(LINE)]
    .map(([sku, text]) => ({ sku, quantity: wholeNumber(text, `The pieces of ${sku}`, -999, 999) }))
    .filter(({ quantity }) => quantity !== 0)
}

/** The part of the form that goes into the next page's address when nothing came of it: nobody writes it twice. */
export function parked(form: Form): Record<string, string> {
  const lines = [...form.starting(LINE)].map(([name, value]) => [`${LINE}${name}`, value])
  const rest = ['q', 'payment', 'giftCard'].map((name) => [name, form.text(name)])
  return Object.fromEntries([...lines, ...rest].filter(([, value]) => value !== ''))
}

/** The table of goods: what is on the counter already stands first; then what the search found. */
export function basketTable(form: Form, articles: Articles, store: Store): Markup {
  const taken = form.starting(LINE)
  const onCounter = [...taken.keys()].flatMap((name) => articles.find(name) ?? [])
  const names = new Set(onCounter.map(nameIn))
  const found = articles.search(form.text('q')).filter((article) => !names.has(nameIn(article)))
  const rows = [...onCounter, ...found.slice(0, SHOWN)].map((article) => row(article, taken, articles, store))
  const rest =
    found.length > SHOWN ? `The first ${SHOWN} of ${counted(found.length, 'article')}: search for others.` : ''
  return html`${table('Articles', ['Article', 'Pieces', '#Price', '#In stock', 'SKU', 'GTIN'], rows)}
<p class="quiet">${rest}</p>`
}

function row(article: Article, taken: ReadonlyMap<string, string>, articles: Articles, store: Store) {
  const name = nameIn(article)
  return [
    labelOf(article),
    html`<input type="number" name="${LINE}${name}" value="${taken.get(name) ?? ''}" min="-999" max="999" class="short" aria-label="Pieces of ${labelOf(article)}, ${article.sku}">`,
    `${toText(article.cents)} ${store.Currency}`,
    articles.level(store, article).quantity,
    article.sku,
    article.gtin,
  ]
}
