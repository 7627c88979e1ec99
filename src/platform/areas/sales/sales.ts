import { multiplyDecimals, parseDecimal, sumDecimals } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import {
  given,
  idIfShown,
  type SentTime,
  sentCentralEuropean,
  sentCurrency,
  sentDecimal,
  sentId,
  sentText,
  sentUtc,
  unsendable,
} from '../../http/written.ts'

/** An online order that becomes a sale (spec, "Online order imported as a sale"). Decimals are text. */
interface ImportedSale {
  /** The sender keeps it: whether the platform refuses a second sale with it is not shown. */
  saleGuid: string
  extRef: string
  customerId: string
  /** An instant, also as text with an offset, goes in UTC (`spec`) or as the Central European wall clock (`frontsystems-v2`). */
  saleDateTime: SentTime
  /** A return has lines of negative quantity, and negative payments. */
  lines: readonly SaleLine[]
  payments: readonly SalePayment[]
  comment?: string | undefined
}

interface SaleLine {
  /** A GTIN, or what the platform names freight by. */
  gtin: string
  /** The price of one piece, after discount, VAT included. */
  price: string
  quantity: string
  /** The stock that the goods leave, or come back to. -1: no stock changes, as where another system counts it. */
  stockId: string
  /** Not in the spec, as `vat`. */
  text?: string | undefined
  vat?: string | undefined
}

interface SalePayment {
  amount: string
  /** 99 is unspecified. */
  type: number
  /** Not in the spec, as the others below: the payment's reference, or the id of a gift card. */
  extRef?: string | undefined
  currency?: string | undefined
  cardType?: number | undefined
  /** The payment provider's answer, as it is. */
  responseBody?: string | undefined
}

export interface Sales {
  /**
   * PUT /api/Sale; gives the id of the sale. Throws a PermanentError, before anything is sent, where the lines and the
   * payments do not add up to the same; an UnknownOutcomeError where an answer that is documented holds no id. Where it is not
   * (spec), a success is one, and without an id gives null. No error holds personal data.
   * An endless aisle order must not be imported (spec, "POS settlements and sales").
   */
  import(sale: ImportedSale, options: { storeId: string; signal?: AbortSignal | undefined }): Promise<string | null>
}

export function createSales(client: Client): Sales {
  return {
    async import(sale, { storeId, signal }) {
      const endpoint = client.endpoint('sales.import')
      const body = saleBody(sale, endpoint)
      const store = sentText(storeId, 'sales.import: the storeId')
      const answer = await client.write('sales.import', { body, storeId: store, secrets: [sale.customerId], signal })
      return idIfShown(answer, 'sales.import', 'saleId', endpoint.known)
    },
  }
}

function saleBody(
  { saleGuid, extRef, customerId, saleDateTime, lines, payments, comment }: ImportedSale,
  { time }: Endpoint,
) {
  const where = 'sales.import:'
  const sentWhen = time === 'cet' ? sentCentralEuropean : sentUtc
  const body = {
    saleGuid: sentText(saleGuid, `${where} the saleGuid`),
    extRef: sentText(extRef, `${where} the extRef`),
    customerID: sentId(customerId, `${where} the customerId`),
    saleDateTime: sentWhen(saleDateTime, `${where} saleDateTime`),
    salesLines: lines.map(({ gtin, price, quantity, stockId, text, vat }, index) => {
      const line = `${where} line ${index + 1}:`
      return {
        identity: sentText(gtin, `${line} the gtin`),
        price: sentDecimal(price, `${line} the price`),
        qty: sentDecimal(quantity, `${line} the quantity`),
        stockid: stockId.trim() === '-1' ? -1 : sentId(stockId, `${line} the stockId`),
        ...given({ text, vat: vat === undefined ? undefined : sentDecimal(vat, `${line} the vat`) }),
      }
    }),
    paymentLines: payments.map(({ amount, type, extRef: reference, currency, cardType, responseBody }, index) => {
      const payment = `${where} payment ${index + 1}`
      return {
        amount: sentDecimal(amount, payment),
        paymentType: type,
        ...given({
          extRef: reference,
          currency: currency === undefined ? undefined : sentCurrency(currency, `${payment}: the currency`),
          cardType,
          responseBody,
        }),
      }
    }),
    ...given({ comment }),
  }
  refuseDifference(body.salesLines, body.paymentLines)
  return body
}

type Line = { price: number; qty: number }
type Payment = { amount: number; currency?: string | undefined }

function refuseDifference(lines: readonly Line[], payments: readonly Payment[]) {
  if (lines.length === 0) throw unsendable('sales.import:', 'a sale needs lines.')
  const currencies = new Set(payments.flatMap(({ currency }) => currency ?? []))
  if (currencies.size > 1)
    throw unsendable('sales.import:', `payments in ${[...currencies].join(' and ')} cannot be added up.`)
  const sold = sumDecimals(lines.map(({ price, qty }) => multiplyDecimals(parseDecimal(price), parseDecimal(qty))))
  const paid = sumDecimals(payments.map(({ amount }) => parseDecimal(amount)))
  if (sold === paid) return
  throw unsendable('sales.import:', `the lines add up to ${sold}, the payments to ${paid}.`)
}
