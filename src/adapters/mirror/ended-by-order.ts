import type { Reservation } from '../../domain/catalogue/goods.ts'
import type { KeptRow, MirrorFact, MirrorRow } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { keptRows } from './kept-rows.ts'
import type { MirrorRecords } from './records.ts'
import { reservationRow } from './rows.ts'

interface Options {
  records: Pick<MirrorRecords, 'mirrorRows' | 'mirrorPage'>
  /** The instant of a stock's wall clock, or of a text with an offset; null: it is none. */
  instantOf(stockId: string, wallClock: string): Instant | null
}

/** More of one order than that is not kept at once. */
const MOST_OF_ORDER = 1_000

/** The platform's clock may be so far ahead of the hub's (milliseconds). */
const SLACK = 120_000

/**
 * The platform does not say of each reservation that it was used: that of an order ends with the order. Either may come first, or both at
 * once to two hubs: so each is written first, and then it is looked whether the other is there.
 */
export function createEndedByOrder({ records, instantOf }: Options) {
  /** Whether it was made before the order was over: one that was made later is of another order, which has the same number. */
  function endsWith(over: KeptRow, { at, stockId }: Reservation): boolean {
    const madeAt = at === null ? null : instantOf(stockId ?? '', at)
    return madeAt === null || madeAt <= over.version + SLACK
  }

  async function endedBy(over: KeptRow): Promise<MirrorRow[]> {
    const rows = await records.mirrorPage({ set: 'reservations', part: over.key }, null, MOST_OF_ORDER)
    return rows.flatMap(({ key, body }) => {
      const reservation = body as unknown as Reservation
      return body.isOpen === true && endsWith(over, reservation) ? reservationRow(key, reservation, false) : []
    })
  }

  /** The rows of reservations that are over because the orders of these facts are. The facts themselves are written. */
  return async (facts: readonly MirrorFact[]): Promise<MirrorRow[]> => {
    const orders = new Set(facts.flatMap((fact) => orderIn(fact) ?? []))
    const ended: MirrorRow[] = []
    for (const over of await keptRows(records, 'orders-over', orders)) ended.push(...(await endedBy(over)))
    return ended
  }
}

/** The number of the order that is over, or for which something is kept. */
function orderIn(fact: MirrorFact): string | null {
  if (fact.type === 'order-over') return fact.orderNo
  return fact.type === 'reservation' && fact.step === 'made' ? fact.reservation.orderNo : null
}
