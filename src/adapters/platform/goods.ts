import { articleKey } from '../../domain/catalogue/article-number.ts'
import type { SubmittedDelivery } from '../../domain/catalogue/submitted.ts'
import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { text } from '../../domain/values/field.ts'
import { uuidOfName } from '../../lib/uuid.ts'
import type { Reservation } from '../../platform/areas/orders/orders.ts'
import { allRows, type Listed } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Attempt } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { goneIfTold } from './customers.ts'
import { quantities, sentOnce, WITHOUT_ID } from './orders.ts'

/** Our namespace of request ids: with it, an effect's key makes the same one for ever. */
const REQUESTS = '5b3c1f6e-0a83-4d0e-9c1b-2f7d64a8e913'

interface DeliveryWrites extends Pick<PlatformPort, 'createDelivery'> {
  /**
   * Traces of a delivery that may have been created. Null: it may be sent again, since the platform carries out one
   * request id once. Where nobody says so it is a PermanentError `cannot-find`: no list of deliveries has our reference.
   */
  findDelivery(delivery: SubmittedDelivery): null
}

export function createDeliveryWrites({ deliveries }: Pick<Platform, 'deliveries'>): DeliveryWrites {
  return {
    async createDelivery(delivery, { key, signal }) {
      const requestId = uuidOfName(REQUESTS, key)
      const sent = deliveries.create({ ...delivery, requestId }, signal)
      const orderId = await (deliveries.heedsRequestId() ? sent : sentOnce(sent))
      if (orderId === null) return { note: WITHOUT_ID }
      return { links: [{ kind: 'delivery', id: delivery.extRef, theirId: orderId }], note: `order id ${orderId}` }
    },

    findDelivery({ extRef }) {
      if (deliveries.heedsRequestId()) return null
      throw new PermanentError(
        `whether the platform has delivery ${extRef} cannot be asked, and nobody says that it carries out one requestId ` +
          'once (platform.endpoints, deliveries.create, requestId: heeded). Look at the deliveries to that store, then ' +
          'skip this one, or retry it with --again',
        { code: 'cannot-find' },
      )
    },
  }
}

/** Transfers and corrections (public facts): after a breakdown nobody knows whether they counted. */
export function createGoodsMoves({
  transfers,
  corrections,
}: Pick<Platform, 'transfers' | 'corrections'>): Pick<PlatformPort, 'transferGoods' | 'correctStock'> {
  return {
    async transferGoods(transfer, { signal }) {
      const transferId = await sentOnce(transfers.create(transfer, signal))
      if (transferId === null) return { note: WITHOUT_ID }
      return {
        links: [{ kind: 'transfer', id: transfer.extRef, theirId: transferId }],
        note: `transfer id ${transferId}`,
      }
    },

    async correctStock(correction, { signal }) {
      await sentOnce(corrections.create(correction, signal))
      return { note: `${correction.lines.length} corrected` }
    },
  }
}

/**
 * Goods that are kept for an online order (public facts, Stockreservation), known there by the number of the order. What is kept
 * already is read first and made to be as the order says, so that a try that nobody heard of keeps nothing twice.
 */
export function createGoodsKeeping({
  reservations,
  operations,
}: Pick<Platform, 'reservations' | 'operations'>): Required<Pick<PlatformPort, 'keepGoods' | 'releaseGoods'>> {
  /** Reservations for an order. One that cannot be read may be for it, too, unless it says for whom it is. */
  async function keptFor(orderNo: string, stockId: string, signal: AbortSignal): Promise<Listed<Reservation>> {
    const { rows, aside } = await reservations.list(stockId, signal)
    return {
      rows: rows.filter(({ extId }) => extId === orderNo),
      aside: aside.filter(({ record }) => (text(record, 'extId') ?? orderNo) === orderNo),
    }
  }

  const whatIsKept = (orderNo: string) => `what is kept for order ${orderNo}`

  /** After a try that may have kept them, a list that nobody has ever seen anything in proves nothing. */
  async function requireWord(orderNo: string, { previous }: Attempt): Promise<void> {
    if (previous !== 'open' || (await operations.isProven('reservations.list'))) return
    throw new PermanentError(
      `platform: whether goods are kept for order ${orderNo} already cannot be seen: this platform has never told of any reservation. ` +
        'Look in the portal; where they are listed otherwise: platform.endpoints, reservations.list',
      { code: 'reservation-unseen' },
    )
  }

  /** One that ran out, or that somebody at a till was quicker with, is gone. */
  async function releaseReservation(id: string, orderNo: string, signal: AbortSignal): Promise<void> {
    try {
      await reservations.release(id, signal)
    } catch (error) {
      if (error instanceof RetryLaterError && error.code === 'http-409') return
      await goneIfTold(operations, 'reservations.release', error, `what is kept for order ${orderNo}`)
    }
  }

  return {
    async keepGoods({ orderNo, stockId, reservationLengthInHours: hours, lines }, attempt) {
      const { signal } = attempt
      const kept = allRows(await keptFor(orderNo, stockId, signal), whatIsKept(orderNo))
      if (kept.length === 0) await requireWord(orderNo, attempt)
      const wanted = quantities(lines)
      // Freight is on no shelf.
      wanted.delete('')
      for (const one of kept) {
        const key = articleKey(one.gtin ?? '')
        const quantity = wanted.get(key)?.quantity
        wanted.delete(key)
        if (quantity === undefined) await releaseReservation(one.id, orderNo, signal)
        else if (quantity !== one.quantity) await reservations.change(one.id, { quantity, hours }, signal)
      }
      const missing = [...wanted.values()]
      if (missing.length > 0) await reservations.create({ stockId, extId: orderNo, hours, lines: missing }, signal)
      const note = kept.length === 0 ? 'kept' : 'kept as it is now'
      return { links: [{ kind: 'kept', id: orderNo, theirId: stockId }], note }
    },

    async releaseGoods({ orderNo, stockId }, { links, signal }) {
      const linked = stockId === undefined ? await links('kept', [orderNo]) : []
      let released = 0
      for (const stock of stockId === undefined ? linked.map(({ theirId }) => theirId) : [stockId]) {
        const listed = await keptFor(orderNo, stock, signal)
        for (const { id } of listed.rows) await releaseReservation(id, orderNo, signal)
        released += allRows(listed, whatIsKept(orderNo)).length
      }
      return { note: released === 0 ? 'nothing was kept' : `${released} released` }
    },
  }
}
