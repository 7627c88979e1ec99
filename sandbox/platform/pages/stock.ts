import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { Actions } from '../actions/all.ts'
import { AskedAdjustment, AskedCount } from '../actions/asked-stock.ts'
import { Refusal } from '../refusal.ts'
import type { Stock } from '../stores.ts'
import { type Articles, articleField, labelOf, nameIn, proposals } from './articles.ts'
import type { Door } from './door.ts'
import { type Frame, stockHere, to } from './frame.ts'
import { counted, table, textField } from './parts.ts'
import { ask, tell } from './tell.ts'

/** The most articles that are shown; the search finds the others. */
const SHOWN = 15

interface Means {
  actions: Pick<Actions, 'countStock' | 'adjustStock'>
  articles: Articles
}

/** The levels of a stock; counting and correcting them. */
export function createStockPage({ actions, articles }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/stock', (request, response) => {
    const stock = stockHere(request)
    const words = typeof request.query.q === 'string' ? request.query.q.trim() : ''
    return frame(request, response, `Stock of ${stock.StoreName}`, stockPage(stock, words, articles))
  })

  door.on(
    '/stock/count',
    '/stock',
    (stock, form) => {
      const lines = [...form.starting('count.')].map(([sku, quantity]) => ({ sku, quantity }))
      if (lines.length === 0) throw new Refusal(400, 'Write beside an article how many there are.')
      const complete = form.has('complete')
      return tell('Counted', actions.countStock(ask(AskedCount, { stock: stock.StoreNo, lines, complete })))
    },
    { again: (form) => ({ q: form.text('q') }) },
  )
  door.on('/stock/adjust', '/stock', (stock, form) =>
    tell('Corrected', actions.adjustStock(ask(AskedAdjustment, { stock: stock.StoreNo, ...form.all() }))),
  )
  return router
}

function stockPage(stock: Stock, words: string, articles: Articles): Markup {
  const found = articles.search(words)
  return html`<form method="get" action="/stock" class="line" role="search">
<input type="hidden" name="store" value="${stock.StoreNo}">
${textField('Name, SKU or GTIN', 'q', { type: 'search', value: words, autocomplete: 'off' })}
<button>Search</button>
</form>
<h2>Levels and count</h2>
<p class="quiet">${found.length > SHOWN ? `The first ${SHOWN} of ${counted(found.length, 'article')}: search for others.` : counted(found.length, 'article')}</p>
<form method="post" action="${to('/stock/count', stock)}">
<input type="hidden" name="q" value="${words}">
${table(
  'Levels',
  ['Article', 'Counted', '#In stock', '#Kept', 'SKU', 'GTIN'],
  found.slice(0, SHOWN).map((article) => {
    const { quantity, reserved } = articles.level(stock, article)
    const said = `Counted pieces of ${labelOf(article)}, ${article.sku}`
    return [
      labelOf(article),
      html`<input type="number" name="count.${nameIn(article)}" min="0" max="99999" class="short" aria-label="${said}">`,
      quantity,
      reserved,
      article.sku,
      article.gtin,
    ]
  }),
)}
<label class="check"><input type="checkbox" name="complete" value="true"> A complete count: what has no number here is set to 0</label>
<div class="actions"><button class="strong">Reconcile the count</button></div>
</form>
<h2>Correct by hand</h2>
<form method="post" action="${to('/stock/adjust', stock)}" class="line">
${articleField()}
${textField('Difference, such as -1', 'quantity', { type: 'number', min: -999, max: 999, required: 'required' })}
${textField('Reason', 'reason', { autocomplete: 'off' })}
<button>Correct</button>
</form>
${proposals(articles)}`
}
