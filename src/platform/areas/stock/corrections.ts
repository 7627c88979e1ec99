import type { Client } from '../../http/client.ts'
import { given, sentDecimal, sentId, sentText, unsendable } from '../../http/written.ts'

/** Pieces that a stock has more, or fewer, than the platform thinks: differences, where `stock.adjust` sets levels. */
interface NewCorrection {
  /** The reference that the sender knows the correction by. */
  extRef: string
  stockId: string
  storeId: string
  comment?: string | undefined
  /** Decimal text; below zero: fewer. */
  lines: readonly { gtin: string; qty: string }[]
}

/** Corrections of stock by differences. Not in the spec. */
export interface Corrections {
  /** PUT /api/PurchaseOrder/correction. A difference that is sent twice counts twice: an uncertain one must not be sent again. */
  create(correction: NewCorrection, signal?: AbortSignal): Promise<void>
}

/** The area of corrections of a client. What cannot be sent is a PermanentError that names it, before anything is sent. */
export function createCorrections(client: Client): Corrections {
  return {
    async create({ extRef, stockId, storeId, comment, lines }, signal) {
      const call = 'corrections.create:'
      if (lines.length === 0) throw unsendable(call, 'a correction needs lines.')
      const body = {
        extRef: sentText(extRef, `${call} the extRef`),
        stockId: sentId(stockId, `${call} the stockId`),
        storeId: sentId(storeId, `${call} the storeId`),
        ...given({ comment }),
        orderLines: lines.map(({ gtin, qty }, index) => ({
          gtin: sentText(gtin, `${call} line ${index + 1}: the gtin`),
          qty: sentDecimal(qty, `${call} line ${index + 1}: qty`),
        })),
      }
      await client.write('corrections.create', { body, signal })
    },
  }
}
