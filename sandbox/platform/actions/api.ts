import express, { Router } from 'express'
import { act } from '../api/act.ts'
import type { Actions } from './all.ts'
import { AskedCheckout, AskedGiftCard, AskedOrder, AskedReceipt, AskedReturn, AskedSale, AskedStore } from './asked.ts'
import { AskedCost, AskedDelivery, AskedReceiving } from './asked-goods.ts'
import {
  AskedCustomer,
  AskedCustomerChange,
  AskedDecline,
  AskedImport,
  AskedOnlineOrder,
  AskedOrderReturn,
  AskedOrderStep,
} from './asked-people.ts'
import {
  AskedAdjustment,
  AskedArrival,
  AskedCount,
  AskedRelease,
  AskedReservation,
  AskedTransfer,
} from './asked-stock.ts'

/** Every action as `POST /sandbox/…`: with a small JSON body or a form, or none. A form goes back to the page. */
export function createActionsApi(actions: Actions): Router {
  const router = Router()
  router.use('/sandbox', express.json(), express.urlencoded())
  router.post('/sandbox/sell', act(AskedSale, actions.sell))
  router.post('/sandbox/return-goods', act(AskedReturn, actions.returnGoods))
  router.post('/sandbox/endless-aisle', act(AskedOrder, actions.endlessAisle))
  router.post('/sandbox/send-receipt', act(AskedReceipt, actions.sendReceipt))
  router.post('/sandbox/save-for-online-checkout', act(AskedCheckout, actions.saveForOnlineCheckout))
  router.post('/sandbox/sell-gift-card', act(AskedGiftCard, actions.sellGiftCard))
  router.post('/sandbox/import-sale', act(AskedImport, actions.importSale))
  router.post('/sandbox/print-reconciliation', act(AskedStore, actions.printReconciliation))
  router.post('/sandbox/close-day', act(AskedStore, actions.closeDay))

  router.post('/sandbox/create-customer', act(AskedCustomer, actions.createCustomer))
  router.post('/sandbox/update-customer', act(AskedCustomerChange, actions.updateCustomer))

  router.post('/sandbox/announce-delivery', act(AskedDelivery, actions.announceDelivery))
  router.post('/sandbox/receive-delivery', act(AskedReceiving, actions.receiveDelivery))
  router.post('/sandbox/change-delivery-cost', act(AskedCost, actions.changeDeliveryCost))
  router.post('/sandbox/count-stock', act(AskedCount, actions.countStock))
  router.post('/sandbox/adjust-stock', act(AskedAdjustment, actions.adjustStock))
  router.post('/sandbox/create-transfer', act(AskedTransfer, actions.createTransfer))
  router.post('/sandbox/receive-transfer', act(AskedArrival, actions.receiveTransfer))
  router.post('/sandbox/reserve-stock', act(AskedReservation, actions.reserveStock))
  router.post('/sandbox/release-reservation', act(AskedRelease, actions.releaseReservation))
  router.post('/sandbox/expire-reservation', act(AskedRelease, actions.expireReservation))

  router.post('/sandbox/place-order', act(AskedOnlineOrder, actions.placeOrder))
  router.post('/sandbox/pick-order', act(AskedOrderStep, actions.pickOrder))
  router.post('/sandbox/collect-order', act(AskedOrderStep, actions.collectOrder))
  router.post('/sandbox/pack-order', act(AskedOrderStep, actions.packOrder))
  router.post('/sandbox/decline-order', act(AskedDecline, actions.declineOrder))
  router.post('/sandbox/expire-order', act(AskedOrderStep, actions.expireOrder))
  router.post('/sandbox/return-order', act(AskedOrderReturn, actions.returnOrder))
  return router
}
