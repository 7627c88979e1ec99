import { PermanentError } from '../../domain/errors.ts'
import { type Decimal, parseDecimal, sumDecimals } from '../../domain/money.ts'
import type { SubmittedOrder } from '../../domain/submitted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Reservation } from '../../platform/reservations.ts'
import type { Attempt, PlatformPort } from '../adapter.ts'

/**
 * Goods that are kept for an online order (public facts, Stockreservation), known there by the number of the order. What is kept
 * already is read first and made to be as the order says, so that a try that nobody heard of keeps nothing twice.
 */
export function createGoodsKeeping({
  reservations,
  operations,
}: Pick<Platform, 'reservations' | 'operations'>): Required<Pick<PlatformPort, 'keepGoods' | 'releaseGoods'>> {
  async function keptFor(orderNo: string, stockId: string, signal: AbortSignal): Promise<Reservation[]> {
    return (await reservations.list(stockId, signal)).filter(({ extId }) => extId === orderNo)
  }

  /** After a try that may have kept them, a list that nobody has ever seen anything in proves nothing. */
  async function requireWord(orderNo: string, { previous }: Attempt): Promise<void> {
    if (previous !== 'open' || (await operations.isProven('reservations.list'))) return
    throw new PermanentError(
      `platform: whether goods are kept for order ${orderNo} already cannot be seen: this platform has never told of any reservation. ` +
        'Look in the portal; where they are listed otherwise: platform.endpoints, reservations.list',
      { code: 'reservation-unseen' },
    )
  }

  return {
    async keepGoods({ orderNo, stockId, reservationLengthInHours: hours, lines }, attempt) {
      const { signal } = attempt
      const kept = await keptFor(orderNo, stockId, signal)
      if (kept.length === 0) await requireWord(orderNo, attempt)
      const wanted = quantities(lines)
      const missing: { gtin: string; quantity: string }[] = []
      for (const one of kept) {
        const quantity = wanted.get(one.gtin ?? '')
        wanted.delete(one.gtin ?? '')
        if (quantity === undefined) await reservations.release(one.id, signal)
        else if (quantity !== one.quantity) await reservations.change(one.id, { quantity, hours }, signal)
      }
      for (const [gtin, quantity] of wanted) missing.push({ gtin, quantity })
      if (missing.length > 0) await reservations.create({ stockId, extId: orderNo, hours, lines: missing }, signal)
      return { note: `${kept.length === 0 ? 'kept' : 'kept as it is now'}` }
    },

    async releaseGoods({ orderNo, stockId }, { signal }) {
      const kept = await keptFor(orderNo, stockId, signal)
      for (const { id } of kept)
        await reservations.release(id, signal).catch((error) => {
          // It ran out, or somebody at a till was quicker.
          if (!(error instanceof PermanentError && /^http-40[49]$/.test(error.code))) throw error
        })
      return { note: kept.length === 0 ? 'nothing was kept' : `${kept.length} released` }
    },
  }
}

/** So many of each article; freight is on no shelf. */
function quantities(lines: SubmittedOrder['lines']): Map<string, Decimal> {
  const sums = new Map<string, Decimal>()
  for (const { gtin, quantity } of lines)
    if (gtin !== '') sums.set(gtin, sumDecimals([sums.get(gtin) ?? parseDecimal(0), parseDecimal(quantity)]))
  return sums
}
