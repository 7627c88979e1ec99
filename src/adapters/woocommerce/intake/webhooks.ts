import { z } from 'zod'
import { text as fieldText } from '../../../domain/values/field.ts'
import type { Intake, IntakeItem } from '../../../ports/intake.ts'
import { pagesOf, type ShopApi } from '../api.ts'
import { id, list, text } from '../document.ts'
import type { WooCommerceOptions } from '../options.ts'
import { customerItems, ShopCustomer } from './customer.ts'

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
export function createWebhookWatch(
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
        const changed = Date.parse(`${fieldText(one, 'date_modified_gmt') ?? fieldText(one, 'date_created_gmt')}Z`)
        const account = ShopCustomer.safeParse(one)
        if (changed >= since && account.success) items.push(...customerItems(account.data))
      }
    return items
  }
}
