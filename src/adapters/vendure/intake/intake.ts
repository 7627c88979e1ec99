import { formatInstant } from '../../../domain/values/instant.ts'
import { isStillToCome } from '../../../domain/values/still-to-come.ts'
import type { Intake } from '../../../ports/intake.ts'
import { orders } from '../orders/find-order.ts'
import type { Shop } from '../shop.ts'
import { itemsOf } from './items.ts'

const PAGE = 50

/** The first time: orders of the last minutes. What was before is the business of whoever starts with Tillbridge. */
const FIRST = 10 * 60_000

/**
 * How far back the next poll reads again: an order may be saved after one that was changed later, and some databases keep
 * whole seconds. What comes twice is known by its key.
 */
const AGAIN = 60_000
const SECOND = 1_000

/** Orders that changed, the longest ago first. Vendure sends no webhooks by itself. */
export function createIntake(shop: Shop): Intake {
  return {
    async poll(cursor, { signal }) {
      const now = Date.now()
      const { after, skip } = readCursor(cursor, now)
      const options = {
        filter: { updatedAt: { after: formatInstant(after) }, orderPlacedAt: { isNull: false } },
        sort: { updatedAt: 'ASC', id: 'ASC' },
        take: PAGE,
        skip,
      }
      const { items } = await orders(shop, options, signal)
      const last = items.at(-1)
      const next = last ? Date.parse(last.updatedAt) : after
      // A cursor at a time that is still to come would see nothing until then.
      const isAhead = isStillToCome(next, now)
      const more = items.length === PAGE
      return { items: items.flatMap((order) => itemsOf(shop, order)), cursor: cursorOf(), more }

      function cursorOf(): string {
        if (!more) return writeCursor(Math.max(after, (isAhead ? now - FIRST : next) - AGAIN), 0)
        // A page of one second, or of times that are still to come: the next page of it.
        return next - SECOND > after && !isAhead ? writeCursor(next - SECOND, 0) : writeCursor(after, skip + PAGE)
      }
    },
  }
}

/** The cursor that was kept; one that a clock kept that was ahead is begun anew. */
function readCursor(cursor: string | null, now: number): { after: number; skip: number } {
  const [time = '', skip = ''] = (cursor ?? '').split(' ')
  const after = Date.parse(time)
  const isKept = !Number.isNaN(after) && !isStillToCome(after, now)
  return isKept ? { after, skip: Number(skip) || 0 } : { after: now - FIRST, skip: 0 }
}

function writeCursor(after: number, skip: number): string {
  return skip === 0 ? formatInstant(after) : `${formatInstant(after)} ${skip}`
}
