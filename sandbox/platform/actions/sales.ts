import { randomUUID } from 'node:crypto'
import { CUSTOMERS } from '../people/customers.ts'
import { toAmount, toText } from '../sales/amounts.ts'
import { createBankTerminals } from '../sales/bank-terminals.ts'
import { storeTime } from '../sales/clock.ts'
import type { Emit } from '../sales/emit.ts'
import type { SalesOffice } from '../sales/office.ts'
import type { Pos } from '../sales/pos.ts'
import { type Line, type Receipt, salePayload, totalOf } from '../sales/sale-payload.ts'
import { STORES, storeOf, WEB_STOCK } from '../stores.ts'
import type { SaleActions } from './all.ts'

/** The actions of people at a POS, and at the end of a day. */
export function createSaleActions(
  pos: Pos,
  { settlements, importSale }: Pick<SalesOffice, 'settlements' | 'importSale'>,
  now: () => number,
  emit: Emit,
): SaleActions {
  const terminals = createBankTerminals(pos.book, now, emit)
  let baskets = 0

  return {
    sell: (asked) => shown(pos.sell(asked)),
    returnGoods: (asked) => shown(pos.takeBack(asked)),
    endlessAisle(asked) {
      const receipt = pos.endlessAisle(asked)
      // Goods that the customer carries home leave the store's stock.
      for (const { article, quantity, online } of receipt.lines)
        if (!online) pos.move(receipt.store, article, -quantity, 'Sale')
      return shown(receipt)
    },
    sendReceipt: (asked) => shown(pos.sendReceipt(asked)),

    saveForOnlineCheckout(asked = {}) {
      const { store, posId, lines } = pos.basket(asked)
      baskets += 1
      const instant = now()
      const at = storeTime(instant, store)
      const saved = basketPayload({ ...NO_RECEIPT, store, posId, lines, instant, at }, baskets)
      emit('SavedForOnlineCheckoutCreated', saved, store)
      return { basketId: saved.basketId, store: store.StoreNo, posId, total: amountOf(lines, store.Currency) }
    },

    sellGiftCard(asked) {
      const { receipt, card } = pos.sellGiftCard(asked)
      const { posId, receiptNo, store } = receipt
      return { giftCard: card.token, store: store.StoreNo, posId, receiptNo, amount: toAmount(card.initial) }
    },

    importSale({ store: number, lines, sku, quantity = 1, orderNo } = {}) {
      const store = number === undefined ? pos.anyStore() : storeOf(number)
      const named = lines ?? [{ sku: sku ?? pos.anyArticle().sku, quantity }]
      const salesLines = named.map((line) => {
        const { gtin, cents } = pos.articleOf(line.sku)
        return { identity: gtin, price: toAmount(cents), qty: line.quantity ?? 1, stockid: WEB_STOCK.StockId }
      })
      const total = salesLines.reduce((sum, { price, qty }) => sum + Math.round(price * 100) * qty, 0)
      const extRef = orderNo ?? `WEB-${randomUUID().slice(0, 8)}`
      const saleId = importSale(store, {
        saleGuid: randomUUID(),
        extRef,
        customerID: CUSTOMERS[0]?.customerId ?? 0,
        saleDateTime: new Date(now()).toISOString(),
        salesLines,
        paymentLines: [{ amount: toAmount(total), paymentType: 99 }],
      })
      return { saleId, orderNo: extRef, store: store.StoreNo, total: `${toText(total)} ${store.Currency}` }
    },

    printReconciliation({ store } = {}) {
      const stores = store === undefined ? STORES : [storeOf(store)]
      return { printed: stores.flatMap((one) => terminals.print(one)) }
    },

    closeDay({ store } = {}) {
      const stores = store === undefined ? STORES.map(({ StoreNo }) => StoreNo) : [store]
      const closed = stores.flatMap((number) => settlements.closeDay(number))
      return {
        settlements: closed.map(({ SETTLEMENTID, StoreNo, POSID, GrandTotal, Currency }) => ({
          settlementId: SETTLEMENTID,
          store: StoreNo,
          posId: POSID,
          grandTotal: GrandTotal,
          currency: Currency,
        })),
      }
    },
  }
}

function shown({ receiptNo, posId, store, lines, txRef, orderNo }: Receipt) {
  return { receiptNo, posId, store: store.StoreNo, total: amountOf(lines, store.Currency), txRef, orderNo }
}

function amountOf(lines: readonly Line[], currency: string): string {
  return `${toText(totalOf(lines))} ${currency}`
}

/** Nothing is paid yet. */
const NO_RECEIPT = { receiptNo: '', receiptUrl: '', payments: [], txRef: '', orderNo: null, customer: null }

/** Nothing shows this payload: it is the sale payload of what is not paid yet, with an id of the basket. */
function basketPayload(receipt: Receipt, running: number) {
  const { store, customer, orderLines, total, vatTotal, createdDateTime } = salePayload(receipt)
  return {
    companyId: 7,
    basketId: 560_000 + running,
    basketGuid: randomUUID(),
    storeId: receipt.store.StoreId,
    store,
    customer,
    currency: receipt.store.Currency,
    orderLines,
    total,
    vatTotal,
    createdDateTime,
  }
}
