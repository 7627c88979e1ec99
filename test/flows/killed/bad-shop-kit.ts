import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { request } from 'undici'
import { expect } from 'vitest'
import { ROOT } from '../../../sandbox/demo/start-flags.ts'
import { createRandom, pick, type Random } from '../../../sandbox/platform/seed/random.ts'
import { type Door, openDoor } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import { open, openStoreWithProcess, type StoreWithProcess } from './killed-kit.ts'

/** What goes wrong with a request: done without an answer, or nothing is done, and this status is the answer. */
type Spoilt = 'silent' | 500 | 429

/* The real process is killed with -9 again and again, before a shop that is silent, fails and refuses. */

interface BadShopPlan {
  kills: number
  /** Orders of POS and of the shop's own customers together. */
  orders: number
  /** How many of the shop's requests meet each fault: fractions. */
  shares: Record<Spoilt, number>
  /** How long the process lives before it is killed (milliseconds). */
  lives: { from: number; to: number }
  /** After the faults: ten minutes as they are, or a hub whose clock goes on by them. */
  after: 'waits' | 'clock goes on'
}

/** What came of it, counted at the shop, at the platform and in the hub. */
interface BadShopVerdict {
  seed: number
  kills: number
  orders: number
  spoilt: Record<Spoilt, number>
  /** How long after the faults nothing waited any more, or was waited for in vain (seconds). */
  quietAfter: number
  waiting: string[]
  /** What a POS, a store or a customer did, and the shop has not; what the shop has, and nobody did, or not so often. */
  missing: string[]
  tooMuch: string[]
  /** Events that the hub has never, or more than once. */
  eventsMissing: string[]
  eventsTwice: string[]
  dead: string[]
  held: string[]
}

/** What a verdict says where every promise was kept. */
export const NOTHING_WRONG = {
  waiting: [],
  missing: [],
  tooMuch: [],
  eventsMissing: [],
  eventsTwice: [],
  dead: [],
  held: [],
}

const TEN_MINUTES = 600_000
/** How long a machine may take for what is due now (milliseconds). */
const BATCH_SIZE = 180_000
const CLOCK = pathToFileURL(join(ROOT, 'test/kill/wrong-clock.mjs')).href
/** Of what happens in a hub's life, so much happens while it is dead. */
const WHILE_DEAD = 0.2

/** Kills the hub while orders come in, lets the faults end, and counts. `TILLBRIDGE_SEED` repeats what can be repeated. */
export async function killBeforeBadShop(plan: BadShopPlan): Promise<BadShopVerdict> {
  const seed = Number(process.env.TILLBRIDGE_SEED ?? Date.now() % 1_000_000)
  process.stdout.write(`seed ${seed}\n`)
  // One for each, so that the moments of the kills do not hang on what the hub asks of the shop.
  const [acting, killing, spoiling] = [createRandom(seed), createRandom(seed + 1), createRandom(seed + 2)]
  await using opened = new AsyncDisposableStack()
  let door: Door | undefined
  const storage = opened.use(
    await openStoreWithProcess(async ({ url }) => {
      door = opened.use(await openDoor(url))
      return door.url
      // Here a connection breaks, and no call hangs: a busy machine must not look like a bad shop.
    }, null),
  )
  if (door === undefined) throw new Error('The hub was started without a door before the shop.')
  const spoilt: BadShopVerdict['spoilt'] = { silent: 0, 500: 0, 429: 0 }
  door.judge = () => {
    const fault = faultOf(spoiling, plan.shares)
    if (fault !== null) spoilt[fault] += 1
    return typeof fault === 'number' ? { status: fault } : fault
  }

  const stories = await tellStories(storage, plan.orders)
  await liveAndDie(storage, stories, plan, acting, killing)
  door.judge = () => null
  const quietAfter = await untilQuiet(storage, plan.after)

  const { missing, extra: tooMuch } = compare(expectedOf(storage, stories), foundIn(storage, stories))
  const events = compare(await eventIdsOf(storage), await eventIdsIn(storage))
  const waiting = await remainder(storage, 'waiting')
  const [dead, held] = [await remainder(storage, 'dead'), await remainder(storage, 'held')]
  const { kills, orders } = plan
  const counted = { missing, tooMuch, eventsMissing: events.missing, eventsTwice: events.extra }
  return { seed, kills, orders, spoilt, quietAfter, waiting, ...counted, dead, held }
}

function faultOf(random: Random, shares: BadShopPlan['shares']): Spoilt | null {
  const thrown = random()
  if (thrown < shares.silent) return 'silent'
  if (thrown < shares.silent + shares[500]) return 500
  return thrown < shares.silent + shares[500] + shares[429] ? 429 : null
}

/** Life after life: some of what is left happens while the hub lives, some while it is dead, and is sent again. */
async function liveAndDie(
  storage: StoreWithProcess,
  stories: readonly BadShopStory[],
  { kills, lives }: BadShopPlan,
  acting: Random,
  killing: Random,
): Promise<void> {
  let left = stories.reduce((sum, { acts }) => sum + acts.length, 0)
  const act = () => {
    const story = pick(
      acting,
      stories.filter(({ acts }) => acts.length > 0),
    )
    story.acts.shift()?.()
    left -= 1
  }
  for (let kill = 0; kill < kills; kill++) {
    const share = Math.ceil(left / (kills - kill))
    const whileDead = Math.floor(share * WHILE_DEAD)
    const life = lives.from + killing() * (lives.to - lives.from)
    for (let done = whileDead; done < share; done++) {
      act()
      await pause(life / (share - whileDead))
    }
    const back = storage.hub.killAndRestart()
    for (let done = 0; done < whileDead; done++) act()
    await back
    await sendAgain(storage)
  }
}

/** Gives how long it took (seconds), the ten minutes of a clock that goes on not counted. */
async function untilQuiet(storage: StoreWithProcess, after: BadShopPlan['after']): Promise<number> {
  const { platform, hub } = storage
  const from = performance.now()
  if (after === 'clock goes on')
    await hub.killAndRestart({ NODE_OPTIONS: `--import ${CLOCK}`, CLOCK_OFF: String(TEN_MINUTES) })
  await eventually(async () => {
    await sendAgain(storage)
    expect(platform.failed()).toBe(0)
  }, BATCH_SIZE)
  // In vain or not, the verdict says what there is.
  const patience = after === 'waits' ? TEN_MINUTES : BATCH_SIZE
  await eventually(async () => (await open(hub)) === 0, patience).catch(() => undefined)
  return Math.round((performance.now() - from) / 100) / 10
}

/** Each event that got no 2xx, by the platform's own button: the hub may have it all the same. */
async function sendAgain({ platform, env }: StoreWithProcess): Promise<void> {
  await platform.settled()
  for (const { id } of platform.subscriptions())
    for (const { webhookEventId } of await logOf({ platform, env }, id, '&success=false'))
      await ask({ platform, env }, 'POST', `WebhooksEvents/${id}/deliver/${webhookEventId}`)
}

async function eventIdsOf({ platform, env }: StoreWithProcess): Promise<string[]> {
  const ids: string[] = []
  for (const { id } of platform.subscriptions())
    ids.push(...(await logOf({ platform, env }, id)).map(({ webhookEventId }) => webhookEventId))
  return ids
}

type Asked = Pick<StoreWithProcess, 'platform' | 'env'>

async function logOf(asked: Asked, subscription: string, more = ''): Promise<{ webhookEventId: string }[]> {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const path = `WebhooksEvents/${subscription}?from=${day(1)}&to=${day(0)}${more}`
  return (await ask(asked, 'GET', path)) as { webhookEventId: string }[]
}

async function ask({ platform, env }: Asked, method: 'GET' | 'POST', path: string): Promise<unknown> {
  const headers = { 'x-api-key': env.PLATFORM_API_KEY, 'Ocp-Apim-Subscription-Key': env.PLATFORM_SUBSCRIPTION_KEY }
  const { statusCode, body } = await request(`${platform.portalUrl}/api/${path}`, { method, headers })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`The platform said ${statusCode} to ${method} ${path}: ${text}`)
  return JSON.parse(text)
}

/** The ids of all events of the platform that the hub has; one without an id by what it is and the source that it came. */
async function eventIdsIn({ hub }: StoreWithProcess): Promise<string[]> {
  interface Row {
    id: number
    kind: string
    identity: string | null
    origin: string
    subscription: string | null
    transportKey: string | null
  }
  const ids: string[] = []
  for (let before = ''; ; ) {
    const { events } = await hub.admin<{ events: Row[] }>(`events?limit=500${before}`)
    const last = events.at(-1)
    if (last === undefined) return ids
    const own = events.filter(({ origin }) => origin === 'platform')
    ids.push(
      ...own.map(
        ({ kind, identity, subscription, transportKey }) => transportKey ?? `${kind} ${identity} ${subscription}`,
      ),
    )
    before = `&before=${last.id}`
  }
}

interface Remainder {
  id: number
  flow: string
  entity: string
  tries: number
  why: string | null
  dueAt: number
}

async function remainder({ hub }: StoreWithProcess, state: 'waiting' | 'dead' | 'held'): Promise<string[]> {
  const path = `deliveries?state=${state}&limit=500`
  const { deliveries } = await hub.admin<{ deliveries: Remainder[] }>(path)
  return await Promise.all(
    deliveries.map(async ({ id, flow, entity, tries, why, dueAt }) => {
      const { attempts } = await hub.admin<{ attempts: { at: number; outcome: string; code: string }[] }>(
        `deliveries/${id}`,
      )
      const tried = attempts.map((one) => `${minute(one.at)} ${one.outcome} ${one.code}`).join(', ')
      return `${id} ${flow} ${entity} (${tries}; ${tried}; due ${minute(dueAt)}; now ${minute(Date.now())}): ${why}`
    }),
  )
}

function minute(instant: number): string {
  return new Date(instant).toISOString().slice(11, 19)
}

/** What is wanted and not found, and what is found and not wanted, each as often as that. */
function compare(wanted: readonly string[], found: readonly string[]): { missing: string[]; extra: string[] } {
  return { missing: without(wanted, found), extra: without(found, wanted) }
}

function without(all: readonly string[], some: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const one of some) counts.set(one, (counts.get(one) ?? 0) + 1)
  return all.filter((one) => {
    const count = counts.get(one) ?? 0
    counts.set(one, count - 1)
    return count <= 0
  })
}

/** One order, and what is still to happen to it, in order. */
interface BadShopStory {
  plan: (typeof PLANS)[number]
  /** Of an order of the shop: its number there. */
  number: string | null
  acts: (() => void)[]
}

/** One after the other: half of the orders are sold at POS. */
const PLANS = ['aisle', 'collect', 'aisle', 'decline', 'aisle', 'return', 'aisle', 'return-paid'] as const

const BASKET = [
  { sku: 'TEE-BLK-M', quantity: 2 },
  { sku: 'SOCKS-GRY', quantity: 1 },
]
/** Where a line is declined or comes back, it is this one. */
const SOCKS = 'SOCKS-GRY'

/** What happens to so many orders. Those of the shop are in the shop already; nothing else has happened yet. */
async function tellStories(storage: StoreWithProcess, many: number): Promise<BadShopStory[]> {
  const stories: BadShopStory[] = []
  for (let turn = 0; turn < many; turn++) {
    const plan = PLANS[turn % PLANS.length] ?? 'aisle'
    const number = plan === 'aisle' ? null : (await storage.shop.placeOrder({ lines: BASKET })).number
    stories.push({ plan, number, acts: number === null ? [() => sell(storage)] : actsOn(storage, number, plan) })
  }
  return stories
}

function sell({ platform }: StoreWithProcess): void {
  platform.pos.endlessAisle({ lines: [{ sku: 'TEE-BLK-M' }] })
}

function actsOn({ platform: { actions } }: StoreWithProcess, orderNo: string, plan: BadShopStory['plan']) {
  return [
    () => actions.placeOrder({ orderNo, lines: BASKET }),
    () => actions.pickOrder({ orderNo }),
    ...(plan === 'decline' ? [() => actions.declineOrder({ orderNo, sku: SOCKS })] : []),
    () => actions.collectOrder({ orderNo }),
    ...(plan === 'return' ? [() => actions.returnOrder({ orderNo, sku: SOCKS, isRefunded: false })] : []),
    ...(plan === 'return-paid' ? [() => actions.returnOrder({ orderNo, sku: SOCKS, isRefunded: true })] : []),
  ]
}

/** What the shop must have, by the books of the POS and of the stores; the hub is not asked. */
function expectedOf({ platform }: StoreWithProcess, stories: readonly BadShopStory[]): string[] {
  const deeds = platform.orderDeeds()
  const aisle = platform.posLog().filter(({ what }) => what === 'endless-aisle')
  if (aisle.length !== stories.filter(({ number }) => number === null).length) throw new Error('Not all was sold.')
  return [
    ...aisle.map(({ txRef, onlineTotal, currency }) => `order ${txRef} ${onlineTotal} ${currency} paid`),
    ...deeds.flatMap(({ what, orderNo, isRefunded }) => {
      if (what === 'collected') return [`${orderNo} captured`]
      if (what === 'declined') return [`${orderNo} 1 ${SOCKS} paid back`]
      return what === 'returned' ? [`${orderNo} 1 ${SOCKS} ${isRefunded ? 'noted' : 'paid back'}`] : []
    }),
  ]
}

/** The same, as the shop has it: each order, each time that one became completed, each line that was refunded. */
function foundIn({ shop }: StoreWithProcess, stories: readonly BadShopStory[]): string[] {
  const placed = new Set(stories.map(({ number }) => number))
  return shop.orders().flatMap(({ number, transactionId, total, currency, datePaid, notes, refunds, lines }) => {
    if (!placed.has(number))
      return [`order ${transactionId} ${total} ${currency} ${datePaid === null ? 'unpaid' : 'paid'}`]
    const captured = notes.filter((note) => note.endsWith('to Completed.')).map(() => `${number} captured`)
    const back = refunds.flatMap(({ paidBack, lines: goods }) =>
      goods.map(({ lineId, quantity }) => {
        const sku = lines.find(({ id }) => id === lineId)?.sku
        return `${number} ${Math.abs(quantity)} ${sku} ${paidBack ? 'paid back' : 'noted'}`
      }),
    )
    return [...captured, ...back]
  })
}
