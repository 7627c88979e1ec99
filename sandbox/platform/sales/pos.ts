import type {
  AskedCheckout,
  AskedGiftCard,
  AskedMovement,
  AskedOrder,
  AskedReceipt,
  AskedReturn,
  AskedSale,
} from '../actions/asked.ts'
import { type Article, ASSORTMENT, UNKNOWN_ARTICLE } from '../goods/assortment.ts'
import { movementEntry, type PosLogEntry, receiptEntry } from '../goods/pos-log.ts'
import { CUSTOMERS, type Customer } from '../people/customers.ts'
import { pick, type Random } from '../seed/random.ts'
import { STORES, type Stock, type Store, storeOf } from '../stores.ts'
import { createSalesBook, type Sold } from './book.ts'
import type { Emit } from './emit.ts'
import { createGiftCards } from './gift-cards.ts'
import { invoicePayload } from './invoices.ts'
import { byGiftCard, forGiftCard, type Payment, payments } from './payments.ts'
import { endlessAislePayload, type Line, type Receipt, receiptPayload, salePayload, totalOf } from './sale-payload.ts'

/** Takes so many of an article from a stock, or puts them there; gives the stock level after it. */
export type Put = (stock: Stock, article: Article, quantity: number) => number

/** Finds what has this SKU or GTIN; a Refusal, if nothing has. */
export type FindArticle = (name: string) => Article

/** How a receipt is paid, once its total is known. */
type Pay = (total: number, txRef: string) => Payment[]

/**
 * A POS in each store. What it cannot do (a store or an article that nobody knows) is a Refusal, and leaves no trace.
 */
export function createPos(random: Random, now: () => number, emit: Emit, put: Put, articleOf: FindArticle) {
  const posLog: PosLogEntry[] = []
  const book = createSalesBook(now)
  const giftCards = createGiftCards(now, emit)
  /** The last receipt of each POS: those of two stores may have one number. */
  const receipts = new Map<string, number>()
  let movements = 48_151_600
  let transactions = 0

  /** The goods on the counter of one of the POS. */
  function counter(asked: AskedOrder, online: boolean): Counter {
    const store = asked.store === undefined ? pick(random, STORES) : storeOf(asked.store)
    const drawn = 1 + Math.floor(random() * 2)
    const posId = store.StoreId * 10 + (asked.pos ?? drawn)
    return { store, posId, lines: linesFor(asked, online), online }
  }

  function ring({ store, posId, lines, online }: Counter, customer: Customer | null, pay: Pay): Receipt {
    const txRef = `tx-${String(transactions + 1).padStart(6, '0')}`
    // Before anything is counted: it may be refused.
    const paid = pay(totalOf(lines), txRef)
    const pos = `${store.StoreId}/${posId}`
    const receiptNo = (receipts.get(pos) ?? 1000) + 1
    receipts.set(pos, receiptNo)
    transactions += 1
    const instant = now()
    return {
      receiptNo: String(receiptNo),
      receiptUrl: `https://receipts.nordlys.example/${posId}/${receiptNo}`,
      store,
      posId,
      instant,
      at: wallClock(instant, store),
      lines,
      payments: paid,
      txRef,
      orderNo: online ? `EA-${10_000 + transactions}` : null,
      customer,
    }
  }

  function linesFor({ lines, sku: one, quantity: many = 1, unknownLine = false }: AskedOrder, online: boolean): Line[] {
    const named = lines ?? (one === undefined ? null : [{ sku: one, quantity: many }])
    const chosen: Line[] = named
      ? named.map(({ sku, quantity = 1 }) => atFullPrice(lineOf(articleOf(sku), quantity, online)))
      : Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
          lineOf(pick(random, ASSORTMENT), random() < 0.25 ? 2 : 1, online),
        )
    if (unknownLine) chosen.push(lineOf(UNKNOWN_ARTICLE, 1, online))
    // The customer carries one thing home and has the rest sent.
    if (online && !named && random() < 0.3) chosen.push(lineOf(pick(random, ASSORTMENT), 1, false))
    return chosen
  }

  /** Where the POS chooses what is sold, each fifth line is reduced by 15 %, so that there are discounts to be told. */
  function lineOf(article: Article, quantity: number, online: boolean): Line {
    const reduced = random() < 0.2 ? Math.round(article.cents * 0.85) : article.cents
    return { article, quantity, cents: reduced, online }
  }

  /** The full price of a line: a person who says what is sold pays what stands on it. */
  function atFullPrice(line: Line): Line {
    return { ...line, cents: line.article.cents }
  }

  function move(store: Stock, article: Article, quantity: number, type: string) {
    const { sku, gtin } = article
    movements += 1
    book.move({ movementId: movements, store, article, quantity, type })
    posLog.push(movementEntry(store, movements, quantity))
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

  /** Books a receipt, tells of it, and takes its goods from the stock. */
  function sold(receipt: Receipt): Sold {
    const { store, lines } = receipt
    posLog.push(receiptEntry('sale', receipt))
    const sale = book.sell(receipt)
    emit('SaleCreated', salePayload(receipt), store)
    for (const { article, quantity } of lines) move(store, article, -quantity, 'Sale')
    return sale
  }

  return {
    posLog,

    /** The book of what was sold and moved. */
    book,

    /** Moves goods for somebody else than a POS, and says so; returns what it said. */
    move,

    articleOf,

    /** Every gift card, in the order in which they were sold. */
    giftCards: giftCards.all,

    /** The goods that lie on the counter for nothing to come of it yet. */
    basket: (asked: AskedCheckout): Counter => counter(asked, true),

    /** One of what the POS choose from. */
    anyArticle: (): Article => pick(random, ASSORTMENT),

    anyStore: (): Store => pick(random, STORES),

    /** Sells over the counter; negative quantities come back, and their price with them. */
    sell({ payment = 'card', giftCard: token, ...asked }: AskedSale = {}): Receipt {
      const goods = counter(asked, false)
      if (payment === 'giftcard') {
        const card = giftCards.usable(goods.store.Currency, token)
        const receipt = ring(goods, null, (total, txRef) => byGiftCard(total, card.balance, txRef))
        const { saleId } = sold(receipt)
        giftCards.use(card, receipt.payments[0]?.cents ?? 0, { saleId, ...receipt })
        return receipt
      }
      const buyer = payment === 'invoice' ? pick(random, CUSTOMERS) : null
      const receipt = ring(goods, buyer, (total, txRef) => payments(payment, total, txRef))
      const { saleId, instant } = sold(receipt)
      if (payment === 'invoice') emit('InvoiceCreated', invoicePayload(receipt, saleId, instant), receipt.store)
      return receipt
    },

    /** Takes goods back over the counter, and gives the money back in the way that is asked for. */
    takeBack({ payment = 'card', lines, sku, quantity = 1, ...asked }: AskedReturn = {}): Receipt {
      const named = lines ?? [{ sku: sku ?? pick(random, ASSORTMENT).sku, quantity }]
      const back = named.map((line) => ({ sku: line.sku, quantity: -(line.quantity ?? 1) }))
      const goods = counter({ ...asked, lines: back }, false)
      const receipt = ring(goods, null, (total, txRef) => payments(payment, total, txRef))
      sold(receipt)
      return receipt
    },

    /** Sells a gift card: money comes in, a promise goes out, and the receipt has no goods. */
    sellGiftCard({ store: number, amount = 500, payment = 'card' }: AskedGiftCard = {}) {
      const worth = Math.round(amount * 100)
      const goods = counter({ store: number ?? pick(random, STORES).StoreNo, lines: [] }, false)
      const receipt = ring(goods, null, (_, txRef) => forGiftCard(payment, worth, txRef))
      const { saleId } = sold(receipt)
      return { receipt, card: giftCards.issue(worth, { saleId, ...receipt }) }
    },

    /** Takes an order and its payment for the online store. */
    endlessAisle(asked: AskedOrder = {}): Receipt {
      const customer = pick(random, CUSTOMERS)
      const receipt = ring(counter(asked, true), customer, (total, txRef) => payments('card', total, txRef))
      posLog.push(receiptEntry('endless-aisle', receipt))
      book.sell(receipt)
      emit('OmniChannelEndlessAisleOrderCreated', endlessAislePayload(receipt), receipt.store)
      return receipt
    },

    /** Sells, and the customer wants the receipt by e-mail (if nobody says) or SMS. */
    sendReceipt({ channel = 'Email', ...asked }: AskedReceipt = {}): Receipt {
      const customer = pick(random, CUSTOMERS)
      const receipt = ring(counter(asked, false), customer, (total, txRef) => payments('card', total, txRef))
      sold(receipt)
      const recipient = channel === 'Email' ? customer.email : `${customer.phonePrefix} ${customer.phone}`
      posLog.push(receiptEntry(channel === 'Email' ? 'receipt-email' : 'receipt-text', receipt, recipient))
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

export type Pos = ReturnType<typeof createPos>

/** The goods that are to be paid, and where. */
interface Counter {
  store: Store
  posId: number
  lines: readonly Line[]
  online: boolean
}

/** The store's wall clock, without zone. */
function wallClock(instant: number, { TimeZoneInfo }: Stock): string {
  return new Date(instant).toLocaleString('sv-SE', { timeZone: TimeZoneInfo }).replace(' ', 'T')
}
