import { UnknownOutcomeError } from '../domain/errors.ts'
import { multiplyDecimals, parseDecimal, sumDecimals } from '../domain/money.ts'
import type { Client } from './client.ts'
import { given, type SentTime, sentDecimal, sentId, sentText, sentTime, unsendable } from './written.ts'

/** An online order that becomes a sale (spec, "Online order imported as a sale"). Decimals are text. */
interface ImportedSale {
  saleGuid: string
  /** Online order number. */
  extRef: string
  customerId: string
  saleDateTime: SentTime
  /** Price of one. Stock -1: no stock is changed. A return has a negative quantity. */
  lines: readonly { gtin: string; price: string; quantity: string; stockId: string }[]
  /** Type 99 is unspecified. */
  payments: readonly { amount: string; type: number }[]
}

/** Sales that were made elsewhere. */
export interface Sales {
  /**
   * PUT /api/Sale; gives the id of the sale. Throws a PermanentError, before anything is sent, where the lines and the
   * payments do not add up to the same; an UnknownOutcomeError where the answer holds no id.
   */
  import(sale: ImportedSale, options: { storeId: string; signal?: AbortSignal }): Promise<string>
}

/** The sales area of a client. */
export function createSales(client: Client): Sales {
  return {
    async import(sale, { storeId, signal }) {
      const body = saleBody(sale)
      const store = sentText(storeId, 'sales.import: the storeId')
      return writtenId(await client.write('sales.import', { body, storeId: store, signal }))
    },
  }
}

function saleBody({ saleGuid, extRef, customerId, saleDateTime, lines, payments }: ImportedSale) {
  const where = 'sales.import:'
  const body = {
    saleGuid: sentText(saleGuid, `${where} the saleGuid`),
    extRef: sentText(extRef, `${where} the extRef`),
    customerID: sentId(customerId, `${where} the customerId`),
    ...given({ saleDateTime: sentTime(saleDateTime, `${where} saleDateTime`) }),
    salesLines: lines.map(({ gtin, price, quantity, stockId }, index) => ({
      identity: sentText(gtin, `${where} line ${index + 1}: the gtin`),
      price: sentDecimal(price, `${where} line ${index + 1}: the price`),
      qty: sentDecimal(quantity, `${where} line ${index + 1}: the quantity`),
      stockid: stockId.trim() === '-1' ? -1 : sentId(stockId, `${where} line ${index + 1}: the stockId`),
    })),
    paymentLines: payments.map(({ amount, type }, index) => ({
      amount: sentDecimal(amount, `${where} payment ${index + 1}`),
      paymentType: type,
    })),
  }
  refuseDifference(body.salesLines, body.paymentLines)
  return body
}

function refuseDifference(lines: readonly { price: number; qty: number }[], payments: readonly { amount: number }[]) {
  if (lines.length === 0) throw unsendable('sales.import:', 'a sale needs lines.')
  const sold = sumDecimals(lines.map(({ price, qty }) => multiplyDecimals(parseDecimal(price), parseDecimal(qty))))
  const paid = sumDecimals(payments.map(({ amount }) => parseDecimal(amount)))
  if (sold === paid) return
  throw unsendable('sales.import:', `the lines add up to ${sold}, the payments to ${paid}.`)
}

function writtenId(answer: unknown): string {
  const id = typeof answer === 'number' || typeof answer === 'string' ? String(answer).trim() : ''
  if (/^\d{1,15}$/.test(id)) return id
  throw new UnknownOutcomeError('platform: sales.import was answered without the id of a sale.', { code: 'no-id' })
}
