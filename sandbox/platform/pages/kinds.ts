import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import { KINDS } from '../schemas/kinds.ts'
import { STORES, type Store } from '../stores.ts'
import type { EventLog } from '../webhooks/event-log.ts'
import { type Frame, storeHere, to } from './frame.ts'
import { table } from './parts.ts'

/** Where each kind can be caused, and how; the page's path first. */
const CAUSES: Readonly<Record<string, readonly [path: string, page: string, how: string]>> = {
  SaleCreated: ['/', 'Sell', 'Sell, or take goods back'],
  CustomerCreated: ['/customers', 'Customers', 'Create a customer'],
  CustomerUpdated: ['/customers', 'Customers', 'Change a customer'],
  DeliveryItemsReceived: ['/deliveries', 'Deliveries', 'Receive some of a delivery, or all of it'],
  DeliveryCompleted: ['/deliveries', 'Deliveries', 'Receive all of a delivery'],
  InvoiceCreated: ['/', 'Sell', 'Sell, paid by invoice'],
  StockMovementCreated: ['/', 'Sell', 'Sell; whatever else moves goods'],
  OmniChannelEndlessAisleOrderCreated: ['/', 'Sell', 'Order from the online shop'],
  OmniChannelOrderFulfilled: ['/orders', 'Orders', 'Picked up, or packed and shipped'],
  OmniChannelOrderRefundUpdated: ['/orders', 'Orders', 'Take an online order back'],
  OmniChannelOrderUpdated: ['/orders', 'Orders', 'Anything done with an order'],
  ProductTransferCreated: ['/transfers', 'Transfers', 'Send goods to another store'],
  ProductTransferReceived: ['/transfers', 'Transfers', 'Receive them'],
  ProductTransferVirtualCreated: ['/transfers', 'Transfers', 'Send goods to the webshop’s stock, or from it'],
  ProductTransferVirtualReceived: ['/transfers', 'Transfers', 'Receive them'],
  SaleExternalCreated: ['/day', 'Day', 'Take over a sale of the online store'],
  StockAdjustmentCreated: ['/stock', 'Stock', 'Correct by hand'],
  StockCountReconciled: ['/stock', 'Stock', 'Reconcile a count'],
  POSSettlementCreated: ['/day', 'Day', 'Close the day'],
  StockReservationCreated: ['/reservations', 'Reservations', 'Keep goods; an order that comes to a store'],
  StockReservationExpired: ['/reservations', 'Reservations', 'Release, or let the time run out'],
  BankterminalReconciliationPrinted: ['/day', 'Day', 'Print the reconciliation of the bank terminals'],
  GiftCardTransactionCreated: ['/gift-cards', 'Gift cards', 'Sell one, or pay with one'],
  SavedForOnlineCheckoutCreated: ['/', 'Sell', 'Save for online checkout'],
  OmniChannelSendReceiptCreated: ['/', 'Sell', 'Sell, with the receipt by e-mail or SMS'],
  DeliveryCreated: ['/deliveries', 'Deliveries', 'Announce a delivery'],
  DeliveryUpdated: ['/deliveries', 'Deliveries', 'Receive something, or change a cost price'],
}

/** Every kind with what causes it, and who subscribed to what. */
export function createKindsPages(log: EventLog, frame: Frame): Router {
  const router = Router()
  router.get('/kinds', (request, response) =>
    frame(request, response, 'Kinds of events', kindsPage(log, storeHere(request))),
  )
  router.get('/subscriptions', (request, response) => frame(request, response, 'Subscriptions', subscriptionsPage(log)))
  return router
}

function kindsPage({ subscriptions, records }: EventLog, store: Store): Markup {
  const sent = Map.groupBy(records, ({ kind }) => kind)
  const wanted = Map.groupBy(subscriptions.values(), ({ event }) => event)
  return html`<p>All ${KINDS.length} can be caused by hand, on the pages here.</p>
${table(
  'Kinds of events',
  ['Kind', 'Where', 'How', '#Subscriptions', '#Sent'],
  KINDS.map((kind) => {
    const [path, page, how] = CAUSES[kind] ?? []
    const where = path === undefined ? '' : html`<a href="${to(path, store)}">${page}</a>`
    return [kind, where, how ?? '', wanted.get(kind)?.length ?? 0, sent.get(kind)?.length ?? 0]
  }),
)}`
}

function subscriptionsPage({ subscriptions }: EventLog): Markup {
  if (subscriptions.size === 0)
    return html`<p>Nobody has subscribed. It is done over the API: <code>POST /api/Webhooks</code>.</p>`
  const rows = [...subscriptions.values()].map(({ id, event, url, storeId }) => [
    event,
    // The token is in the query.
    url.split('?', 1)[0] ?? url,
    STORES.find(({ StoreId }) => StoreId === storeId)?.StoreName ?? 'All stores',
    html`<code>${id}</code>`,
  ])
  return html`<p>What stands after a <code>?</code> in an address is not shown: it is secret.</p>
${table('Subscriptions', ['Kind', 'Sent to', 'Of', 'Subscription'], rows)}`
}
