import { setTimeout as sleep } from 'node:timers/promises'
import { bringBack, execute, layReady, orderOnline, type PlacedOnline } from './online.ts'
import { recover } from './recover.ts'
import { type Settled, settlePos } from './settle.ts'
import type { World } from './world.ts'

/** Told what happens now: one short line. */
export type Say = (line: string) => void

export interface Twist {
  /** Kills the hub in the middle of the rush. */
  kill: boolean
}

/** How the source to the hub treats webhooks while the shop is open. */
const ROAD = { duplicate: 0.08, drop: 0.08, delay: 0.08, delayMs: 1_500 }

/** Sales of the rush, all at once. */
const RUSH = 500

/** Orders that the online shop gets. */
const ONLINE = 21

/** The hub's own word that nothing is left to do is waited for so long (milliseconds). */
const TIMEOUT_MS = 60_000

/** Deeds of the day besides what the POS log says. */
export interface DayDone {
  placed: PlacedOnline[]
  settled: Settled[]
}

/** Plays a store's day on the POS, and waits until the hub has done everything about it. */
export async function playDay(world: World, { kill }: Twist, say: Say): Promise<DayDone> {
  const { platform } = world
  say(`The hub has subscribed to ${await subscribed(world)} kinds of events by itself.`)
  platform.faults.set(ROAD)

  trade(world, 30)
  say(
    'Morning: sales, orders for the online shop, receipts and stock movements. Some webhooks come twice, late, or never.',
  )
  platform.burst(RUSH)
  say(`Noon: a rush of ${RUSH} sales at once.`)
  if (kill) {
    await until(() => world.bus.events().length > RUSH / 4, 'the rush')
    say('kill -9 of the hub, in the middle of the rush.')
    await world.hub.killAndRestart()
    say('The hub is back, on the same file.')
  }
  trade(world, 20)
  say('Afternoon: the rest of the day.')
  await platform.settled()
  platform.faults.set({})

  const placed = await playOnline(world, kill, say)

  platform.faults.set(ROAD)
  const settled = settlePos(world)
  await platform.settled()
  platform.faults.set({})
  const journals = platform.isShown('POSSettlementCreated')
    ? "What they took becomes journals in the ERP's files."
    : 'What is in that event is shown nowhere: it is held, and the settlements are pulled when the day is over.'
  say(`The stores close: ${settled.length} POS are settled. ${journals}`)

  const { sentAgain, hadArrived } = await recover(world)
  // The job runs each minute otherwise: a shop turns its webhooks off when nobody answers them for a while.
  await world.hub.admin('jobs/shop-orders/run', {})
  const by = platform.dialect === 'spec' ? "by the platform's staff" : "from the platform's event log"
  say(`Evening: ${sentAgain} webhooks were lost on the way, and were sent again ${by}.`)
  if (hadArrived > 0) say(`${hadArrived} more had arrived; only the hub's answer was lost.`)
  await until(() => isIdle(world), 'the hub to be done')
  await world.hub.admin('jobs/sales-lines/run', {})
  await until(() => isIdle(world), 'the sales lines')
  return { placed, settled }
}

/** Online orders, from the shop to stores and back; the source loses some of what the stores tell. */
async function playOnline(world: World, kill: boolean, say: Say): Promise<PlacedOnline[]> {
  const { platform } = world
  const placed = await orderOnline(world, ONLINE)
  const forStores = placed.filter(({ plan }) => plan !== 'web').length
  await until(() => platform.onlineOrders().length === forStores, 'the orders to be in the stores')
  say(`${ONLINE} customers order online; ${forStores} of the orders are in their stores by now.`)
  layReady(world, placed)
  if (kill) {
    await world.hub.killAndRestart()
    say('kill -9 again, while stores lay orders ready. The hub is back.')
  }
  await recover(world)
  await until(() => isIdle(world), 'customers to be told')

  platform.faults.set(ROAD)
  await execute(world, placed)
  const found = await bringBack(world, placed)
  say(
    `Orders are fetched, declined, sent, not fetched in time; ${found} come back, and the POS finds them in the shop.`,
  )
  await platform.settled()
  platform.faults.set({})
  return placed
}

/** A customer after the other: by turns they buy, order, want a receipt; goods are moved. */
function trade({ platform: { pos } }: World, customers: number): void {
  for (let customer = 0; customer < customers; customer++) {
    pos.sell({})
    if (customer % 3 === 0) pos.endlessAisle({ unknownLine: customer % 9 === 0 })
    if (customer % 2 === 0) pos.sendReceipt({ channel: 'Email' })
    if (customer % 4 === 1) pos.sendReceipt({ channel: 'SMS' })
    if (customer % 5 === 0) pos.moveStock({})
  }
}

async function subscribed({ platform }: World): Promise<number> {
  await until(
    () => platform.subscriptions().length > 0 && platform.subscriptions().length >= platform.kinds().length,
    'the subscriptions',
  )
  return platform.subscriptions().length
}

async function isIdle({ hub }: World): Promise<boolean> {
  const { destinations } = await hub.admin<{ destinations: { waiting: number; inFlight: number }[] }>('status')
  return destinations.every(({ waiting, inFlight }) => waiting === 0 && inFlight === 0)
}

async function until(state: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  while (!(await state())) {
    if (performance.now() > deadline) throw new Error(`Waited ${TIMEOUT_MS / 1000} s for ${what}, in vain.`)
    await sleep(50)
  }
}
