import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { stockMovement } from '../fixtures/payloads.ts'
import { busTo, startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { NO_OWN_SERVER, type OwnServer, startOwnServer } from './own-server.ts'

/* The server of the store goes away, in every way that servers do, while webhooks come. */

const skipped = NO_OWN_SERVER === null ? '' : ` (skipped: ${NO_OWN_SERVER})`

/** Each ends by itself: the hub is not touched. */
const TROUBLES: {
  name: string
  begin(server: OwnServer): Promise<unknown>
  end(server: OwnServer): Promise<unknown>
}[] = [
  { name: 'is stopped as by a power cut', begin: (server) => server.stop(), end: (server) => server.start() },
  {
    name: 'takes no writes any more',
    begin: (server) => readOnly(server, 'on'),
    end: (server) => readOnly(server, 'off'),
  },
  {
    name: 'lets the hub write all but payloads',
    begin: (server) => server.sql('revoke insert on tillbridge.payloads from hub'),
    end: (server) => server.sql('grant insert on tillbridge.payloads to hub'),
  },
  {
    name: 'lets the hub use its schema no more',
    begin: (server) => server.sql('revoke usage on schema tillbridge from hub'),
    end: (server) => server.sql('grant usage on schema tillbridge to hub'),
  },
  {
    name: 'takes no connections any more',
    begin: async (server) => {
      await server.sql('alter database postgres connection limit 0')
      await server.sql(`alter role hub nologin`)
      await cut(server)
    },
    end: async (server) => {
      await server.sql('alter database postgres connection limit -1')
      await server.sql(`alter role hub login`)
    },
  },
]

test.skipIf(NO_OWN_SERVER !== null).each([10, 1])(
  `When the server goes away and comes back, then the hub says 503 meanwhile, and all goes on by itself (%i connections)${skipped}`,
  async (connections) => {
    await using server = await startOwnServer()
    await server.sql('create role hub login; grant create on database postgres to hub')
    const url = server.url.replace('owner@', 'hub@')
    await using sink = await startSink()
    await using hub = await startTestHub({
      destinations: { bus: { ...busTo(sink.url), queue: { timeout: '1s' } } },
      config: { store: { url, connections } },
    })
    await using load = startLoad(hub)
    await eventually(() => load.accepted.size > 50)

    // Whether it is ready is asked once a second.
    for (const { name, begin, end } of TROUBLES) {
      await begin(server)
      await eventually(() => expect(load.recent(), name).toEqual([503]), 30_000)
      await eventually(async () => expect(await health(hub), name).toEqual({ live: 200, ready: 503 }))
      await end(server)
      await eventually(() => expect(load.recent(), name).toEqual([202]), 30_000)
      await eventually(async () => expect(await health(hub), name).toEqual({ live: 200, ready: 200 }))
    }
    // Connections that break one by one: the hub need not even say so.
    for (let times = 0; times < 20; times += 1) {
      await cut(server)
      await pause(50)
    }
    await eventually(() => expect(load.recent()).toEqual([202]))
    await load[Symbol.asyncDispose]()

    expect([...load.others], 'it says yes, or not now').toEqual([])
    await eventually(async () => {
      const { rows } = await server.sql(
        "select count(*)::int as n from tillbridge.deliveries where state <> 'delivered'",
      )
      expect(rows[0].n).toBe(0)
    }, 60_000)
    const kept = await server.sql(
      `select convert_from(body, 'UTF8')::json ->> 'movementId' as n from tillbridge.payloads`,
    )
    const ids = new Set(kept.rows.map(({ n }) => Number(n)))
    expect(ids.size, 'nothing is kept twice').toBe(kept.rows.length)
    expect(
      [...load.accepted].filter((n) => !ids.has(n)),
      'what was acknowledged is there',
    ).toEqual([])
    const delivered = new Set(sink.received.map(({ body }) => JSON.parse(body).movementId as number))
    expect(
      [...ids].filter((n) => !delivered.has(n)),
      'and is delivered',
    ).toEqual([])
    expect([...load.refused].filter((n) => load.accepted.has(n))).toEqual([])
  },
)

async function readOnly(server: OwnServer, value: 'on' | 'off'): Promise<void> {
  await server.sql(`alter system set default_transaction_read_only = ${value}`)
  await server.sql('select pg_reload_conf()')
}

async function cut(server: OwnServer): Promise<void> {
  await server.sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tillbridge'`)
}

/** Webhooks without end, some at a time; a refused one is not sent again. */
function startLoad(hub: TestHub) {
  const accepted = new Set<number>()
  const refused = new Set<number>()
  const others = new Set<string>()
  let last: number[] = []
  let next = 0
  let running = true

  async function sendAll(): Promise<void> {
    while (running) {
      next += 1
      const n = next
      const answer = await hub.post('StockMovementCreated', stockMovement({ movementId: n }))
      if (answer.status === 202) accepted.add(n)
      else if (answer.status === 503 && answer.headers['retry-after'] === '5') refused.add(n)
      else others.add(`${answer.status} ${answer.text}`)
      last = [answer.status, ...last].slice(0, 12)
      await pause(20)
    }
  }

  const senders = Promise.all(Array.from({ length: 4 }, sendAll))
  return {
    accepted,
    refused,
    others,
    recent: () => [...new Set(last)],
    async [Symbol.asyncDispose]() {
      running = false
      await senders
    },
  }
}

async function health(hub: TestHub) {
  const [live, ready] = await Promise.all([hub.ask('/health/live'), hub.ask('/health/ready')])
  return { live: live.status, ready: ready.status }
}
