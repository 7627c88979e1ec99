import { z } from 'zod'
import { schemaOf } from '../../schemas/schemas.ts'
import type { EventDialect } from '../dialect.ts'
import { adjustment, count } from './events-goods.ts'
import { giftCard, settlement } from './events-money.ts'
import { reservation, transfer } from './events-moves.ts'
import type { Nearest } from './nearest.ts'

/**
 * Where nothing shows the payload of a kind, it is the nearest record that the documentation has: what this API tells or takes of
 * such a thing. All others are as the specification shows them, or its neighbours.
 */
export const frontsystemsEvents: EventDialect = {
  isShown: () => true,
  write: (kind, payload, record) => NEAREST[kind]?.write(payload, record) ?? payload,
  schema(kind) {
    const nearest = NEAREST[kind]
    return nearest ? { ...z.toJSONSchema(nearest.schema, { target: 'draft-4' }), title: kind } : schemaOf(kind)
  },
}

const NEAREST: Readonly<Record<string, Nearest>> = {
  POSSettlementCreated: settlement,
  StockReservationCreated: reservation,
  StockReservationExpired: reservation,
  StockCountReconciled: count,
  ProductTransferCreated: transfer,
  ProductTransferReceived: transfer,
  ProductTransferVirtualCreated: transfer,
  ProductTransferVirtualReceived: transfer,
  StockAdjustmentCreated: adjustment,
  GiftCardTransactionCreated: giftCard,
}
