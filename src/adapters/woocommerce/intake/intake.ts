import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { PermanentError, RetryLaterError } from '../../../domain/values/errors.ts'
import { text } from '../../../domain/values/field.ts'
import { type Instant, isStillToCome } from '../../../domain/values/instant.ts'
import { digestOf } from '../../../domain/values/text.ts'
import { parseWithIds } from '../../../lib/json.ts'
import type { Intake, IntakeItem, IntakeRequest } from '../../../ports/intake.ts'
import { type ShopApi, saysCode } from '../api.ts'
import { id, readable, text as textOf } from '../document.ts'
import type { WooCommerceOptions } from '../options.ts'
import { refundsOf } from '../orders/refunds.ts'
import { WholeOrder } from '../shop-order.ts'
import { customerItems, ShopCustomer } from './customer.ts'
import { asksForRefunds, isOfPeople, orderItems, statusesOf } from './items.ts'
import { createWebhookWatch } from './webhooks.ts'

const ANSWER_TIMEOUT_MS = 10_000

interface Asking {
  api: Pick<ShopApi, 'get'>
  options: WooCommerceOptions
}

/** The meaning of an order in a webhook, which the shop sends once: what cannot be asked is kept for a person. */
function pushedItems(asking: Asking, order: WholeOrder): Promise<IntakeItem[]> {
  return askedItems(asking, order, AbortSignal.timeout(ANSWER_TIMEOUT_MS)).catch((error: unknown) =>
    unasked(asking, order, error),
  )
}

/** The meaning of an order that a poll read. Throws where the shop may answer later; what it answers to one stops no other. */
function polledItems(asking: Asking, order: WholeOrder, signal: AbortSignal): Promise<IntakeItem[]> {
  return askedItems(asking, order, signal).catch((error: unknown) => {
    if (error instanceof RetryLaterError && error.code !== 'unreadable-answer') throw error
    return unasked(asking, order, error)
  })
}

async function askedItems({ api, options }: Asking, order: WholeOrder, signal: AbortSignal): Promise<IntakeItem[]> {
  if (!asksForRefunds(order, options)) return orderItems(order, options)
  return orderItems(order, options, await refundsOf({ api }, order, signal))
}

function unasked({ options }: Asking, order: WholeOrder, error: unknown): IntakeItem[] {
  const why = error instanceof Error ? error.message : String(error)
  const fault = `which pieces of order ${order.number} were refunded could not be asked (${why}): ${IF_REFUNDED}`
  return orderItems(order, options).map((item) => ({ ...item, faults: [fault] }))
}

const IF_REFUNDED = 'look at its refunds in the shop, and save it there once more, or call the store'

/**
 * The shop says no more of what is gone than its id. Exactly this: the shop signs the body alone, so that whoever has a signed
 * order could send it again under this topic.
 */
const Gone = z.strictObject({ id: z.number().int() })

const DELETED_TIMEOUT_MS = 10_000

/**
 * The meaning of a deleted order. The id of a deleted customer or product is signed alike, so the shop itself is asked: an order
 * that is not there (any more) is off; one that is there is what the shop says of it, in the trash for instance. The shop
 * sends a webhook once: where it does not answer, the deletion is kept for a person.
 */
async function deletedItems(
  api: Pick<ShopApi, 'get'>,
  { id }: z.output<typeof Gone>,
  delivery: string,
  options: WooCommerceOptions,
): Promise<IntakeItem[]> {
  const theirId = String(id)
  // Where no plugin gives another one, its number is its id.
  const value = { orderNo: theirId }
  const gone: IntakeItem = {
    resource: 'cancellations',
    key: `order/${id}/${delivery}/deleted`,
    theirId,
    place: null,
    value,
  }
  try {
    const { value: order } = await api.get(`/orders/${id}`, {}, WholeOrder, AbortSignal.timeout(DELETED_TIMEOUT_MS))
    return await pushedItems({ api, options }, order)
  } catch (error) {
    if (saysCode(error, 'woocommerce_rest_shop_order_invalid_id')) return [gone]
    const why = error instanceof Error ? error.message : String(error)
    return [{ ...gone, faults: [`whether order ${id} is deleted could not be asked (${why}): ${IF_DELETED}`] }]
  }
}

const IF_DELETED =
  'look in the shop. If it is gone, cancel it for the store with DELETE /v1/orders/<its number>, or call the store'

const PAGE = 100

/** How far the next poll looks back behind the newest order that was seen: what was saved late is seen too. Milliseconds. */
const OVERLAP = 2 * 60_000

/** How far the first poll looks back: clocks differ. What is older was there before the shop was connected. */
const FIRST = 10 * 60_000

interface Cursor {
  after: string
  page: number
  refunds: string
}

/**
 * Asks the shop for orders that changed, oldest change first, for webhooks that were lost. The shop's `modified_after` knows
 * seconds and leaves out its bound, so each page begins one second before the last order of the page before.
 */
function createPoll(
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

const PING = /^webhook_id=\d{1,20}$/

/** Whether the shop sent it: `X-WC-Webhook-Signature` is the base64 of HMAC-SHA256 over the raw body. */
function createVerify(secret: string): (request: IntakeRequest) => boolean {
  return (request) => {
    const told = Buffer.from(request.headers['x-wc-webhook-signature'] ?? '', 'base64')
    const right = createHmac('sha256', secret).update(request.body).digest()
    return told.length === right.length && timingSafeEqual(told, right)
  }
}

/**
 * The form that the shop sends to try a new webhook. It has no topic and no signature, so that anybody may send it; it is answered
 * so that the operator who saves the webhook sees no error.
 */
function isPing({ headers, body }: IntakeRequest): boolean {
  return (
    headers['x-wc-webhook-topic'] === undefined && body.length < 40 && PING.test(Buffer.from(body).toString('latin1'))
  )
}

/** A webhook about an account says its role, unlike an order, whose form is that of an account besides. */
const Account = ShopCustomer.extend({ role: z.string() })

/**
 * How the shop hands over its orders, sales and customers: by webhooks, which it sends once and never again, and by being asked
 * for what changed. Null: the operator wants neither.
 */
export function createWooIntake(api: ShopApi, options: WooCommerceOptions, destination: string): Intake | null {
  const { webhookSecret, poll = webhookSecret !== undefined } = options
  if (webhookSecret === undefined && !poll) return null
  return {
    ...(webhookSecret !== undefined && {
      isPing,
      verify: createVerify(webhookSecret),
      read: (request: IntakeRequest) => readWebhook(request, api, options),
    }),
    ...(poll && { poll: createPoll(api, options, { destination }) }),
  }
}

/**
 * The content of a webhook. Its topic is not signed: a body counts only as what its own form shows it to be. Topics besides these are
 * none of ours: an operator may have pointed them here all the same.
 */
async function readWebhook(
  request: IntakeRequest,
  api: Pick<ShopApi, 'get'>,
  options: WooCommerceOptions,
): Promise<IntakeItem[]> {
  const topic = request.headers['x-wc-webhook-topic'] ?? ''
  switch (topic) {
    case 'order.created':
    case 'order.updated':
    case 'order.restored':
      return await pushedItems({ api, options }, readBody(WholeOrder, topic, request))
    case 'order.deleted':
      if (!options.handsOver.includes('orders')) return []
      return await deletedItems(
        api,
        readBody(Gone, topic, request),
        request.headers['x-wc-webhook-delivery-id'] ?? '',
        options,
      )
    case 'customer.created':
    case 'customer.updated':
      return options.handsOver.includes('customers') ? customerItems(readBody(Account, topic, request)) : []
    default:
      return []
  }
}

function readBody<T>(schema: z.ZodType<T>, topic: string, { body }: IntakeRequest): T {
  const result = schema.safeParse(parsed(body, topic))
  if (result.success) return result.data
  const fields = result.error.issues.map(({ path }) => path.join('.') || 'the whole').join(', ')
  throw new Error(`The webhook ${topic} is not as WooCommerce sends it: ${fields}. Is it set to REST API version 3?`)
}

function parsed(body: Uint8Array, topic: string): unknown {
  try {
    return parseWithIds(Buffer.from(body).toString())
  } catch {
    throw new Error(`The webhook ${topic} has no JSON as its body.`)
  }
}
