import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { orderUpdate, sale } from '../fixtures/payloads.ts'
import { createFolder } from '../hub.ts'
import { startEffectSink } from '../kill/effects.ts'
import { destinationsOf, ENTRY, heldOf, judge } from '../kill/harness.ts'
import { type HubProcess, startHubProcess } from '../kill/hub-process.ts'
import { tell } from '../kill/tell.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../storage/postgres/schema.ts'
import { startOrderSink } from './order-sink.ts'

/* Three hubs on one PostgreSQL, and everything that happens to hubs. */

const ORDERS = 36
const SENDERS = 6
/** A claim lasts twice the time of a call, which is a second here: who stands still for longer has lost it. */
const STANDSTILL = 13_000
const TEN_MINUTES = 10 * 60_000

test.skipIf(SERVER === undefined)(
  `When three hubs share a store, each event comes to two of them at once, one is killed, one stands still for longer than a lease, and clocks are wrong, then every promise holds (${SERVER ? 'PostgreSQL' : NO_SERVER})`,
  async () => {
    await using folder = await createFolder()
    await using schema = await temporarySchema()
    let answer = 0
    await using effects = await startEffectSink(() => ++answer % 25 === 0)
    await using orders = await startOrderSink()
    const start = (name: string, clockOff: number) =>
      startHubProcess({
        folder: folder.path,
        entry: ENTRY,
        name,
        store: schema.url,
        clockOff,
        destinations: {
          ...destinationsOf(effects),
          publish: { ...destinationsOf(effects).publish, publish: ['SaleCreated'] },
          orders: {
            adapter: 'http',
            url: orders.url,
            publish: ['OmniChannelOrderUpdated'],
            skip: ['find', 'repeat', 'hold'],
            queue: { concurrency: 8, timeout: '1s' },
          },
        },
      })
    const [killed, stopped, steady] = await Promise.all([
      start('killed', TEN_MINUTES),
      start('stopped', -TEN_MINUTES),
      start('steady', 0),
    ])
    await using hubs = new AsyncDisposableStack()
    for (const hub of [killed, stopped, steady]) hubs.use(hub)
    const from = Date.now()
    const load = createLoad([killed, stopped, steady])

    await pause(1_500)
    await eventually(async () => expect(await readBooks(schema.url, schema.name)).toMatchObject({ sharing: 3 }))
    await killed.stop('SIGKILL')
    await pause(1_000)
    // It has calls out when it stops.
    orders.hold()
    await eventually(async () => {
      const queue = (await stopped.queues()).find(({ name }) => name === 'orders')
      return queue !== undefined && queue.inFlight > 0
    })
    stopped.signal('SIGSTOP')
    orders.letGo()
    await pause(STANDSTILL)
    stopped.signal('SIGCONT')
    const again = hubs.use(await start('again', TEN_MINUTES))
    load.add(again)
    await pause(1_500)
    await load.stop()

    for (const hub of [stopped, steady, again]) await hub.untilIdle(180_000)
    const until = Date.now()
    const held = await heldOf(steady)
    const verdict = judge(load, effects.effects, held)
    const reported = await readBooks(schema.url, schema.name)
    tell({
      ...verdict,
      ...reported,
      held: held.size,
      updates: load.updates(),
      doubled: load.doubled(),
      otherIds: load.otherIds,
    })

    expect(verdict).toMatchObject({ broken: { publish: [], find: [], repeat: [], hold: [] }, outOfNothing: [] })
    expect(load.otherIds, 'both answers to a doubled event carry the same id').toEqual([])
    expect(load.doubled()).toBeGreaterThan(100)
    for (const [orderNo, numbers] of load.sent) expect(orders.orders.get(orderNo), orderNo).toEqual(numbers)
    expect(reported.leasesOver, 'claims were taken over').toBeGreaterThan(0)
    expect(stopped.log(), 'and its late results were refused').toContain('delivery.decided-meanwhile')
    expect(reported.deliveredTwice).toEqual([])
    expect(reported.notDelivered).toEqual([])
    expect(reported.inFlight, 'nothing is out any more').toBe(0)
    expect(reported.held, 'what is held stands in the way of nothing else').toBe(held.size)
    expect(reported.first).toBeGreaterThan(from - 5_000)
    expect(reported.last).toBeLessThan(until + 5_000)
  },
)

/** Sends sales, and updates of orders one after the other, each to two hubs at the same instant. */
function createLoad(given: readonly HubProcess[]) {
  const hubs = [...given]
  const accepted = new Set<string>()
  const unanswered = new Set<string>()
  const otherIds: string[] = []
  const sent = new Map<string, number[]>()
  let turn = 0
  let doubled = 0
  let running = true

  /** True when one of them has taken it; a hub that stands still answers when it goes on. */
  async function send(eventId: string, kind: string, body: unknown): Promise<boolean> {
    turn += 1
    const alive = hubs.filter(({ exited }) => !exited)
    const pair = [alive[turn % alive.length], alive[(turn + 1) % alive.length]].filter((hub) => hub !== undefined)
    const answers = pair.map((hub) =>
      hub.postAs(eventId, kind, body).then((answer) => {
        if (answer.status !== 200 && answer.status !== 202) throw new Error(`It was answered ${answer.status}.`)
        return answer.id
      }),
    )
    void Promise.all(answers).then(
      ([one, other]) => {
        doubled += 1
        if (one !== other) otherIds.push(`${eventId}: ${one}, ${other}`)
      },
      () => undefined,
    )
    return await Promise.any(answers).then(
      () => true,
      () => false,
    )
  }

  async function sendSales(sender: number): Promise<void> {
    for (let n = 1; running; n += 1) {
      const receiptNo = `${sender}-${n}`
      const taken = await send(`sale ${receiptNo}`, 'SaleCreated', sale({ receiptNo }))
      if (taken) accepted.add(receiptNo)
      else unanswered.add(receiptNo)
      await pause(20)
    }
  }

  async function sendUpdates(orderNo: string): Promise<void> {
    const numbers: number[] = []
    sent.set(orderNo, numbers)
    for (let n = 1; running; n += 1) {
      // The same again until it is taken: the next one says what is newer.
      while (!(await send(`${orderNo} ${n}`, 'OmniChannelOrderUpdated', orderUpdate({ orderNo, id: n }))))
        await pause(20)
      numbers.push(n)
      await pause(60)
    }
  }

  const senders = [
    ...Array.from({ length: SENDERS }, (_, sender) => sendSales(sender)),
    ...Array.from({ length: ORDERS }, (_, order) => sendUpdates(`N${order}`)),
  ]

  return {
    accepted,
    unanswered,
    otherIds,
    sent,
    doubled: () => doubled,
    updates: () => [...sent.values()].reduce((sum, numbers) => sum + numbers.length, 0),
    add(hub: HubProcess) {
      hubs.push(hub)
    },
    async stop() {
      running = false
      await Promise.all(senders)
    },
  }
}

async function readBooks(url: string, schema: string) {
  const address = new URL(url)
  address.searchParams.delete('schema')
  const client = new pg.Client({ connectionString: address.toString(), options: `-c search_path=${schema}` })
  await client.connect()
  try {
    const one = async (text: string) => (await client.query(text)).rows[0].n
    const all = async (text: string) => (await client.query(text)).rows
    return {
      leasesOver: Number(await one(`select count(*) as n from attempts where code = 'lease-over'`)),
      deliveredTwice: await all(
        `select delivery_id from (
           select delivery_id from attempts where outcome = 'delivered'
           union all select id from deliveries where took_ms is not null) as all_of_them group by 1 having count(*) > 1`,
      ),
      notDelivered: await all(`select id, flow, state, why from deliveries where state not in ('delivered', 'held')`),
      sharing: Number(await one('select count(distinct hub) as n from partitions')),
      inFlight: Number(await one('select count(*) as n from in_flight')),
      held: Number(await one(`select count(*) as n from deliveries where state = 'held'`)),
      first: Number(await one('select min(received_at) as n from events')),
      last: Number(await one('select max(received_at) as n from events')),
    }
  } finally {
    await client.end()
  }
}
