import { z } from 'zod'
import { digestOf } from '../../../domain/values/digest.ts'
import { text } from '../../../domain/values/field.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { isStillToCome } from '../../../domain/values/still-to-come.ts'
import type { Intake, IntakeItem } from '../../../ports/intake.ts'
import type { ShopApi } from '../api.ts'
import type { WooCommerceOptions } from '../options.ts'
import { polledItems } from './asked-items.ts'
import { statusesOf } from './items.ts'
import { WholeOrder } from './order.ts'

/** The most that WooCommerce gives at once. */
const PAGE = 100

/** How far the next poll looks back behind the newest order that was seen: what was saved late is seen too. Milliseconds. */
const OVERLAP = 2 * 60_000

/** How far the first poll looks back: clocks differ. What is older was there before the shop was connected. */
const FIRST = 10 * 60_000

/** Asks for orders changed after `after` (UTC, without a zone); `page` grows while all on a page have one second. */
interface Cursor {
  after: string
  page: number
}

/**
 * Asks the shop for orders that changed, oldest change first, for webhooks that were lost. The shop's `modified_after` knows
 * seconds and leaves out its bound, so each page begins one second before the last order of the page before.
 */
export function createPoll(
  api: ShopApi,
  options: WooCommerceOptions,
  now: () => number = Date.now,
): NonNullable<Intake['poll']> {
  return async (cursor, { signal }) => {
    const asked = now()
    const { after, page } = readCursor(cursor, asked)
    const query = {
      modified_after: after,
      dates_are_gmt: 'true',
      status: statusesOf(options).join(','),
      orderby: 'modified',
      order: 'asc',
      per_page: String(PAGE),
      page: String(page),
    }
    const { value, headers } = await api.get('/orders', query, z.array(z.unknown()), signal)
    // Orders that cannot be shown are left out of their page: one that is not full need not be the last. A proxy may drop the header.
    const pages = Number(headers['x-wp-totalpages'] ?? Number.NaN)
    const more = Number.isNaN(pages) ? value.length === PAGE : page < pages
    const newest = value.map(changedAt).findLast((time) => !Number.isNaN(time)) ?? null
    const next = nextCursor({ after, page }, newest, more, asked)
    const items: IntakeItem[] = []
    for (const order of value) for (const item of await itemsOf({ api, options }, order, signal)) items.push(item)
    return { items, cursor: `${next.after}/${next.page}`, more }
  }
}

/** NaN: it does not say when. */
function changedAt(order: unknown): Instant {
  return Date.parse(`${text(order, 'date_modified_gmt')}Z`)
}

/** An order that was changed at a time that is still to come moves no cursor there: nothing would be seen until then. */
function nextCursor({ after, page }: Cursor, newest: Instant | null, more: boolean, now: Instant): Cursor {
  const isAhead = newest !== null && isStillToCome(newest, now)
  if (!more) {
    if (newest === null) return { after, page: 1 }
    const back = textOf((isAhead ? now - FIRST : newest) - OVERLAP)
    return { after: back > after ? back : after, page: 1 }
  }
  if (newest === null || isAhead) return { after, page: page + 1 }
  const next = textOf(newest - 1_000)
  return next > after ? { after: next, page: 1 } : { after, page: page + 1 }
}

/** One that cannot be read does not stop the others: without `orderNo` it is refused, and kept where people see it. */
async function itemsOf(
  asking: { api: ShopApi; options: WooCommerceOptions },
  listed: unknown,
  signal: AbortSignal,
): Promise<IntakeItem[]> {
  const order = WholeOrder.safeParse(listed)
  if (order.success) return await polledItems(asking, order.data, signal)
  const theirId = text(listed, 'id')
  const unreadable = [...new Set(order.error.issues.map(({ path }) => path.join('.')))]
  const key = `order/${theirId ?? digestOf(listed)}/${text(listed, 'date_modified_gmt') ?? ''}/unreadable`
  return [{ resource: 'orders', key, theirId, place: null, value: { ofTheShop: text(listed, 'number'), unreadable } }]
}

/** The cursor that was kept; one that a clock kept that was ahead is begun anew. */
function readCursor(cursor: string | null, now: Instant): Cursor {
  const [after = '', page = '1'] = cursor?.split('/') ?? []
  const isKept = after !== '' && !isStillToCome(Date.parse(`${after}Z`), now)
  return isKept ? { after, page: Number(page) } : { after: textOf(now - FIRST), page: 1 }
}

function textOf(time: number): string {
  return new Date(time).toISOString().slice(0, 19)
}
