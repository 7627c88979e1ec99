import { Router } from 'express'
import type { Article } from '../goods/assortment.ts'
import type { CustomerBook, KnownCustomer } from '../people/book.ts'
import type { Customer } from '../people/customers.ts'
import { Refusal } from '../refusal.ts'
import { STOCKS, type Stock, type Store } from '../stores.ts'
import { toAmount, toText } from './amounts.ts'
import { instantIn, storeTime } from './clock.ts'
import { readBody, storeOfHeader } from './door.ts'
import type { Emit } from './emit.ts'
import { IMPORTED_NAMES, ImportedSale } from './import-body.ts'
import type { Pos } from './pos.ts'
import { type Receipt, salePayload } from './sale-payload.ts'
import type { Shelf } from './shelf.ts'

/** The article that a freight line sells. */
const FREIGHT: Article = {
  sku: 'FREIGHT',
  gtin: 'FREIGHT',
  name: 'Freight',
  brand: '',
  number: 'FREIGHT',
  colour: '',
  size: '',
  group: 'Freight',
  season: '',
  cents: 0,
  vatRate: 0.25,
}

/**
 * Takes over orders of the online store as sales. Whoever sends a sale again (the same saleGuid) gets its id again, and
 * nothing else happens.
 */
export function createSaleImport(
  pos: Pick<Pos, 'book' | 'move'>,
  shelf: Pick<Shelf, 'byGtin'>,
  customers: CustomerBook,
  emit: Emit,
) {
  const imported = new Map<string, number>()
  const taken: ImportedOrder[] = []
  const router = Router()
  router.get('/api/Sale/freight', (_, response) => void response.json(FREIGHT.gtin))
  router.put('/api/Sale', (request, response) => {
    const store = storeOfHeader(request)
    const sale = readBody(ImportedSale, request.body, IMPORTED_NAMES)
    const guid = sale.saleGuid.toLowerCase()
    const saleId = imported.get(guid) ?? importSale(store, sale)
    imported.set(guid, saleId)
    response.json(saleId)
  })
  return { router, importSale, taken: (): readonly ImportedOrder[] => taken }

  function importSale(store: Store, sale: ImportedSale): number {
    const customer = customers.byId(sale.customerID)
    if (!customer) throw new Refusal(400, `customerID ${sale.customerID}: there is no such customer.`)
    requireSums(sale)
    const lines = sale.salesLines.map(({ identity, price, qty, stockid }) => ({
      line: { article: articleOf(identity, shelf), quantity: qty, cents: Math.round(price * 100), online: true },
      stock: stockid === -1 ? null : stockOf(stockid),
    }))
    const instant = instantOf(sale.saleDateTime)
    const receipt: Receipt = {
      receiptNo: '',
      receiptUrl: '',
      store,
      posId: 0,
      instant,
      at: storeTime(instant, store),
      lines: lines.map(({ line }) => line),
      // How the online store was paid has a number and no name.
      payments: sale.paymentLines.map(({ amount, paymentType }) => ({
        type: String(paymentType),
        subType: null,
        cents: Math.round(amount * 100),
        txRef: '',
      })),
      txRef: '',
      orderNo: sale.extRef ?? null,
      customer: fromBook(customer, store),
    }
    const { saleId } = pos.book.sell(receipt)
    const total = toText(receipt.lines.reduce((sum, { cents, quantity }) => sum + cents * quantity, 0))
    taken.push({ orderNo: sale.extRef ?? null, total })
    emit('SaleExternalCreated', salePayload(receipt), store)
    for (const { line, stock } of lines) if (stock) pos.move(stock, line.article, -line.quantity, 'Sale')
    return saleId
  }
}

/** An order of the online store that was taken over as a sale. */
export interface ImportedOrder {
  orderNo: string | null
  /** Decimal text with two decimals. */
  total: string
}

/** The sums of a sale must agree: what was sold is what was paid (facts, §1d "price in salesLines"). */
function requireSums({ salesLines, paymentLines }: ImportedSale): void {
  const sold = salesLines.reduce((sum, { price, qty }) => sum + Math.round(price * qty * 100), 0)
  const paid = paymentLines.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0)
  if (sold !== paid)
    throw new Refusal(400, `The sales lines sum to ${toAmount(sold)}, the payment lines to ${toAmount(paid)}.`)
}

function articleOf(identity: string, shelf: Pick<Shelf, 'byGtin'>): Article {
  const found = identity === FREIGHT.gtin ? FREIGHT : shelf.byGtin(identity)
  if (!found) throw new Refusal(400, `identity ${identity}: there is no such article.`)
  return found
}

function stockOf(stockId: number): Stock {
  const found = STOCKS.find(({ StockId }) => StockId === stockId)
  if (!found) throw new Refusal(400, `stockid ${stockId}: there is no such stock.`)
  return found
}

/** The spec writes UTC; a time without a zone is the public API's, which is "expected as CET" (facts, §2 "saleDateTime"). */
function instantOf(text: string): number {
  return /(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : instantIn(text, { TimeZoneInfo: 'Europe/Oslo' })
}

function fromBook(known: KnownCustomer, { Country }: Store): Customer {
  const { customerid, extId, firstName, lastName, email, phoneCountryPrefix, phone } = known
  const { address, city, postalCode, countryCode } = known
  return {
    customerId: customerid,
    customerExtId: extId ?? '',
    firstName,
    lastName,
    email,
    phonePrefix: phoneCountryPrefix,
    phone,
    address: { address1: address, city, postalCode, country: Country, countryCode },
  }
}
