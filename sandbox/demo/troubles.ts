import { request } from 'undici'
import type { Say } from './day.ts'
import type { World } from './world.ts'

/** One of each trouble that the console has a place for; they stay. */
export async function leaveTroubles(world: World, say: Say): Promise<void> {
  const { hub, platform, texts, bus } = world
  const number = '+4790000000'
  texts.refuse(number)
  platform.pos.sendReceipt({ channel: 'SMS', recipient: number })
  await deliver(world, 'StockMovementCreated', { odd: true })
  await change(world, 'SaleCreated', (sale) => ({ ...sale, total: 1, Total: 1 }))
  await change(world, 'POSSettlementCreated', (settlement) => ({
    ...settlement,
    SettlementId: '77000000-0000-4000-8000-000000000077',
    NetTotal: 1,
  }))
  platform.pos.printReconciliation({ store: '101' })
  platform.faults.set({ drop: 1 })
  for (let sale = 0; sale < 3; sale++) platform.pos.sell({})
  await platform.settled()
  platform.faults.set({})
  await hub.admin('jobs/reconcile-log/run', {})
  bus.down(true)
  for (let sale = 0; sale < 5; sale++) platform.pos.sell({})
  await platform.settled()
  await hub.admin('destinations/mail/pause', { reason: 'the mail server moves tonight' })
  say(
    'Troubles are left: a number that the phone refuses, an event that cannot be read, one that contradicts another, a settlement that does not balance, an event that nobody wants, sales that were lost on the way, a bus that is down, and mail that is paused.',
  )
}

/** As the platform sends it. */
async function deliver({ hub, webhookToken }: World, kind: string, payload: object): Promise<void> {
  const { statusCode, body } = await request(`${hub.url}/webhooks/${kind}?token=${webhookToken}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  })
  await body.dump()
  if (statusCode >= 300) throw new Error(`The hub said ${statusCode} to a webhook of ${kind}.`)
}

/** Sends the newest event of a kind once more, with other content. */
async function change(world: World, kind: string, change: (payload: object) => object): Promise<void> {
  const newest = world.platform.events().findLast((event) => event.kind === kind)
  if (newest) await deliver(world, kind, change(newest.payload as object))
}
