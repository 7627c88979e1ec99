import { z } from 'zod'
import type { Intake, IntakeItem } from '../../../ports/intake.ts'
import type { ShopApi } from '../api.ts'
import type { WooCommerceOptions } from '../options.ts'
import { orderItems, statusesOf } from './items.ts'
import { WholeOrder } from './order.ts'

/** The most that WooCommerce gives at once. */
const PAGE = 100

/** How far the next poll looks back behind the newest order that was seen: what was saved late is seen too. Milliseconds. */
const OVERLAP = 2 * 60_000

/** How far the first poll looks back: clocks differ. What is older was there before the shop was connected. */
const FIRST = 10 * 60_000

const Listed = z.looseObject({
  id: z.number().int(),
  number: z.union([z.string(), z.number()]).transform(String),
  date_modified_gmt: z.string().nullish(),
})

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
    const { after, page } = cursor === null ? { after: textOf(now() - FIRST), page: 1 } : readCursor(cursor)
    const query = {
      modified_after: after,
      dates_are_gmt: 'true',
      status: statusesOf(options).join(','),
      orderby: 'modified',
      order: 'asc',
      per_page: String(PAGE),
      page: String(page),
    }
    const { value, headers } = await api.get('/orders', query, z.array(Listed), signal)
    // Orders that cannot be shown are left out of their page: one that is not full need not be the last. A proxy may drop the header.
    const pages = Number(headers['x-wp-totalpages'] ?? Number.NaN)
    const more = Number.isNaN(pages) ? value.length === PAGE : page < pages
    const newest = value.at(-1)?.date_modified_gmt
    const next = newest ? nextCursor({ after, page }, newest, more) : { after, page: more ? page + 1 : 1 }
    return { items: value.flatMap((order) => itemsOf(order, options)), cursor: `${next.after}/${next.page}`, more }
  }
}

function nextCursor({ after, page }: Cursor, newest: string, more: boolean): Cursor {
  if (!more) {
    const back = textOf(Date.parse(`${newest}Z`) - OVERLAP)
    return { after: back > after ? back : after, page: 1 }
  }
  const next = textOf(Date.parse(`${newest}Z`) - 1_000)
  return next > after ? { after: next, page: 1 } : { after, page: page + 1 }
}

/** One that cannot be read does not stop the others: without `orderNo` it is refused, and kept where people see it. */
function itemsOf(listed: z.output<typeof Listed>, options: WooCommerceOptions): IntakeItem[] {
  const order = WholeOrder.safeParse(listed)
  if (order.success) return orderItems(order.data, options)
  const { id, number, date_modified_gmt: at } = listed
  const unreadable = [...new Set(order.error.issues.map(({ path }) => path.join('.')))]
  const key = `order/${id}/${at ?? ''}/unreadable`
  return [{ resource: 'orders', key, theirId: String(id), place: null, value: { ofTheShop: number, unreadable } }]
}

function readCursor(cursor: string): Cursor {
  const [after = '', page = '1'] = cursor.split('/')
  return { after, page: Number(page) }
}

function textOf(time: number): string {
  return new Date(time).toISOString().slice(0, 19)
}
