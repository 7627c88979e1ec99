import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib'
import { UserError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { sumOf } from '../lib/collections.ts'
import { orElse } from '../lib/or-else.ts'

export interface Payload {
  id: number
  headers: string
  body: Uint8Array
}

/** As its row has it: compressed against a dictionary, `body` holds the headers, too. */
export interface StoredPayload extends Payload {
  dictionary: number | null
}

export interface CompressedPayload {
  plain: Payload
  body: Uint8Array
  dictionary: number
  plainBytes: number
}

/**
 * What payloads have in common: names of fields, and words of the platform, of no person
 * (docs/adr/0017-payloads-one-by-one.md). Rows are compressed against it and name its version: another text is another
 * version, and this one stays.
 */
const DICTIONARY_1 = `
{"SETTLEMENTID":0,"BatchNumber":"","StoreNo":"","StoreInfo":"","StoreName":"","POSID":0,"PosName":"","PersonName":"","SettlementTimeStamp":"2026-01-01T00:00:00","DateTimeFrom":"2026-01-01T00:00:00","DateTimeTo":"2026-01-01T00:00:00","ReceiptNoFrom":0,"ReceiptNoTo":0,"Currency":"","GrossTotal":0,"GrossDiscount":0,"GrandTotal":0,"NetTotal":0,"VATTotal":0,"VATArea1":0,"VATArea2":null,"VATArea3":null,"OpeningCashBalance":0,"ClosingCashBalance":0,"Discrepancy":0,"Comment":"","PaymentTypes":[{"PaymentTypeId":"","Type":"","SubType":"","Currency":"","CurrencyTendered":0,"Amount":0}],"Withdrawals":[],"Deposits":[]}
{"settlementId":0,"batchNumber":"","storeNo":"","storeName":"","posId":0,"posName":"","settlementTimeStamp":"2026-01-01T00:00:00","currency":"NOK","grandTotal":0}
{"stockId":0,"stockExtId":"","isCompleted":false,"products":[{"identifier":"","gtin":"","quantityExpected":0,"quantityReceived":0,"currentStockLevel":0,"costPrice":0,"costPriceCurrency":"","stockMovements":[]}],"expectedDeliveryDate":"","companyId":0,"orderId":0,"orderReference":"","comment":"","type":"PlannedDelivery","status":"Delivered","createdDateTime":"2026-01-01T00:00:00","updatedDateTime":"2026-01-01T00:00:00"}
{"refund":{"orderNo":"","id":"","status":"Returned","isRefunded":true,"orderLines":[{"quantity":0,"gtin":"","id":null,"status":"Returned"}],"fulfillmentLocation":{"stockId":0,"stockName":"","posId":0,"personId":0,"shipmentInfo":[]}}}
{"order":{"orderNo":"","id":"","status":"Picked","orderLines":[{"quantity":0,"gtin":"","rowId":"","status":"Picked"}],"fulfillmentLocation":{"stockName":"","stockId":0,"posId":0,"personId":0,"shipments":[{"id":"","items":[{"gtin":""}]}]}}}
{"order":{"orderNo":"","id":"","status":"Picked","orderLines":[{"quantity":0,"gtin":"","rowId":"","status":"Picked"}],"fulfillmentLocation":{"stockName":"","stockId":0,"posId":0,"personId":0}}}
{"customerId":0,"customerExtId":null,"email":"","firstName":"","lastName":"","companyName":"","taxId":"","gender":"","address1":"","city":"","province":"","postalCode":"","country":"","countryCode":"NO","phoneCountryPrefix":"","phone":"","description":"","agreedSendEmail":true,"agreedSendSMS":false,"isEmployee":false,"birthday":null,"cardNo":"","tags":[],"gdprUpdatedDateTime":"2026-01-01T00:00:00","registeredStoreId":0,"createdDateTime":"2026-01-01T00:00:00","updatedDateTime":"2026-01-01T00:00:00","deleted":false,"customerGuid":""}
{"companyId":0,"movementId":0,"stockId":0,"stockExtId":"","sku":"","gtin":"","type":"Sale","quantity":0,"stockLevel":0,"createdDateTime":"2026-01-01T00:00:00"}
{"customerExtId":"","fulfillmentLocation":{"stockId":0,"stockName":"","posId":0,"personId":0,"shipmentInfo":[""]},"shipFromOnlineStore":true}
{"sendReceipt":{},"channel":"Email","recipient":"","recipientName":"","signatureInfo":{"signature":"","keyVersion":""}}
{"receiptNo":"","receiptFormatted":"<Receipt><Line type='Text'></Line><Line type='Total'></Line></Receipt>","receiptUrl":"https://","orderNo":null,"createdDateTime":"2026-01-01T00:00:00","updatedDateTime":null,"paymentLines":[{"type":"Card","subType":"Visa","currency":"NOK","currencyTendered":0,"txRef":"","text":"","amount":0}],"orderLines":[{"rowId":"","gtin":"","externalSKU":"","brand":"","name":"","variant":"","number":"","colour":"","size":"","sizeText":"","group":"","season":"","imageUrl":"https://","quantity":0,"price":0,"vat":0,"vatPercent":0,"fullPrice":0,"discount":0,"discountPercent":0,"receiptLabel":"","shipFromOnlineStore":false,"reasons":[]}],"store":{"storeExtId":"","storeName":"","organizationNumber":"","posId":0,"posName":"","salesPerson":"","currency":"NOK","address":{"address1":"","city":"","postalCode":"","country":"","countryCode":"NO"}},"customer":{"customerId":0,"email":"","firstName":"","lastName":"","companyName":"","phoneCountryPrefix":"","phone":"","address":{"firstName":"","lastName":"","address1":"","city":"","postalCode":"","country":"","countryCode":""}},"shippingAddress":{"firstName":"","lastName":"","address1":"","city":"","postalCode":"","country":"","countryCode":""},"vatTotal":0,"total":0}
{"host":"","content-type":"application/json; charset=utf-8","content-length":"","user-agent":"","accept-encoding":"gzip, deflate, br","x-event-id":"","traceparent":"00-","x-forwarded-for":"","x-forwarded-proto":"https","connection":"keep-alive"}
`

const DICTIONARIES: Record<number, Buffer> = { 1: Buffer.from(DICTIONARY_1) }
const NEWEST = 1

/** Level 3: a tenth more bytes; 12: eight times the time for no fewer. */
const params = { [constants.ZSTD_c_compressionLevel]: 6, [constants.ZSTD_c_checksumFlag]: 1 }

const compress = promisify(zstdCompress)

/** Between headers and body: JSON has none. */
const BETWEEN = Buffer.from([0])

/** Null: it gets no smaller. */
export async function compressed(plain: Payload): Promise<CompressedPayload | null> {
  const bytes = bytesOf(plain)
  const options = { params, dictionary: DICTIONARIES[NEWEST], pledgedSrcSize: bytes.byteLength }
  const body = copyOf(await compress(bytes, options))
  const plainBytes = bytes.byteLength
  return body.byteLength < plainBytes ? { plain, body, dictionary: NEWEST, plainBytes } : null
}

/** Throws BrokenPayloadError. */
export function decompressPayload({ dictionary, ...stored }: StoredPayload): Payload {
  if (dictionary === null) return stored
  const known = DICTIONARIES[dictionary]
  if (known === undefined) throw brokenError(stored.id, `this program knows no dictionary ${dictionary}`)
  const bytes = decompressed(stored.body, known)
  if (bytes === null) throw brokenError(stored.id, 'its bytes are not those that were written')
  const end = bytes.indexOf(BETWEEN)
  return { id: stored.id, headers: bytes.toString('utf8', 0, end), body: copyOf(bytes.subarray(end + 1)) }
}

function brokenError(event: number, why: string): BrokenPayloadError {
  return new BrokenPayloadError(
    `The payload of event ${event} cannot be read: ${why}. Put its row of the table payloads back from a backup.`,
  )
}

/** Posting a part of a buffer to a thread would clone the whole. */
function copyOf(bytes: Uint8Array): Buffer {
  return Buffer.from(new Uint8Array(bytes).buffer)
}

function decompressed(bytes: Uint8Array, dictionary: Buffer): Buffer | null {
  return orElse(() => zstdDecompressSync(bytes, { dictionary }), null)
}

export function bytesOf({ headers, body }: Payload): Buffer {
  return Buffer.concat([Buffer.from(headers), BETWEEN, body])
}

const FRAME = Buffer.from('28b52ffd', 'hex')

/** What compressed payloads say whose bytes begin in this part of a file, in rows or in room that is free again. */
export function* payloadsIn(bytes: Buffer, from: number, to: number): Generator<Buffer> {
  for (let at = bytes.indexOf(FRAME, from); at >= 0 && at < to; at = bytes.indexOf(FRAME, at + 1))
    for (const dictionary of Object.values(DICTIONARIES)) {
      const found = decompressed(bytes.subarray(at), dictionary)
      if (found !== null) yield found
    }
}

export class BrokenPayloadError extends UserError {
  override name = 'BrokenPayloadError'
  readonly code = 'broken-payload'
}

/** `after` null: only young ones are left. */
export type CompressPayloads = (
  after: number,
  before: Instant,
) => Promise<Record<'payloads' | 'bytes' | 'plainBytes', number> & { after: number | null }>

/** Compressed off the writer, which writes those that are still as they were read. */
export function createCompressing(
  reading: {
    toCompress(...asked: Parameters<CompressPayloads>): Promise<{ rows: CompressedPayload[]; after: number | null }>
  },
  write: (rows: readonly CompressedPayload[]) => Promise<readonly number[]>,
): CompressPayloads {
  return async (after, before) => {
    const found = await reading.toCompress(after, before)
    const written = new Set(found.rows.length === 0 ? [] : await write(found.rows))
    const rows = found.rows.filter(({ plain }) => written.has(plain.id))
    return {
      payloads: rows.length,
      bytes: sumOf(rows, ({ body }) => body.byteLength),
      plainBytes: sumOf(rows, ({ plainBytes }) => plainBytes),
      after: found.after,
    }
  }
}
