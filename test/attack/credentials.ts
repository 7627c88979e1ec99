import { createHmac, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { bytesOf, sale } from '../fixtures/payloads.ts'
import { jsonOf, once, request, webhook } from './requests.ts'
import type { Attack, Siege } from './siege.ts'

/*
 * Attacks with a credential: the token of webhooks, which stands in URLs, the API key that may least, and the secret of a shop.
 */

const MB = 1_000_000

/** More than the hub lets in. */
const SILENT = 1_300

/** Each sends one right webhook and then nothing more, as whoever has the token may. */
const silentCrowd: Attack = {
  name: `${SILENT} connections send one right webhook each, and are silent from then on`,
  async run({ hub, strangers, scale }) {
    let nth = 0
    strangers.keepOpen(Math.round(SILENT * scale), (socket) => {
      nth += 1
      const body = Buffer.from(bytesOf(sale({ receiptNo: `silent ${nth}` })))
      strangers.ask(socket, () => webhook(hub.webhookPath('SaleCreated'), body), 3_600_000)
    })
  },
}

/** Everything that a key reads, by many connections, and behind each other on each. */
function reads(name: string, connections: number, behindEachOther: number): Attack {
  return {
    name,
    async run({ hub, strangers, scale }) {
      const authorization = `Bearer ${await hub.createKey('bi', ['read:stores'])}`
      const paths = ['/openapi.json', '/v1/stores', '/v1/submissions/1', '/v1/completeness', '/metrics']
      let nth = 0
      strangers.keepOpen(Math.ceil(connections * scale), (socket) => {
        const next = () =>
          Array.from({ length: behindEachOther }, () =>
            request('GET', paths[nth++ % paths.length] ?? '', { authorization }),
          ).flat()
        strangers.ask(socket, next, 0)
      })
    },
  }
}

const LARGE = 7.8 * MB

/** Shapes whose bytes are many values, or costly ones. */
const SHAPES: Record<string, (bytes: number) => Buffer> = {
  brackets: (bytes) => Buffer.concat([Buffer.alloc(bytes / 2, '['), Buffer.alloc(bytes / 2, ']')]),
  'unknown names': (bytes) => {
    const names = Array.from({ length: Math.floor(bytes / 13) }, (_, nth) => `"${String(nth).padStart(8, '0')}":1`)
    return Buffer.from(`{${names.join(',')}}`)
  },
  'empty objects': (bytes) => Buffer.from(`[${'{},'.repeat(bytes / 3)}{}]`),
  'numbers that are not exact': (bytes) => Buffer.from(`[${'1e999,'.repeat(bytes / 6)}1]`),
  'one long text': (bytes) => Buffer.from(`{"orderNo":"${'a'.repeat(bytes - 20)}"}`),
  'long numbers': (bytes) => Buffer.from(`[${'12345678901234567890,'.repeat(bytes / 21)}1]`),
}

/** The same where each is just small enough to be taken without a second thought. */
const SMALL = 60_000

interface Door {
  name: string
  largest: number
  ask(siege: Siege): Promise<(body: Buffer) => Buffer[]>
}

function keyed(method: string, path: string, scope: string, type = 'application/json'): Door {
  return {
    name: `${method} ${path} (${type.replace('application/', '')})`,
    largest: LARGE,
    async ask({ hub }) {
      const authorization = `Bearer ${await hub.createKey('oms', [scope])}`
      return (body) =>
        request(method, path, { authorization, 'content-type': type, 'idempotency-key': randomUUID() }, body)
    },
  }
}

const DOORS: Door[] = [
  keyed('POST', '/v1/orders', 'orders'),
  keyed('POST', '/v1/orders', 'orders', 'application/x-ndjson'),
  keyed('PUT', '/v1/orders/W-1', 'orders'),
  keyed('PATCH', '/v1/products/Q-1', 'products'),
  keyed('POST', '/v1/stock-adjustments', 'stock-adjustments'),
  {
    name: 'POST /intake/shop',
    largest: 1.9 * MB,
    ask:
      async ({ hub }) =>
      (body) =>
        request(
          'POST',
          '/intake/shop',
          {
            'content-type': 'application/json',
            'x-wc-webhook-topic': 'order.created',
            'x-wc-webhook-signature': createHmac('sha256', hub.secrets.BUS_SECRET).update(body).digest('base64'),
          },
          body,
        ),
  },
  {
    name: 'POST /webhooks/SaleCreated',
    largest: LARGE,
    ask:
      async ({ hub }) =>
      (body) =>
        webhook(hub.webhookPath('SaleCreated'), body),
  },
]

/** At every interface that takes a body: each shape in turn, by some connections at a time. */
const shapes: Attack[] = DOORS.flatMap(({ name, largest, ask }) =>
  [
    { size: largest, connections: 4 },
    { size: SMALL, connections: 64 },
  ].map(({ size, connections }): Attack => {
    const bodies = Object.values(SHAPES).map((make) => once(() => make(size)))
    return {
      name: `${connections} senders hand ${Math.round(size / 1_000)} KB of costly JSON to ${name}`,
      prepare: () => {
        for (const body of bodies) body()
      },
      async run(siege) {
        const make = await ask(siege)
        let nth = 0
        const next = () => make(bodies[nth++ % bodies.length]?.() ?? Buffer.alloc(0))
        siege.strangers.keepOpen(Math.ceil(connections * siege.scale), (socket) =>
          siege.strangers.ask(socket, next, 10),
        )
      },
    }
  }),
)

/** What compressed bodies may add to the file, beyond what was sent (MB). */
const MAX_ON_DISK = 160

/** Small bodies that become large rows. */
const inflated: Attack = {
  name: 'bodies of a few hundred bytes become 4 MB each on disk',
  async run({ hub, strangers, scale, signal }) {
    const before = statSync(hub.file).size
    let nth = 0
    const next = () => {
      nth += 1
      const text = JSON.stringify({ nth, more: 'a'.repeat(4 * MB) })
      return webhook(hub.webhookPath(`Inflated${nth}`), brotliCompressSync(text), { 'content-encoding': 'br' })
    }
    strangers.keepOpen(Math.ceil(8 * scale), (socket) => strangers.ask(socket, next, 20))
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    const grown = (statSync(hub.file).size - before) / MB
    expect(grown, 'MB on disk').toBeLessThan(MAX_ON_DISK)
    return { grown }
  },
}

/** Compressed text that unpacks to nothing, thousands of times. */
const emptyMembers: Attack = {
  name: 'gzip comes that consists of 395,000 empty members',
  async run(siege) {
    const body = Buffer.concat(Array<Buffer>(395_000).fill(gzipSync('')))
    const key = await siege.hub.createKey('oms', ['orders'])
    const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const requests = [
      webhook(siege.hub.webhookPath('SaleCreated'), body, packed),
      request('POST', '/v1/orders', { ...packed, authorization: `Bearer ${key}`, 'idempotency-key': 'members' }, body),
      request(
        'POST',
        '/v1/orders',
        {
          ...packed,
          'content-type': 'application/x-ndjson',
          authorization: `Bearer ${key}`,
          'idempotency-key': 'lines',
        },
        body,
      ),
    ]
    let nth = 0
    siege.strangers.keepOpen(Math.ceil(6 * siege.scale), (socket) =>
      siege.strangers.ask(socket, () => requests[nth++ % requests.length] ?? [], 50),
    )
  },
}

/** Right lines of /v1, one after the other: the smallest body that makes the most work. */
const smallSubmissions: Attack = {
  name: '64 connections of a key submit without end',
  async run({ hub, strangers, scale }) {
    const authorization = `Bearer ${await hub.createKey('oms', ['orders'])}`
    const next = () =>
      request(
        'POST',
        '/v1/orders?dryRun=true',
        { authorization, 'content-type': 'application/json' },
        jsonOf({ orderNo: 'W-1' }),
      )
    strangers.keepOpen(Math.ceil(64 * scale), (socket) => strangers.ask(socket, next, 0))
  },
}

/** A few for the short form; each is in the whole one. */
export const withCredential: Attack[] = [
  reads('64 connections of a key read without end', 64, 1),
  reads('400 connections of a key send 32 reads each behind each other', 400, 32),
  inflated,
  emptyMembers,
  smallSubmissions,
]
export { shapes as costlyJson, silentCrowd }
