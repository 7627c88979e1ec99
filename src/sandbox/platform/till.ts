import type { AskedMovement, AskedReceipt, AskedSale } from './asked.ts'
import { ASSORTMENT, articleOf, UNKNOWN_ARTICLE } from './assortment.ts'
import { CUSTOMERS, type Customer } from './customers.ts'
import { type LedgerEntry, movementEntry, receiptEntry } from './ledger.ts'
import { pick, type Random } from './random.ts'
import { endlessAislePayload, type Line, type Receipt, receiptPayload, salePayload } from './sale-payload.ts'
import { createSalesBook } from './sales-book.ts'
import { STORES, type Store, storeOf } from './stores.ts'

/** Takes what the platform is to tell those who subscribed to this kind, for all stores or for this one. */
export type Emit = (kind: string, payload: object, store: Store) => void

/** Takes so many of an article from a stock, or puts them there; gives the stock level after it. */
export type Put = (store: Store, article: Line['article'], quantity: number) => number

/**
 * A till in each store. What it cannot do (a store or an article that nobody knows) is a Refusal, and leaves no trace.
 */
export function createTill(random: Random, now: () => number, emit: Emit, put: Put) {
  const ledger: LedgerEntry[] = []
  const book = createSalesBook(now)
  const receipts = new Map<number, number>()
  let movements = 48_151_600
  let transactions = 0

  function ring(asked: AskedSale, online: boolean, customer: Customer | null): Receipt {
    const store = asked.store === undefined ? pick(random, STORES) : storeOf(asked.store)
    const posId = store.StoreId * 10 + 1 + Math.floor(random() * 2)
    const lines = linesFor(asked, online)
    const receiptNo = (receipts.get(posId) ?? 1000) + 1
    receipts.set(posId, receiptNo)
    transactions += 1
    return {
      receiptNo: String(receiptNo),
      receiptUrl: `https://receipts.nordlys.example/${posId}/${receiptNo}`,
      store,
      posId,
      at: wallClock(now(), store),
      lines,
      txRef: `tx-${String(transactions).padStart(6, '0')}`,
      orderNo: online ? `EA-${10_000 + transactions}` : null,
      customer,
    }
  }

  function linesFor({ lines, unknownLine = false }: AskedSale, online: boolean): Line[] {
    const chosen: Line[] = lines
      ? lines.map(({ sku, quantity = 1 }) => lineOf(articleOf(sku), quantity, online))
      : Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
          lineOf(pick(random, ASSORTMENT), random() < 0.25 ? 2 : 1, online),
        )
    if (unknownLine) chosen.push(lineOf(UNKNOWN_ARTICLE, 1, online))
    // The customer carries one thing home and has the rest sent.
    if (online && !lines && random() < 0.3) chosen.push(lineOf(pick(random, ASSORTMENT), 1, false))
    return chosen
  }

  function lineOf(article: Line['article'], quantity: number, online: boolean): Line {
    const reduced = random() < 0.2 ? Math.round(article.cents * 0.85) : article.cents
    return { article, quantity, cents: reduced, online }
  }

  function move(store: Store, article: Line['article'], quantity: number, type: string) {
    const { sku, gtin } = article
    movements += 1
    book.move({ movementId: movements, store, article, quantity, type })
    ledger.push(movementEntry(store, movements, quantity))
    const payload = {
      companyId: 7,
      movementId: movements,
      stockId: store.StockId,
      stockExtId: store.StoreNo,
      sku,
      gtin,
      type,
      quantity,
      stockLevel: put(store, article, quantity),
      createdDateTime: wallClock(now(), store),
    }
    emit('StockMovementCreated', payload, store)
    return payload
  }

  function sellTo(asked: AskedSale, customer: Customer | null): Receipt {
    const receipt = ring(asked, false, customer)
    const { store, lines } = receipt
    ledger.push(receiptEntry('sale', receipt))
    book.sell(receipt)
    emit('SaleCreated', salePayload(receipt), store)
    for (const { article, quantity } of lines) move(store, article, -quantity, 'Sale')
    return receipt
  }

  return {
    ledger,

    /** What was sold and moved. */
    book,

    /** Moves goods for somebody else than a till, and says so; gives back what it said. */
    move,

    /** Sells over the counter; negative quantities come back, and their price with them. */
    sell: (asked: AskedSale = {}): Receipt => sellTo(asked, null),

    /** Takes an order and its payment for the online store. */
    endlessAisle(asked: AskedSale = {}): Receipt {
      const receipt = ring(asked, true, pick(random, CUSTOMERS))
      ledger.push(receiptEntry('endless-aisle', receipt))
      book.sell(receipt)
      emit('OmniChannelEndlessAisleOrderCreated', endlessAislePayload(receipt), receipt.store)
      return receipt
    },

    /** Sells, and the customer wants the receipt by e-mail (if nobody says) or SMS. */
    sendReceipt({ channel = 'Email', ...asked }: AskedReceipt = {}): Receipt {
      const customer = pick(random, CUSTOMERS)
      const receipt = sellTo(asked, customer)
      const recipient = channel === 'Email' ? customer.email : `${customer.phonePrefix} ${customer.phone}`
      ledger.push(receiptEntry(channel === 'Email' ? 'receipt-email' : 'receipt-text', receipt, recipient))
      emit('OmniChannelSendReceiptCreated', receiptPayload(receipt, channel, recipient), receipt.store)
      return receipt
    },

    /** Counts or corrects an article by hand. */
    moveStock({ store: number, sku }: AskedMovement = {}): void {
      const store = number === undefined ? pick(random, STORES) : storeOf(number)
      const article = sku === undefined ? pick(random, ASSORTMENT) : articleOf(sku)
      move(store, article, random() < 0.5 ? 3 : -1, 'Manual')
    },
  }
}

export type Till = ReturnType<typeof createTill>

/** The store's wall clock, without zone. */
function wallClock(instant: number, { TimeZoneInfo }: Store): string {
  return new Date(instant).toLocaleString('sv-SE', { timeZone: TimeZoneInfo }).replace(' ', 'T')
}
