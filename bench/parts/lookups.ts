import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { type HubProcess, startHub } from '../hub-process.ts'
import { atLeast, atMost, judge, none, type Part, percent, warnings } from '../part.ts'
import { closedLoop, WARM_UP_SECONDS } from '../rounds.ts'
import { summarize } from '../wire/latencies.ts'
import { runLoad, startSink } from '../workers.ts'

const PER_SECOND = 20
const SOURCE_MS = 20

/** Latencies are from when a question was due to its whole answer. */
export const lookups: Part = {
  name: 'lookups',
  about: `${PER_SECOND} lookups a second whose source takes ${SOURCE_MS} ms, beside 64 connections of webhooks in a closed loop`,
  hasPace: true,
  async run(bench) {
    const seconds = bench.seconds ?? 30
    await using sink = await startSink()
    await using crm = await startSource()
    await using hub = await startHub(bench, {
      destinations: { bus: { port: sink.ports[0] ?? 0, publish: ['SaleCreated'] } },
      others: { crm: { adapter: fileURLToPath(new URL('../slow-crm.ts', import.meta.url)), url: crm.url } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder that the hub fills
      lookups: { customers: { tokens: ['${POS_TOKEN}'], ask: ['crm', 'directory'], perMinute: 100_000 } },
    })
    const load = runLoad(closedLoop(hub.port, hub.webhookPath('SaleCreated'), seconds))
    await askOn(hub, WARM_UP_SECONDS)
    const { latencies, wrong } = await askOn(hub, seconds)
    const webhooks = await load
    bench.say(`${latencies.length} lookups beside ${Math.round(webhooks.perSecond)} webhooks/s`)
    const figures = { perSecond: latencies.length / seconds, ...summarize(latencies) }
    const p999 = quantile(latencies, 0.999)
    const limits = [
      atMost('p99 ms', figures.p99Ms, 80),
      atMost('p99.9 ms', p999, 200),
      none('wrong answers', wrong),
      // Without them it would be no feat.
      atLeast('webhooks a second', webhooks.perSecond, 100),
    ]
    return judge(bench, lookups.name, figures, limits, [
      `p99.9 ${p999.toFixed(1)} ms of ${latencies.length} lookups; ${Math.round(webhooks.perSecond)} webhooks/s meanwhile, p99 ${webhooks.p99Ms.toFixed(1)} ms`,
      `generator: ${percent(webhooks.cpuShare)} of a core`,
      ...warnings('hub', webhooks),
    ])
  },
}

/** A CRM's server: one customer for everybody, after a while. */
async function startSource() {
  const customer = {
    ...{ customerId: null, extId: 'C-1', email: null, firstName: 'Kari', lastName: 'Nordmann', companyName: null },
    ...{ phone: '+4791234567', address: null, postalCode: null, city: null, countryCode: 'NO' },
  }
  const body = JSON.stringify([customer])
  const server = createServer((_, response) => void setTimeout(() => response.end(body), SOURCE_MS))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Asks at an even pace, whatever the hub does. */
async function askOn(
  { port, secrets }: Pick<HubProcess, 'port' | 'secrets'>,
  seconds: number,
): Promise<{ latencies: number[]; wrong: number }> {
  const dispatcher = new Agent({ connections: 16 })
  const url = `http://127.0.0.1:${port}/api/customers/search?query=91234567`
  const begun = performance.now()
  const asking: Promise<number>[] = []
  let wrong = 0

  async function ask(due: number): Promise<number> {
    const answer = await request(url, { dispatcher, headers: { authorization: `Bearer ${secrets.POS_TOKEN}` } })
    const text = await answer.body.text()
    const latency = performance.now() - due
    if (answer.statusCode !== 200 || !text.includes('Kari') || answer.headers['tillbridge-missing']) wrong += 1
    return latency
  }

  for (let nth = 0; nth < seconds * PER_SECOND; nth++) {
    const due = begun + (nth * 1_000) / PER_SECOND
    await sleep(Math.max(0, due - performance.now()))
    asking.push(ask(due))
  }
  const latencies = await Promise.all(asking)
  await dispatcher.close()
  return { latencies, wrong }
}

function quantile(samples: readonly number[], part: number): number {
  const sorted = Float64Array.from(samples).sort()
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}
