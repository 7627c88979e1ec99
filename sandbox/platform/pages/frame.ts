import type { Request, Response } from 'express'
import { html } from 'hono/html'
import { type Markup, sendPage } from '../../page.ts'
import { STOCKS, STORES, type Stock, type Store, WEB_STOCK } from '../stores.ts'
import type { Journal, Said } from './journal.ts'

interface Area {
  path: string
  label: string
  /** Where one can be, to look at it. */
  places: readonly Stock[]
  /** The pages that belong to it, if there is more than one. */
  pages: readonly (readonly [path: string, words: string])[]
}

const AREAS: readonly Area[] = [
  area('/', 'pos', STORES, ['/', 'Sell'], ['/gift-cards', 'Gift cards']),
  area('/orders', 'Orders', STORES),
  area('/stock', 'Stock', STOCKS, ['/stock', 'Levels'], ['/transfers', 'Transfers'], ['/reservations', 'Reservations']),
  area('/deliveries', 'Deliveries', STOCKS),
  area('/day', 'Day', STORES),
  area('/customers', 'Customers', STORES),
  area('/faults', 'Faults', STORES),
  area('/events', 'Events', STORES, ['/events', 'Latest'], ['/kinds', 'Kinds'], ['/subscriptions', 'Subscriptions']),
]

function area(path: string, label: string, places: readonly Stock[], ...pages: Area['pages']): Area {
  return { path, label, places, pages }
}

/** The store that the person stands in: `?store=101`; the first one, where the address does not say. */
export function storeHere({ query }: Pick<Request, 'query'>): Store {
  const [first] = STORES
  const found = STORES.find(({ StoreNo }) => StoreNo === query.store) ?? first
  if (!found) throw new RangeError('There is no store.')
  return found
}

/** The stock that the person looks at: the store's, or the web stock (`?store=WEB`). */
export function stockHere(request: Pick<Request, 'query'>): Stock {
  return request.query.store === WEB_STOCK.StoreNo ? WEB_STOCK : storeHere(request)
}

/** An address in the same store. */
export function to(
  path: string,
  { StoreNo }: Pick<Store, 'StoreNo'>,
  more: Readonly<Record<string, string>> = {},
): string {
  return `${path}?${new URLSearchParams({ store: StoreNo, ...more })}`
}

/** Shows a page within the frame of all: where one is, in which store, and what came of the last button. */
export function createFrame(journal: Journal) {
  return async (request: Request, response: Response, title: string, body: Markup): Promise<void> => {
    const said = journal.get(Number(request.query.done))
    const place = locationOf(request)
    const shown = html`${said ? saidBox(said) : ''}${elsewhere(request, place)}${body}`
    await sendPage(response, title, shown, top(request.path, place))
  }
}

export type Frame = ReturnType<typeof createFrame>

/** Where there is no web stock, one stands in a store. */
function locationOf(request: Request): Stock {
  const hasWeb = AREAS.find((one) => isWithin(request.path, one))?.places === STOCKS
  return hasWeb ? stockHere(request) : storeHere(request)
}

/** Says where one is, where that is not what the address asks for: the web stock has no POS. */
function elsewhere({ query }: Request, place: Stock): Markup | '' {
  if (query.store === undefined || query.store === place.StoreNo) return ''
  const asked = query.store === WEB_STOCK.StoreNo ? `${WEB_STOCK.StoreName} has no such page` : 'There is no such store'
  return html`<div class="said wait" role="status"><p>${asked}: this is ${place.StoreName}.</p></div>`
}

function saidBox({ text, sent, refused }: Said): Markup {
  if (refused) return html`<div class="said bad" role="alert"><p>Not done: ${text}</p></div>`
  const about = sent === '' ? 'Nothing was sent: nobody subscribes to what this tells.' : `Sent: ${sent}.`
  return html`<div class="said good" role="status"><p>${text}</p>${sent === null ? '' : html`<p class="quiet">${about}</p>`}</div>`
}

function top(path: string, place: Stock): Markup {
  const area = AREAS.find((one) => isWithin(path, one))
  const here = area?.path ?? '/'
  return html`<a class="skip" href="#main">To the page</a>
<div class="bar"><p class="brand">Nordlys Retail <span>sandbox platform</span></p>
<nav aria-label="Stores" class="places"><details><summary><span class="heard">Store: </span>${place.StoreName}</summary>
<ul>${(area?.places ?? STORES).map((one) => html`<li>${link(to(here, one), one.StoreName, one === place)}</li>`)}</ul></details></nav></div>
<nav aria-label="Areas"><ul class="areas">${AREAS.map(
    (one) => html`<li>${link(to(one.path, place), one.label, one === area)}</li>`,
  )}</ul></nav>
${area && area.pages.length > 0 ? pagesOf(area, path, place) : ''}`
}

function pagesOf({ pages, label }: Area, path: string, place: Stock): Markup {
  return html`<nav aria-label="${label}"><ul class="pages">${pages.map(
    ([one, words]) => html`<li>${link(to(one, place), words, one === path)}</li>`,
  )}</ul></nav>`
}

function link(href: string, words: string, isHere: boolean): Markup {
  return html`<a href="${href}"${isHere ? html` aria-current="true"` : ''}>${words}</a>`
}

/** `/orders/A1` is within Orders; POS is only what it names. */
function isWithin(path: string, { path: area, pages }: Area): boolean {
  if (pages.some(([one]) => one === path)) return true
  return area !== '/' && (path === area || path.startsWith(`${area}/`))
}
