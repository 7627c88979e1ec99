import { request } from 'undici'
import type { Say } from './day.ts'
import type { World } from './world.ts'

/** One of each trouble that the console has a place for; they stay. */
export async function leaveTroubles(world: World, say: Say): Promise<void> {
  const { hub, platform, texts, bus } = world
  await again(world, 'OmniChannelSendReceiptCreated', ({ recipient, sendReceipt, ...rest }) => {
    for (const { to } of texts.texts()) if (to.endsWith(String(recipient).slice(-8))) texts.refuse(to)
    return { ...rest, channel: 'SMS', recipient, sendReceipt: { ...Object(sendReceipt), receiptNo: 900_001 } }
  })
  // What is taken shows that the other one is refused alone.
  platform.pos.sendReceipt({ channel: 'SMS' })
  await deliver(world, 'StockMovementCreated', { odd: true })
  await again(world, 'SaleCreated', (sale) => ({ ...sale, total: 1 }))
  await again(world, 'POSSettlementCreated', (settlement) => ({
    ...settlement,
    ...{ settlementId: 990_077, batchNumber: '77', vatArea1: settlement.vatTotal },
    paymentTypes: [{ type: 'Card', subType: 'VISA', amount: Number(settlement.grandTotal) - 10 }],
  }))
  platform.actions.printReconciliation({})
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
async function deliver({ platform }: World, kind: string, payload: object): Promise<void> {
  const { url } = platform.subscriptions().find(({ event }) => event === kind) ?? {}
  if (url === undefined) return
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  })
  await body.dump()
  if (statusCode >= 300) throw new Error(`The hub said ${statusCode} to a webhook of ${kind}.`)
}

type Payload = Record<string, unknown>

/** Sends the newest event of a kind once more, with other content. */
async function again(world: World, kind: string, change: (payload: Payload) => Payload): Promise<void> {
  const isMeant = (payload: Payload) => payload.channel === undefined || payload.channel === 'SMS'
  const sent = world.platform.events().filter((event) => event.kind === kind)
  const newest = sent.map(({ payload }) => payload as Payload).findLast(isMeant)
  if (newest) await deliver(world, kind, change(newest))
}
