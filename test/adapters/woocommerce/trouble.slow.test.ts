import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startShop } from '../../../sandbox/shop/shop.ts'
import { createTestClock } from '../../clock.ts'
import { logged, MINUTE, middle, SECOND, statusOf, untilAll, untilTrouble } from '../../delivery/kit/kit.ts'
import { eventually } from '../../eventually.ts'
import { endlessAisle, saleLine } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { KEY, PRODUCTS } from './shop.ts'

type Script = (answer: ServerResponse) => void

const page = (status: number): Script => {
  return (answer) => void answer.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><p>Log in</p>')
}

/** What stands before a shop and answers in its place for a while. */
async function startInstead() {
  const said: { script: Script } = { script: page(200) }
  const server = createServer((_, answer) => said.script(answer))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    play(script: Script) {
      said.script = script
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) await this.close()
    },
  }
}

test.each<[string, Script, string]>([
  ['a login page', page(200), 'unreadable-answer'],
  ['other JSON', (answer) => void answer.end('{"maintenance":true}'), 'unreadable-answer'],
  ['no API', page(404), 'no-api'],
  ['a key that it does not know', (answer) => void answer.writeHead(401).end('{"code":"x"}'), 'http-401'],
])(
  'When a shop answers every call with %s, then its orders wait, the cause is told, and each is placed once when it is back',
  async (_, script, code) => {
    const clock = createTestClock()
    await using instead = await startInstead()
    const url = `http://127.0.0.1:${instead.port}`
    const shopIn = { adapter: 'woocommerce', url, ...KEY, lane: { concurrency: 1 } }
    await using hub = await startTestHub({ destinations: { shop: shopIn }, clock, random: middle })
    instead.play(script)
    for (let no = 0; no < 6; no += 1)
      await hub.post(
        'OmniChannelEndlessAisleOrderCreated',
        endlessAisle({
          receiptNo: `R-${no}`,
          orderNo: `EA-${no}`,
          orderLines: [saleLine({ shipFromOnlineStore: true })],
        }),
      )
    await eventually(async () => {
      const { trouble, inFlight } = await statusOf(hub, 'shop')
      if (trouble === null && inFlight === 0) clock.advance(2 * SECOND)
      return trouble !== null
    })
    for (let probes = 0; probes < 4; probes += 1) {
      const { trouble } = await statusOf(hub, 'shop')
      clock.advance(6 * MINUTE)
      await untilTrouble(hub, (trouble?.failures ?? 0) + 1, 'shop')
    }
    expect(await statusOf(hub, 'shop')).toMatchObject({ waiting: 6, dead: 0, held: 0, trouble: { code } })
    expect(logged(hub, 'destination.down')).toMatchObject([{ destination: 'shop', code }])

    await instead.close()
    await using shop = await startShop({ ...KEY, products: PRODUCTS, port: instead.port })
    await eventually(async () => {
      if ((await statusOf(hub, 'shop')).waiting > 0) clock.advance(2 * SECOND)
      return (await statusOf(hub, 'shop')).waiting === 0
    })
    await untilAll(hub, 'delivered', 6)
    expect(shop.orders()).toHaveLength(6)
  },
)
