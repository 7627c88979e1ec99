import { request } from 'undici'
import type { Effects } from '../../../../sandbox/demo/reconcile.ts'
import type { WorldAtSpeed } from './world-at-speed.ts'

/** Stocks of the stores that are open, by the platform's ids. */
const STOCKS = ['12', '13', '21']

interface Listed {
  OrderId: number
  TotalReceivedQty: number
  Completed: boolean
}

interface Mirrored {
  id: string
  isCompleted: boolean
  lines: { received: string | null }[]
}

/** Deliveries as they stand: what was received of each by the platform's own list, and by the hub's mirror. */
export async function countDeliveries({ platform, hub, keys }: WorldAtSpeed): Promise<Effects> {
  const headers = { 'x-api-key': keys.PLATFORM_API_KEY, 'ocp-apim-subscription-key': keys.PLATFORM_SUBSCRIPTION_KEY }
  const lists = await Promise.all(
    STOCKS.map(async (id) => {
      const { body } = await request(`${platform.portalUrl}/api/GetOrdersV3?stockid=${id}`, { headers })
      return (await body.json()) as Listed[]
    }),
  )
  const { key } = await hub.admin<{ key: string }>('keys', { system: 'soak', may: 'read:*' })
  const { body } = await request(`${hub.url}/v1/goods-deliveries`, {
    headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' },
  })
  const rows = (await body.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const mirrored: Mirrored[] = rows.filter(({ end }) => end !== true)
  return {
    name: 'deliveries, mirror and platform',
    expected: lists.flat().map((one) => `${one.OrderId} ${one.TotalReceivedQty} ${one.Completed}`),
    counted: mirrored.map(({ id, lines, isCompleted }) => {
      const received = lines.reduce((sum, line) => sum + Number(line.received ?? 0), 0)
      return `${id} ${received} ${isCompleted}`
    }),
  }
}
