import { type NextFunction, type Request, type Response, Router } from 'express'
import { html } from 'hono/html'
import { createPageStyle, sendPage } from '../../page.ts'
import type { Actions } from '../actions/all.ts'
import type { Deliveries } from '../goods/deliveries.ts'
import type { Goods } from '../goods/held.ts'
import type { Reservations } from '../goods/reservations.ts'
import type { Transfers } from '../goods/transfers.ts'
import type { OrderBook } from '../orders/book.ts'
import type { CustomerBook } from '../people/book.ts'
import type { Lookups } from '../people/lookups.ts'
import { Refusal } from '../refusal.ts'
import type { GiftCard } from '../sales/gift-cards.ts'
import type { Pos } from '../sales/pos.ts'
import type { Settlements } from '../sales/settlements.ts'
import type { EventLog } from '../webhooks/event-log.ts'
import type { Sender } from '../webhooks/sender.ts'
import { createArticles } from './articles.ts'
import { createCustomersPages } from './customers.ts'
import { createDayPage } from './day.ts'
import { createDeliveriesPage } from './deliveries.ts'
import { createDoor } from './door.ts'
import { createEventsPages } from './events.ts'
import { createFaultsPage } from './faults.ts'
import { createFrame } from './frame.ts'
import { createGiftCardsPage } from './gift-cards.ts'
import { createJournal } from './journal.ts'
import { createKindsPages } from './kinds.ts'
import { createLookupPages } from './lookups.ts'
import { createOrdersPage } from './orders.ts'
import { createReservationsPage } from './reservations.ts'
import { createSellPage } from './sell.ts'
import { createStockPage } from './stock.ts'
import { createTransfersPage } from './transfers.ts'

/** The parts that the pages show, and what their buttons do. */
interface Means {
  actions: Actions
  log: EventLog
  sender: Sender
  pos: Pick<Pos, 'posLog' | 'book'>
  goods: Goods
  orders: Pick<OrderBook, 'all'>
  deliveries: Pick<Deliveries, 'of'>
  customers: Pick<CustomerBook, 'search' | 'byId'>
  settlements: Pick<Settlements, 'of'>
  transfers: Pick<Transfers, 'all'>
  reservations: Pick<Reservations, 'all'>
  giftCards: () => readonly GiftCard[]
  lookups: Lookups
  burst(count: number): void
}

/** The POS and the back office for people: plain pages that do what `Actions` does, and show what came of it. */
export function createPages(means: Means): Router {
  const journal = createJournal(means.log)
  const frame = createFrame(journal)
  const door = createDoor(journal)
  const all = { ...means, articles: createArticles(means.goods) }
  const router = Router()
  router.use(
    createPageStyle(),
    createSellPage(all, frame, door),
    createGiftCardsPage(all, frame, door),
    createLookupPages(all, frame),
    createOrdersPage(all, frame, door),
    createStockPage(all, frame, door),
    createTransfersPage(all, frame, door),
    createReservationsPage(all, frame, door),
    createDeliveriesPage(all, frame, door),
    createDayPage(all, frame, door),
    createCustomersPages(all, frame, door),
    createFaultsPage(all, frame, door),
    createEventsPages(all, frame, door),
    createKindsPages(all.log, frame),
    door.router,
    showRefusal,
  )
  return router
}

/** A page that is not there is said to be so on a page, too. */
async function showRefusal(error: unknown, _: Request, response: Response, next: NextFunction): Promise<void> {
  if (!(error instanceof Refusal)) return next(error)
  await sendPage(response.status(error.status), 'Not here', html`<p>${error.message}</p><p><a href="/">pos</a></p>`)
}
