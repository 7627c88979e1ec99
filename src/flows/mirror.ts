import { inStoreTime, settlementDay } from '../domain/accounting/settlement.ts'
import { COUNT_SETTLED } from '../domain/catalogue/goods.ts'
import type { ReadProduct } from '../domain/catalogue/master-data.ts'
import type { LevelRead, MirrorFact, SalesHour } from '../domain/catalogue/mirror.ts'
import { type Event, PULLED, payloadOf } from '../domain/queue/event.ts'
import type { ResolvedStore } from '../domain/stores/store-index.ts'
import { field, idText, text } from '../domain/values/field.ts'
import { dayIn, wallClockIn } from '../domain/values/store-time.ts'
import { readDelivery, readMovement, readReservation, readStockCount } from '../platform/payloads/goods.ts'
import { saleIdentity, storeRefOf } from '../platform/payloads/kinds.ts'
import { notNeededOf, readSale } from '../platform/payloads/sale.ts'
import { readFiscal, readSettlement } from '../platform/payloads/settlement.ts'
import { readable } from '../platform/payloads/unread.ts'
import type { CallContext, EventToRoute, Flow } from './flow.ts'

/** Records carry their version: order and repetition do not matter. */

const mirror = { port: 'mirror', method: 'save' } as const
const MOVED = 'StockMovementCreated'
const COUNTED = 'StockCountReconciled'
const ORDERED = ['OmniChannelOrderUpdated', 'OmniChannelOrderFulfilled']

export const mirrorStock: Flow = {
  ...mirror,
  name: 'mirror-stock',
  kinds: [MOVED, 'StockLevelRead', COUNTED, 'StockReservationCreated', 'StockReservationExpired', ...ORDERED],
  urgency: 'prompt',
  plan(event) {
    if (event.kind === COUNTED)
      return [{ part: '', entity: null, batch: 'counts', notBefore: event.receivedAt + READ_AFTER }]
    return ORDERED.includes(event.kind) && !isOver(event) ? [] : [{ part: '', entity: null, batch: 'stock' }]
  },
  call: (event, _, known) => ({ ...mirror, argument: stockChange(event, known) }),
}

export const mirrorFacts: Flow = {
  ...mirror,
  name: 'mirror',
  kinds: [
    'SaleCreated',
    'SaleExternalCreated',
    'OmniChannelEndlessAisleOrderCreated',
    'SalesLinesRead',
    'POSSettlementCreated',
    'SettlementRead',
    'DeliveryCreated',
    'DeliveryUpdated',
    'DeliveryItemsReceived',
    'DeliveryCompleted',
    'ProductRead',
  ],
  urgency: 'bulk',
  // An hour of sales lines replaces that hour: ordered.
  plan: ({ kind, entity }) => [{ part: '', entity: kind === 'SalesLinesRead' ? entity : null, batch: 'facts' }],
  call: (event, _, known) => ({ ...mirror, argument: fact(event, known) }),
}

const READ_AFTER = COUNT_SETTLED + 1_000
const WHOLE = [MOVED, COUNTED, 'StockReservationCreated']

function isEnough(event: Event): boolean {
  if (event.kind === 'StockReservationExpired') return readReservation(payloadOf(event)).reservationId !== null
  return !WHOLE.includes(event.kind)
}

function stockChange(event: Event, { storeOf }: CallContext): MirrorFact {
  const payload = isEnough(event) ? payloadOf(event) : readable(event)
  switch (event.kind) {
    case MOVED: {
      const movement = readMovement(payload)
      const { zone } = storeOf({ stockId: movement.stockId })
      return { type: 'movement', movement, day: movement.at === null ? null : dayIn(movement.at, zone) }
    }
    case 'StockLevelRead':
      return { type: 'level', ...(payload as LevelRead) }
    case COUNTED: {
      const count = readStockCount(payload)
      const { zone } = storeOf({ stockId: count.stockId })
      const times = { at: wallClockIn(count.at, zone), countedAt: wallClockIn(count.countedAt, zone) }
      return { type: 'count', count: { ...count, ...times } }
    }
    case 'StockReservationCreated':
      return { type: 'reservation', step: 'made', reservation: readReservation(payload) }
    case 'StockReservationExpired':
      return { type: 'reservation', step: 'ended', reservation: readReservation(payload) }
    default:
      return { type: 'order-over', orderNo: idText(field(payload, 'order'), 'orderNo') ?? '', at: event.receivedAt }
  }
}

function fact(event: Event, { storeOf }: CallContext): MirrorFact {
  const payload = readable(event, (one) => [...notNeededOf(one), ...(isThin(event) ? ['payments'] : [])])
  switch (event.kind) {
    case 'SalesLinesRead':
      return { type: 'sales-lines', revision: event.revision, ...(payload as SalesHour) }
    case 'ProductRead':
      return { type: 'product', revision: event.revision, product: payload as ReadProduct }
    case 'SettlementRead':
    case 'POSSettlementCreated': {
      const written = readSettlement(payload)
      const place = storeOf({ number: written.storeNo, storeId: written.storeId })
      const settlement = { ...inStoreTime(written, place.zone), storeNo: place.storeNo }
      return { type: 'settlement', settlement, fiscal: readFiscal(payload), day: settlementDay(settlement) }
    }
    case 'SaleCreated':
    case 'SaleExternalCreated':
    case 'OmniChannelEndlessAisleOrderCreated':
      return saleFact(event, payload, storeOf(storeRefOf(event.kind, payload)))
    default: {
      const delivery = readDelivery(payload)
      const { zone } = storeOf({ stockId: delivery.stockId })
      return { type: 'delivery', delivery: { ...delivery, at: wallClockIn(delivery.at, zone) } }
    }
  }
}

function isThin({ kind, subscription }: Event): boolean {
  return kind === 'SaleCreated' && subscription === PULLED
}

/** The store's number, unless several countries share it. */
function saleFact(event: Event, payload: unknown, { zone, storeNo, storeId, storeKey }: ResolvedStore): MirrorFact {
  const sale = readSale(payload)
  const key = saleIdentity(payload)?.key ?? `~${event.bodyHash}`
  const external = event.kind === 'SaleExternalCreated'
  const isShared = storeNo !== null && storeKey !== storeNo
  const where = { storeNo: sale.store.number, day: dayIn(sale.createdAt, zone), ...(isShared && { storeId }) }
  return { type: 'sale', key, external, isThin: isThin(event), ...where, sale }
}

const OVER = ['shipped', 'rejected', 'expired', 'returned']

function isOver({ kind, payload }: EventToRoute): boolean {
  const order = field(payload, 'order')
  if (idText(order, 'orderNo') === null) return false
  return kind === 'OmniChannelOrderFulfilled' || OVER.includes(text(order, 'status')?.toLowerCase() ?? '')
}
