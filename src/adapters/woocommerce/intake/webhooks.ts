import { z } from 'zod'
import { text as fieldText } from '../../../domain/values/field.ts'
import type { IntakeItem } from '../../../ports/intake.ts'
import { pagesOf, type ShopApi } from '../api.ts'
import { id, list, text } from '../document.ts'
import type { WooCommerceOptions } from '../options.ts'
import { customerItems, ShopCustomer } from './customer.ts'

const Listed = list(z.object({ id, name: text, status: text, topic: text, delivery_url: text }))

interface SilentWebhook {
  id: number
  topic: string
  /** `disabled`: WooCommerce turned it off after failed deliveries; `paused`: somebody did. */
  status: 'disabled' | 'paused'
}

/** The webhooks to this destination that the shop does not send (`GET /webhooks`). Only managers of the shop may ask. */
export async function silentWebhooks(api: ShopApi, destination: string, signal: AbortSignal): Promise<SilentWebhook[]> {
  const { value } = await api.get('/webhooks', { per_page: '100', status: 'all' }, Listed, signal)
  return value.flatMap(({ id: number, topic, status, delivery_url }) => {
    const path = delivery_url === null ? null : URL.parse(delivery_url)?.pathname
    if (!path?.endsWith(`/intake/${destination}`) || (status !== 'disabled' && status !== 'paused')) return []
    return [{ id: number, topic: topic ?? 'without topic', status }]
  })
}

export function namedWebhooks(webhooks: readonly SilentWebhook[]): string {
  return webhooks.map(({ id: number, topic }) => `${topic} (${number})`).join(', ')
}

const EVERY = 10 * 60_000

/** How far back accounts are read that a webhook did not say (milliseconds): a webhook that is off longer needs a person before that. */
const BACK = 7 * 86_400_000

const MOST_PAGES = 20

interface Missed {
  items: IntakeItem[]
  problem: string | null
}

/**
 * Looks now and then at whether the shop has turned its webhooks off, which it does after failed deliveries, and for good. Orders and
 * refunds come by the poll all the same; accounts are read here while theirs are off: those that the shop says were made or changed lately.
 */
export function createWebhookWatch(
  api: ShopApi,
  destination: string,
  { handsOver }: Pick<WooCommerceOptions, 'handsOver'>,
  now: () => number,
) {
  let lookedAt = Number.NEGATIVE_INFINITY
  let problem: string | null = null

  return {
    async look(signal: AbortSignal): Promise<Missed> {
      if (now() - lookedAt < EVERY) return { items: [], problem }
      const silent = await silentWebhooks(api, destination, signal).catch(() => [])
      lookedAt = now()
      const disabled = silent.filter(({ status }) => status === 'disabled')
      problem =
        disabled.length === 0
          ? null
          : `WooCommerce has turned off its webhooks after failed deliveries: ${namedWebhooks(disabled)}. Set them to Active under WooCommerce → Settings → Advanced → Webhooks`
      const isCustomers = disabled.some(({ topic }) => topic.startsWith('customer.'))
      return {
        items: isCustomers && handsOver.includes('customers') ? await accounts(signal).catch(() => []) : [],
        problem,
      }
    },
  }

  async function accounts(signal: AbortSignal): Promise<IntakeItem[]> {
    const since = now() - BACK
    const items: IntakeItem[] = []
    const query = { orderby: 'registered_date', order: 'desc' }
    for await (const page of pagesOf(api, '/customers', query, z.unknown(), { signal, most: MOST_PAGES }))
      for (const one of page) {
        const changed = Date.parse(`${fieldText(one, 'date_modified_gmt') ?? fieldText(one, 'date_created_gmt')}Z`)
        const account = ShopCustomer.safeParse(one)
        if (changed >= since && account.success) items.push(...customerItems(account.data))
      }
    return items
  }
}
