import { z } from 'zod'
import { digestOf } from '../../../domain/values/digest.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { text } from '../../../domain/values/field.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { isStillToCome } from '../../../domain/values/still-to-come.ts'
import type { Intake, IntakeItem } from '../../../ports/intake.ts'
import type { ShopApi } from '../api.ts'
import { id, readable, text as textOf } from '../document.ts'
import type { WooCommerceOptions } from '../options.ts'
import { polledItems } from './asked-items.ts'
import { isOfPeople, statusesOf } from './items.ts'
import { WholeOrder } from './order.ts'
import { createWebhookWatch } from './webhook-watch.ts'

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
  /** Asks for refunds that were made after this. */
  refunds: string
}

/**
 * Asks the shop for orders that changed, oldest change first, for webhooks that were lost. The shop's `modified_after` knows
 * seconds and leaves out its bound, so each page begins one second before the last order of the page before.
 */
export function createPoll(
  api: ShopApi,
  options: WooCommerceOptions,
  { destination, now = Date.now }: { destination: string; now?: () => number },
): NonNullable<Intake['poll']> {
  const watch = options.webhookSecret === undefined ? null : createWebhookWatch(api, destination, options, now)
  return async (cursor, { signal }) => {
    const asked = now()
    const { after, page, refunds } = readCursor(cursor, asked)
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
    const next = nextCursor({ after, page, refunds }, newest, more, asked)
    const items: IntakeItem[] = []
    for (const order of value) for (const item of await itemsOf({ api, options }, order, signal)) items.push(item)
    if (more) return { items, cursor: cursorText(next), more }
    const listed = new Set(value.map((order) => text(order, 'id')))
    const refunded = await refundedSince(api, refunds, asked, signal)
    for (const order of await ordersOf(
      api,
      refunded.orders.filter((id) => !listed.has(String(id))),
      signal,
    ))
      for (const item of await itemsOf({ api, options }, order, signal)) items.push(item)
    const missed = await watch?.look(signal)
    items.push(...(missed?.items ?? []))
    const problem = missed?.problem ?? null
    return {
      items,
      cursor: cursorText({ ...next, refunds: refunded.next }),
      more,
      ...(problem !== null && { problem }),
    }
  }
}

/** The most pages of refunds that are read for one answer: the next goes on. */
const MOST_PAGES = 20

const MadeRefund = z.object({ parent_id: id, reason: textOf, date_created_gmt: textOf })

/**
 * Orders of which the shop's people gave something back since: WooCommerce need not date an order anew for a refund, and its webhook may
 * be lost (`GET /refunds`, WooCommerce 9.0 and later; an older shop says that it does not know it, and tells nothing).
 */
async function refundedSince(api: ShopApi, since: string, asked: Instant, signal: AbortSignal) {
  const orders = new Set<number>()
  let [newest, isCut] = [since, false]
  for (let page = 1, pages = 1; page <= pages && page <= MOST_PAGES; page += 1) {
    const query = {
      after: since,
      dates_are_gmt: 'true',
      orderby: 'date',
      order: 'asc',
      per_page: String(PAGE),
      page: String(page),
    }
    const answer = await api.get('/refunds', query, readable(MadeRefund), signal).catch((error: unknown) => {
      if (error instanceof PermanentError) return null
      throw error
    })
    if (answer === null) break
    for (const { parent_id, reason, date_created_gmt: at } of answer.value) {
      if (parent_id > 0 && isOfPeople({ reason })) orders.add(parent_id)
      if (at !== null && at > newest && !isStillToCome(Date.parse(`${at}Z`), asked)) newest = at
    }
    pages = Number(answer.headers['x-wp-totalpages'] ?? (answer.value.length < PAGE ? page : page + 1))
    isCut = pages > MOST_PAGES
  }
  // One that was saved late is seen, too; one that is long over is not read again and again.
  const settled = timeText(asked - OVERLAP)
  const over = isCut ? timeText(Date.parse(`${newest}Z`) - 1_000) : newest
  return { orders: [...orders], next: over <= settled ? over : settled > since ? settled : since }
}

async function ordersOf(api: ShopApi, ids: readonly number[], signal: AbortSignal): Promise<unknown[]> {
  const orders: unknown[] = []
  for (let start = 0; start < ids.length; start += PAGE) {
    const query = { include: ids.slice(start, start + PAGE).join(','), status: 'any', per_page: String(PAGE) }
    for (const order of (await api.get('/orders', query, z.array(z.unknown()), signal)).value) orders.push(order)
  }
  return orders
}

function cursorText({ after, page, refunds }: Cursor): string {
  return refunds === after ? `${after}/${page}` : `${after}/${page}/${refunds}`
}

/** NaN: it does not say when. */
function changedAt(order: unknown): Instant {
  return Date.parse(`${text(order, 'date_modified_gmt')}Z`)
}

/** An order that was changed at a time that is still to come moves no cursor there: nothing would be seen until then. */
function nextCursor({ after, page, refunds }: Cursor, newest: Instant | null, more: boolean, now: Instant): Cursor {
  const isAhead = newest !== null && isStillToCome(newest, now)
  if (!more) {
    if (newest === null) return { after, page: 1, refunds }
    const back = timeText((isAhead ? now - FIRST : newest) - OVERLAP)
    return { after: back > after ? back : after, page: 1, refunds }
  }
  if (newest === null || isAhead) return { after, page: page + 1, refunds }
  const next = timeText(newest - 1_000)
  return next > after ? { after: next, page: 1, refunds } : { after, page: page + 1, refunds }
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
  const [after = '', page = '1', refunds = after] = cursor?.split('/') ?? []
  const isKept = after !== '' && !isStillToCome(Date.parse(`${after}Z`), now)
  if (isKept && !isStillToCome(Date.parse(`${refunds}Z`), now)) return { after, page: Number(page), refunds }
  const first = timeText(now - FIRST)
  return { after: first, page: 1, refunds: first }
}

function timeText(time: number): string {
  return new Date(time).toISOString().slice(0, 19)
}
