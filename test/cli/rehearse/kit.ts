import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { request } from 'undici'
import { expect } from 'vitest'
import type { RehearsalResult } from '../../../src/cli/rehearse/run.ts'
import { eventually } from '../../eventually.ts'
import { orderUpdate, sale, stockMovement } from '../../fixtures/payloads.ts'
import { startWritten, type WrittenConfig, writtenConfig } from '../../hub/written.ts'
import { WEBHOOK_TOKEN } from '../../hub.ts'
import { startSink } from '../../sink.ts'
import { tillbridge } from '../run.ts'

/** The day of this machine, as a person types it. */
export const TODAY = new Date().toLocaleDateString('sv-SE')

/** Sends a webhook to a hub, which takes it. */
export async function post(url: string, kind: string, body: unknown): Promise<void> {
  const answer = await request(`${url}/webhooks/${kind}?token=${WEBHOOK_TOKEN}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-event-id': randomUUID() },
    body: JSON.stringify(body),
  })
  await answer.body.dump()
  expect(answer.statusCode).toBe(202)
}

/** A server that counts who comes to it, and answers nobody. */
async function startListener() {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** A hub that has had a day: sales, movements, and an order that changed several times. */
export async function openDay(store?: string) {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(await startSink())
  const platform = opened.use(await startListener())
  const config = opened.use(await writtenConfig())
  await mkdir(join(config.folder, 'erp'))
  const bus = `bus:\n  adapter: http\n  url: ${sink.url}\n  publish: all`
  const erp = `erp:\n  adapter: files\n  folder: ${join(config.folder, 'erp')}\n  write: { sale: { name: '{key}', format: json } }\n  lane: { timeout: 1s }`
  const webhooks = `tokens: ["\${WEBHOOK_TOKEN}"]\neventIdHeader: x-event-id`
  const kept = store === undefined ? {} : { store: `url: ${store}` }
  await config.write({ ...kept, webhooks, destinations: `${bus}\n${erp}` })
  const hub = opened.use(await startWritten(config.env))
  const statuses = ['UnHandled', 'Picked', 'Shipped']
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
    await post(hub.url, 'SaleCreated', sale({ receiptNo: String(1000 + n) }))
    await post(hub.url, 'StockMovementCreated', stockMovement({ movementId: n }))
    for (const status of statuses)
      await post(
        hub.url,
        'OmniChannelOrderUpdated',
        orderUpdate({ orderNo: `A${n}`, id: `0d8f8a5e-2f0c-4a4e-9a53-00000000000${n}`, status }),
      )
  }
  await eventually(() => sink.received.length === 40)
  await hub[Symbol.asyncDispose]()
  // From now on, the config has a platform that can be asked.
  const asked = `baseUrl: ${platform.url}\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}\ntrustWebhooks: true`
  await config.write({ ...kept, platform: asked, webhooks, destinations: `${bus}\n${erp}` })
  const open = opened.move()
  return { sink, platform, config, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Rehearses today, or what is made. */
export async function rehearse({ env, folder }: WrittenConfig, ...args: string[]) {
  const day = args.includes('--made') ? [] : ['--day', TODAY]
  const ran = await tillbridge(['rehearse', ...day, '--in', folder, '--within', '1m', '--json', ...args], env)
  const result = JSON.parse(ran.out) as RehearsalResult
  return { ...ran, result, said: (promise: string) => result.promises.find((one) => one.promise.includes(promise)) }
}
