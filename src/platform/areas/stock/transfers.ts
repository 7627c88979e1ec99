import type { Client } from '../../http/client.ts'
import { type SentTime, sentTime } from '../../http/sent-time.ts'
import { given, sentDecimal, sentId, sentText, unsendable } from '../../http/written.ts'
import { idIfShown } from '../../http/written-id.ts'

/** Goods that go from one stock to another (public documentation, ProductMove). Quantities and costs are decimal text. */
interface NewTransfer {
  /** The reference that the sender knows the transfer by. */
  extRef: string
  fromStockId: string
  /** The store that the goods leave. */
  storeId: string
  toStockId: string
  orderDate?: SentTime | undefined
  expectedDeliveryDate?: SentTime | undefined
  comment?: string | undefined
  /** true: they are in the other stock at once; false: its staff must still receive them. */
  received: boolean
  lines: readonly { gtin: string; qty: string; cost?: string | undefined }[]
}

/** Transfers between stocks. Not in the spec. */
export interface Transfers {
  /** PUT /api/ProductTransfer; gives its id, see idIfShown. Nobody says that one is carried out once: an uncertain one must not be sent again. */
  create(transfer: NewTransfer, signal?: AbortSignal): Promise<string | null>
}

/** The transfer area of a client. What cannot be sent is a PermanentError that names it, before anything is sent. */
export function createTransfers(client: Client): Transfers {
  return {
    async create(transfer, signal) {
      const answer = await client.write('transfers.create', { body: transferBody(transfer), signal })
      return idIfShown(answer, 'transfers.create', 'transferId', client.endpoint('transfers.create').known)
    },
  }
}

function transferBody({ lines, orderDate, expectedDeliveryDate, ...transfer }: NewTransfer) {
  const call = 'transfers.create:'
  if (lines.length === 0) throw unsendable(call, 'a transfer needs lines.')
  if (transfer.fromStockId === transfer.toStockId) throw unsendable(call, 'a stock sends nothing to itself.')
  return {
    extRef: sentText(transfer.extRef, `${call} the extRef`),
    stockId: sentId(transfer.fromStockId, `${call} the fromStockId`),
    storeId: sentId(transfer.storeId, `${call} the storeId`),
    toStockId: sentId(transfer.toStockId, `${call} the toStockId`),
    ...given({
      orderDate: sentTime(orderDate, `${call} orderDate`),
      expectedDeliveryDate: sentTime(expectedDeliveryDate, `${call} expectedDeliveryDate`),
      comment: transfer.comment,
    }),
    // The platform writes the name so.
    insertAsRecevied: transfer.received,
    productLines: lines.map(({ gtin, qty, cost }, index) => {
      const where = `${call} line ${index + 1}`
      return {
        gtin: sentText(gtin, `${where}: the gtin`),
        qty: sentDecimal(qty, `${where}: qty`),
        ...given({ cost: cost === undefined ? undefined : sentDecimal(cost, `${where}: cost`) }),
      }
    }),
  }
}
