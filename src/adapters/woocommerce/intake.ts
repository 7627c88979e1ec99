import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { messageOf, RetryLaterError } from '../../domain/values/errors.ts'
import { text as textOf } from '../../domain/values/field.ts'
import { digestOf } from '../../domain/values/text.ts'
import { parseWithIds } from '../../lib/json.ts'
import type { Intake, IntakeItem, IntakeRequest } from '../../ports/intake.ts'
import { createOrderPoll, formatSeconds } from '../shared/order-poll.ts'
import { lastPage, PAGE_SIZE, pagesOf, type ShopApi, saysCode } from './api.ts'
import { customerItems, ShopCustomer } from './customers.ts'
import { id, list, text } from './document.ts'
import { asksForRefunds, orderItems, statusesOf } from './intake-items.ts'
import type { WooCommerceOptions } from './options.ts'
import { refundsOf } from './orders/refunds.ts'
import { WholeOrder } from './shop-order.ts'

const ANSWER_TIMEOUT_MS = 10_000

const IF_REFUNDED = 'look at its refunds in the shop, and save it there once more, or call the store'
const IF_DELETED =
  'look in the shop. If it is gone, cancel it for the store with DELETE /v1/orders/<its number>, or call the store'

/** Strict: the topic is not signed, so a signed order could be sent under it. */
const Gone = z.strictObject({ id: z.number().int() })

/** An order has the form of an account without a role. */
const Account = ShopCustomer.extend({ role: z.string() })

/** Webhooks and polling; null if neither is configured. */
export function createWooIntake(api: ShopApi, options: WooCommerceOptions, destination: string): Intake | null {
  const { webhookSecret, poll = webhookSecret !== undefined, handsOver } = options
  if (webhookSecret === undefined && !poll) return null
  return {
    ...(webhookSecret !== undefined && { isPing, verify: createVerify(webhookSecret), read: readWebhook }),
    ...(poll && { poll: createPoll() }),
  }

  /** Other topics are ignored. */
  async function readWebhook(request: IntakeRequest): Promise<IntakeItem[]> {
    const topic = request.headers['x-wc-webhook-topic'] ?? ''
    switch (topic) {
      case 'order.created':
      case 'order.updated':
      case 'order.restored':
        return await itemsOf(readBody(WholeOrder, topic, request), null)
      case 'order.deleted':
        if (!handsOver.includes('orders')) return []
        return await deletedItems(readBody(Gone, topic, request), request.headers['x-wc-webhook-delivery-id'] ?? '')
      case 'customer.created':
      case 'customer.updated':
        return handsOver.includes('customers') ? customerItems(readBody(Account, topic, request)) : []
      default:
        return []
    }
  }

  /**
   * A poll throws if the shop may answer later; a webhook, which WooCommerce does not repeat, is quarantined then. An error of one order
   * does not stop the others.
   */
  async function itemsOf(order: WholeOrder, signal: AbortSignal | null): Promise<IntakeItem[]> {
    if (!asksForRefunds(order, options)) return orderItems(order, options)
    try {
      const refunds = await refundsOf({ api }, order, signal ?? AbortSignal.timeout(ANSWER_TIMEOUT_MS))
      return orderItems(order, options, refunds)
    } catch (error) {
      if (signal && error instanceof RetryLaterError && error.code !== 'unreadable-answer') throw error
      const fault = `which pieces of order ${order.number} were refunded could not be asked (${messageOf(error)}): ${IF_REFUNDED}`
      return orderItems(order, options).map((item) => ({ ...item, faults: [fault] }))
    }
  }

  /** Ids of deleted customers and products are signed alike: the shop is asked, and without an answer the deletion is quarantined. */
  async function deletedItems({ id }: z.output<typeof Gone>, delivery: string): Promise<IntakeItem[]> {
    const theirId = String(id)
    const key = `order/${id}/${delivery}/deleted`
    const gone: IntakeItem = { resource: 'cancellations', key, theirId, place: null, value: { orderNo: theirId } }
    try {
      const { value: order } = await api.get(`/orders/${id}`, {}, WholeOrder, AbortSignal.timeout(ANSWER_TIMEOUT_MS))
      return await itemsOf(order, null)
    } catch (error) {
      if (saysCode(error, 'woocommerce_rest_shop_order_invalid_id')) return [gone]
      const fault = `whether order ${id} is deleted could not be asked (${messageOf(error)}): ${IF_DELETED}`
      return [{ ...gone, faults: [fault] }]
    }
  }

  /** `modified_after` has seconds and excludes its bound. A refund dates its order anew (WooCommerce 7.6). */
  function createPoll(): NonNullable<Intake['poll']> {
    const watch = webhookSecret === undefined ? null : createWebhookWatch(api, destination, options)
    const pollOrders = createOrderPoll({
      async read(after, page, signal) {
        const query = {
          modified_after: formatSeconds(after),
          dates_are_gmt: 'true',
          status: statusesOf(options).join(','),
          orderby: 'modified',
          order: 'asc',
          per_page: String(PAGE_SIZE),
          page: String(page),
        }
        const answer = await api.get('/orders', query, z.array(z.unknown()), signal)
        return { orders: answer.value, more: page < lastPage(answer, page) }
      },
      changedAt: (order) => Date.parse(`${textOf(order, 'date_modified_gmt')}Z`),
      itemsOf: listedItems,
    })
    return async (cursor, question) => {
      const page = await pollOrders(cursor, question)
      const watched = page.more ? null : await watch?.(question.signal)
      return { ...page, ...watched, items: [...page.items, ...(watched?.items ?? [])] }
    }
  }

  /** An unreadable order is refused, without `orderNo`; the others go on. */
  async function listedItems(listed: unknown, signal: AbortSignal): Promise<IntakeItem[]> {
    const order = WholeOrder.safeParse(listed)
    if (order.success) return await itemsOf(order.data, signal)
    const theirId = textOf(listed, 'id')
    const unreadable = [...new Set(order.error.issues.map(({ path }) => path.join('.')))]
    const key = `order/${theirId ?? digestOf(listed)}/${textOf(listed, 'date_modified_gmt') ?? ''}/unreadable`
    return [
      { resource: 'orders', key, theirId, place: null, value: { ofTheShop: textOf(listed, 'number'), unreadable } },
    ]
  }
}

const PING = /^webhook_id=\d{1,20}$/

/** Base64 of HMAC-SHA256 over the raw body. */
function createVerify(secret: string): (request: IntakeRequest) => boolean {
  return (request) => {
    const signature = Buffer.from(request.headers['x-wc-webhook-signature'] ?? '', 'base64')
    const right = createHmac('sha256', secret).update(request.body).digest()
    return signature.length === right.length && timingSafeEqual(signature, right)
  }
}

/** WooCommerce tests a new webhook with this unsigned form. */
function isPing({ headers, body }: IntakeRequest): boolean {
  return (
    headers['x-wc-webhook-topic'] === undefined && body.length < 40 && PING.test(Buffer.from(body).toString('latin1'))
  )
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

const Listed = list(z.object({ id, status: text, topic: text, delivery_url: text }))

/** `order.updated (7)`: disabled after failed deliveries. Only a shop manager may list webhooks. */
export async function disabledWebhooks(api: ShopApi, destination: string, signal: AbortSignal): Promise<string[]> {
  const { value } = await api.get('/webhooks', { per_page: '100', status: 'all' }, Listed, signal)
  return value
    .filter(({ status, delivery_url }) => {
      const path = delivery_url === null ? null : URL.parse(delivery_url)?.pathname
      return status === 'disabled' && path?.endsWith(`/intake/${destination}`)
    })
    .map(({ id: number, topic }) => `${topic ?? 'without topic'} (${number})`)
}

const EVERY = 10 * 60_000

/** Milliseconds. */
const BACK = 7 * 86_400_000
const MAX_PAGES = 20

type Watched = Pick<Awaited<ReturnType<NonNullable<Intake['poll']>>>, 'items' | 'problem'>

/** Orders come by the poll; accounts are read here while their webhook is disabled. */
function createWebhookWatch(
  api: ShopApi,
  destination: string,
  { handsOver }: Pick<WooCommerceOptions, 'handsOver'>,
): (signal: AbortSignal) => Promise<Watched> {
  let lookedAt = Number.NEGATIVE_INFINITY
  let problem: Pick<Watched, 'problem'> = {}

  return async (signal) => {
    if (Date.now() - lookedAt < EVERY) return { items: [], ...problem }
    const disabled = await disabledWebhooks(api, destination, signal).catch(() => [])
    lookedAt = Date.now()
    problem =
      disabled.length === 0
        ? {}
        : {
            problem: `WooCommerce has turned off its webhooks after failed deliveries: ${disabled.join(', ')}. Set them to Active under WooCommerce → Settings → Advanced → Webhooks`,
          }
    const isCustomers = handsOver.includes('customers') && disabled.some((webhook) => webhook.startsWith('customer.'))
    return { items: isCustomers ? await accounts(signal).catch(() => []) : [], ...problem }
  }

  async function accounts(signal: AbortSignal): Promise<IntakeItem[]> {
    const since = Date.now() - BACK
    const items: IntakeItem[] = []
    const query = { orderby: 'registered_date', order: 'desc' }
    for await (const page of pagesOf(api, '/customers', query, z.unknown(), { signal, most: MAX_PAGES }))
      for (const one of page) {
        const changed = Date.parse(`${textOf(one, 'date_modified_gmt') ?? textOf(one, 'date_created_gmt')}Z`)
        const account = ShopCustomer.safeParse(one)
        if (changed >= since && account.success) items.push(...customerItems(account.data))
      }
    return items
  }
}
