import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { parseWithIds } from '../../../lib/exact-json.ts'
import type { Intake, IntakeItem, IntakeRequest } from '../../../ports/intake.ts'
import type { ShopApi } from '../api.ts'
import type { WooCommerceOptions } from '../options.ts'
import { saysCode } from '../says-code.ts'
import { pushedItems } from './asked-items.ts'
import { customerItems, ShopCustomer } from './customer.ts'
import { WholeOrder } from './order.ts'
import { createPoll } from './poll.ts'

/**
 * The shop says no more of what is gone than its id. Exactly this: the shop signs the body alone, so that whoever has a signed
 * order could send it again under this topic.
 */
const Gone = z.strictObject({ id: z.number().int() })

/** How long the shop may take to answer (milliseconds): it waits a minute for its webhook to be taken. */
const WITHIN = 10_000

const WHAT_TO_DO =
  'look in the shop. If it is gone, cancel it for the store with DELETE /v1/orders/<its number>, or call the store'

const PING = /^webhook_id=\d{1,20}$/

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

/** Names the fields that are wrong, never what is in them. */
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
    const { value: order } = await api.get(`/orders/${id}`, {}, WholeOrder, AbortSignal.timeout(WITHIN))
    return await pushedItems({ api, options }, order)
  } catch (error) {
    if (saysCode(error, 'woocommerce_rest_shop_order_invalid_id')) return [gone]
    const why = error instanceof Error ? error.message : String(error)
    return [{ ...gone, faults: [`whether order ${id} is deleted could not be asked (${why}): ${WHAT_TO_DO}`] }]
  }
}
