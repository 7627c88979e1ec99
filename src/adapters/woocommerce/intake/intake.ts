import { z } from 'zod'
import { parseWithIds } from '../../../lib/exact-json.ts'
import type { Intake, IntakeItem, IntakeRequest } from '../../../ports/intake.ts'
import type { ShopApi } from '../api.ts'
import type { WooCommerceOptions } from '../options.ts'
import { pushedItems } from './asked-items.ts'
import { customerItems, ShopCustomer } from './customer.ts'
import { deletedItems, Gone } from './deleted.ts'
import { WholeOrder } from './order.ts'
import { createPoll } from './poll.ts'
import { createVerify, isPing } from './verify.ts'

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
