import { request } from 'undici'
import type { World } from './world.ts'

/** Puts an order into the shop that no POS knows of, as somebody else would: through the shop's API. Its number. */
export async function orderFromNowhere({ shop, keys }: Pick<World, 'shop' | 'keys'>): Promise<string> {
  const login = Buffer.from(`${keys.SHOP_KEY}:${keys.SHOP_SECRET}`).toString('base64')
  const { statusCode, body } = await request(`${shop.url}/wp-json/wc/v3/orders`, {
    method: 'POST',
    headers: { authorization: `Basic ${login}`, 'content-type': 'application/json' },
    body: JSON.stringify({ fee_lines: [{ name: 'From nowhere', total: '1.00' }] }),
  })
  const answer = (await body.json()) as { number?: string }
  if (statusCode !== 201 || answer.number === undefined) throw new Error(`The shop said ${statusCode} to an order.`)
  return answer.number
}
