import { z } from 'zod'
import type { ShopApi } from '../api.ts'
import { id, list, text } from '../document.ts'

const Listed = list(z.object({ id, name: text, status: text, topic: text, delivery_url: text }))

/** A webhook of the shop that goes to the hub, and that the shop does not send. */
export interface SilentWebhook {
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

/** `order.updated (3), customer.created (4)` */
export function namedWebhooks(webhooks: readonly SilentWebhook[]): string {
  return webhooks.map(({ id: number, topic }) => `${topic} (${number})`).join(', ')
}
