import { idText, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import { decimal, isRecord, type Listed, listOf, readListed, requiredId, type WireRecord } from '../../http/read.ts'
import { given, sentDecimal, sentId, sentText, unsendable } from '../../http/written.ts'

/** Goods of a stock that are kept for somebody. */
export interface Reservation {
  id: string
  stockId: string | null
  /** The id that the sender knows the reservation by: the number of an order. */
  extId: string | null
  gtin: string | null
  quantity: Decimal | null
  /** The time as written: its zone is not shown. */
  expires: string | null
  record: WireRecord
}

interface NewReservation {
  stockId: string
  extId: string
  customerId?: string | undefined
  comment?: string | undefined
  /** Whole hours from 1; default 72. */
  hours?: number | undefined
  lines: readonly { gtin: string; quantity: string }[]
}

/** Reservations: they leave the level as it is, and take from what can be sold. Not in the spec. */
export interface Reservations {
  /**
   * POST /api/Stockreservation; gives what of it was answered. Sent twice, twice as much is kept: list those of the stock before it
   * is sent again.
   */
  create(reservation: NewReservation, signal?: AbortSignal): Promise<Reservation[]>
  /** GET /api/Stockreservation of one stock: what is kept there now. */
  list(stockId: string, signal?: AbortSignal): Promise<Listed<Reservation>>
  /** PUT /api/Stockreservation/{id}: another length, another quantity. */
  change(
    id: string,
    to: { hours?: number | undefined; quantity?: string | undefined },
    signal?: AbortSignal,
  ): Promise<void>
  /** PUT /api/Stockreservation/release/{id}. One that is not there (any more) is a PermanentError `http-404`. */
  release(id: string, signal?: AbortSignal): Promise<void>
}

export function createReservations(client: Client): Reservations {
  return {
    async create({ stockId, extId, customerId, comment, hours, lines }, signal) {
      const call = 'reservations.create:'
      if (lines.length === 0) throw unsendable(call, 'a reservation needs lines.')
      const body = {
        stockId: sentId(stockId, `${call} the stockId`),
        extId: sentText(extId, `${call} the extId`),
        ...given({
          customerId: customerId === undefined ? undefined : sentId(customerId, `${call} the customerId`),
          comment,
          reservationLengthInHours: sentHours(hours, call),
        }),
        items: lines.map(({ gtin, quantity }, index) => ({
          gtin: sentText(gtin, `${call} line ${index + 1}: the gtin`),
          qty: sentDecimal(quantity, `${call} line ${index + 1}: the quantity`),
        })),
      }
      const answer = await client.write('reservations.create', { body, signal })
      // The reservations exist whatever the answer's shape.
      const made = listOf(answer).filter(isRecord)
      return readListed(made, 'reservation', readReservation).rows
    },

    async list(stockId, signal) {
      const id = String(sentId(stockId, 'reservations.list: the stockId'))
      const listed = await client.read('reservations.list', { stockId: id, signal }, (answer) =>
        readListed(answer, 'reservation', readReservation),
      )
      // A header that the platform does not know is ignored by it in silence.
      const isOfStock = (stockId: string | null) => stockId === null || stockId === id
      const rows = listed.rows.filter(({ stockId }) => isOfStock(stockId))
      const aside = listed.aside.filter(({ record }) => isOfStock(idText(record, 'stockId')))
      client.aside('reservations.list', `stock ${id}`, aside)
      return { rows, aside }
    },

    async change(id, { hours, quantity }, signal) {
      const call = 'reservations.change:'
      const body = given({
        reservationLengthInHours: sentHours(hours, call),
        qty: quantity === undefined ? undefined : sentDecimal(quantity, `${call} the quantity`),
      })
      await client.write('reservations.change', {
        path: { reservationId: sentText(id, `${call} the id`) },
        body,
        signal,
      })
    },

    async release(id, signal) {
      const path = { reservationId: sentText(id, 'reservations.release: the id') }
      await client.write('reservations.release', { path, signal })
    },
  }
}

function sentHours(hours: number | undefined, call: string): number | undefined {
  if (hours === undefined || (Number.isSafeInteger(hours) && hours > 0)) return hours
  throw unsendable(call, 'the hours must be a whole number from 1.')
}

function readReservation(record: WireRecord): Reservation {
  return {
    id: requiredId(record, 'id', 'reservationGuid', 'stockreservationId'),
    stockId: idText(record, 'stockId'),
    extId: idText(record, 'extId'),
    gtin: text(record, 'gtin'),
    quantity: decimal(record, 'quantity') ?? decimal(record, 'qty'),
    expires: text(record, 'expirationDateTime'),
    record,
  }
}
