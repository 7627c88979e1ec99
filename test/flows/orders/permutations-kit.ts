import Database from 'better-sqlite3'
import type { ShopOrder } from '../../../sandbox/shop/shop.ts'
import { eventually } from '../../eventually.ts'
import type { TestHub } from '../../hub.ts'
import { givenPlatform, HEADERS, startReceiver, subscribe } from '../../sandbox/platform/given.ts'
import { permutations, someOrders } from './any-order-given.ts'
import { fateOf } from './online-given.ts'
import { ARTICLES, type Recorded, startWithOrders, type WithOrders } from './order-given.ts'
import { type End, isOfPos, type Scenario } from './permutations-given.ts'

/** How messages come; `retried`: a person tries everything of the order again after the second one. */
export const MODES = ['one by one', 'in a burst', 'doubled', 'retried'] as const
export type Mode = (typeof MODES)[number]

const KINDS = ['OmniChannelOrderUpdated', 'OmniChannelOrderFulfilled', 'OmniChannelOrderRefundUpdated']

/** How long the hub may take for all orders of a story (milliseconds). */
const LONG = 120_000

/** The platform whose staff works on the orders; what it says of them, it keeps. */
async function startVerifier({ act, ship = false, paid, reserves }: Scenario) {
  await using opened = new AsyncDisposableStack()
  const platform = opened.use(await givenPlatform({ seedCatalogue: false }))
  const receiver = opened.use(await startReceiver())
  const kinds = reserves ? [...KINDS, 'StockReservationExpired'] : KINDS
  for (const kind of kinds) await subscribe(platform, kind, `${receiver.url}${kind}`)
  const open = opened.move()
  return {
    platform,
    /** What it tells of an order with which staff does something. */
    async reported(number: string): Promise<Recorded[]> {
      if (!act) return []
      const before = receiver.bodies.length
      platform.actions.placeOrder({ lines: ARTICLES, orderNo: number, ship, paid: paid === undefined })
      act(platform.actions, number)
      await platform.settled()
      return receiver.bodies
        .slice(before)
        .map((body, index) => ({ kind: (receiver.paths[before + index] ?? '').slice(1), body: JSON.stringify(body) }))
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Plays a story in every order in which its messages can come (or in some), of orders of its own each time; gives every end that there is. */
export async function endsOf(
  scenario: Scenario,
  mode: Mode,
  { readable, orders = 'all' }: { readable: boolean; orders?: 'all' | 'some' },
): Promise<{ played: number; ends: { end: End[]; orders: string[] }[] }> {
  await using verifier = await startVerifier(scenario)
  const platform = {
    baseUrl: verifier.platform.apiUrl,
    apiKey: HEADERS['x-api-key'],
    subscriptionKey: HEADERS['ocp-apim-subscription-key'],
    trustWebhooks: false,
  }
  await using world = await startWithOrders(readable ? { config: { platform } } : {})
  const { paid } = scenario
  let numbers = 0
  async function begin(): Promise<{ number: string; events: Recorded[] }> {
    numbers += 1
    const placed = { lines: ARTICLES, ...(paid !== undefined && paid !== 'none' && { payment: paid }) }
    const number = paid === 'none' ? `EA-${numbers}` : (await world.shop.placeOrder(placed)).number
    return { number, events: [...(await verifier.reported(number)), ...(scenario.built?.(number) ?? [])] }
  }
  const first = await begin()
  const indexes = [...first.events.keys()]
  const turns = orders === 'all' ? permutations(indexes) : someOrders(indexes)
  const played: { number: string; messages: Recorded[] }[] = []
  for (const [turn, inOrder] of turns.entries()) {
    const { number, events } = turn === 0 ? first : await begin()
    played.push({ number, messages: inOrder.flatMap((index) => events[index] ?? []) })
  }
  await eventually(() => isOver(world.hub), LONG)
  const rounds = first.events.length
  if (mode === 'one by one')
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(played.map(({ number, messages }) => tell(world.hub, number, messages, round, mode)))
      await eventually(() => isQuiet(world.hub), LONG)
    }
  else
    await Promise.all(
      played.map(async ({ number, messages }) => {
        for (let round = 0; round < rounds; round += 1) await tell(world.hub, number, messages, round, mode)
      }),
    )
  await eventually(() => isOver(world.hub), LONG)

  const found = Map.groupBy(played, ({ number }) => JSON.stringify(endOf(world, number)))
  const ends = [...found].map(([end, those]) => ({
    end: JSON.parse(end) as End[],
    orders: those.map(({ messages }) => messages.map(shortly).join(', ')),
  }))
  return { played: played.length, ends }
}

async function tell(hub: TestHub, number: string, messages: readonly Recorded[], round: number, mode: Mode) {
  const message = messages[round]
  if (!message)
    throw new Error(`The order ${number} has no message ${round}: its story is another than the first one’s.`)
  const name = `${number}-${round}`
  const names = mode === 'doubled' ? [name, name, `${name}-again`] : [name]
  for (const eventId of names) {
    const { status } = await hub.post(message.kind, message.body, { eventId })
    if (status >= 300) throw new Error(`The hub answered ${status} to ${shortly(message)}.`)
  }
  if (mode !== 'retried' || round !== 1) return
  const { status, text } = await hub.admin('deliveries/retry', { filter: { entity: `order:${number}` } })
  if (status !== 200) throw new Error(`The retry was answered ${status}: ${text}`)
}

/** A message, as a person who reads what differs needs it. */
function shortly({ kind, body }: Recorded): string {
  const { order, refund, reservation } = JSON.parse(body) as Record<string, { status?: string; isRefunded?: boolean }>
  const word = order?.status ?? refund?.status ?? reservation?.status ?? ''
  return `${kind.replace('OmniChannel', '')} ${word}${refund ? ` ${refund.isRefunded}` : ''}`.trim()
}

function endOf({ hub, shop }: WithOrders, number: string): End[] {
  const orders = shop.orders()
  const web = orders.find((one) => one.number === number && !isOfPos(number, one))
  const pos = orders.filter((one) => isOfPos(number, one))
  const left = leftOf(hub, number)
  return [...(web ? [web] : []), ...pos].map((order, index) => ({ ...shown(order), left: index === 0 ? left : [] }))
}

function shown(order: ShopOrder): Omit<End, 'left'> {
  const paidBack = order.refunds.filter((one) => one.paidBack).map(({ amount }) => Number(amount))
  return {
    ...fateOf(order),
    total: order.total,
    money: paidBack.reduce((sum, amount) => sum + amount, 0).toFixed(2),
    reported: order.reported.filter((text) => !text.includes('ready')).length,
    parcels: order.notes.filter((note) => note.startsWith('Parcel ')).length,
  }
}

interface NewDelivery {
  entity: string | null
  flow: string
  state: string
  code: string | null
  due: number
}

function pendingIn({ file }: TestHub): NewDelivery[] {
  const db = new Database(file, { readonly: true })
  try {
    return db
      .prepare<[], NewDelivery>(
        `select coalesce(d.entity, 'event ' || d.id) as entity, d.flow, d.state, d.code, d.due_at as due
         from deliveries d where d.state in ('waiting', 'claimed', 'held') order by d.event_id, d.id`,
      )
      .all()
  } finally {
    db.close()
  }
}

/** Those that stand first in their line: the others wait for them. */
function firstOfEach(hub: TestHub): NewDelivery[] {
  return [...Map.groupBy(pendingIn(hub), ({ entity }) => entity).values()].flatMap(([first]) => first ?? [])
}

/** Nothing is under way, and nothing is due now. */
function isQuiet(hub: TestHub): boolean {
  const now = Date.now()
  return firstOfEach(hub).every(({ state, due }) => state === 'held' || (state === 'waiting' && due > now))
}

function isOver(hub: TestHub): boolean {
  return firstOfEach(hub).every(({ state }) => state === 'held')
}

/** What of an order is not done, by flow, state and code. */
function leftOf({ file }: TestHub, number: string): string[] {
  const db = new Database(file, { readonly: true })
  try {
    const rows = db
      .prepare<[string, string], string>(
        `select distinct d.flow || ' ' || d.state || ' ' || coalesce(d.code, '') from deliveries d
         join events e on e.id = d.event_id
         where d.state in ('waiting', 'claimed', 'held', 'dead') and (d.entity = ? or (d.entity is null and e.entity = ?))`,
      )
      .pluck()
      .all(`order:${number}`, `order:${number}`)
    return rows.toSorted()
  } finally {
    db.close()
  }
}
