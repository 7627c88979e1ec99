import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { Agent, request } from 'undici'
import { createDirectoryPort } from '../../src/adapters/directory/directory.ts'
import { Config } from '../../src/config/config.ts'
import type { CustomerRecord } from '../../src/domain/customers/customer-record.ts'
import { createLookups } from '../../src/http/lookups/lookups.ts'
import { createPosPriority } from '../../src/http/pos-priority.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { atMost, judge, none, type Part } from '../part.ts'
import { summarize } from '../wire/latencies.ts'

const TOKEN = 'pos-token-of-the-bench'
const TOGETHER = 5_000
const WARM_UP = 200
const SAMPLES = 2_000

export const directory: Part = {
  name: 'directory',
  about: 'one lookup after the other in a directory of a million customers (--seconds: 100,000), nothing else going on',
  async run(bench) {
    const count = bench.seconds === null ? 1_000_000 : 100_000
    const folder = mkdtempSync(join(tmpdir(), 'tillbridge-bench-'))
    using schema = bench.postgres?.newSchema()
    const url = schema?.url ?? `file:${join(folder, 'tillbridge.db')}`
    try {
      await using storage = await openStorage(url, { sameBytesWindow: 0 })
      const begun = performance.now()
      for (let from = 0; from < count; from += TOGETHER) await storage.saveCustomers(people(from), Date.now())
      const filled = (performance.now() - begun) / 1_000
      bench.say(`${await storage.customerCount()} customers after ${filled.toFixed(1)} s`)
      await using pos = await startPos(storage)
      const { latencies, wrong } = await pos.ask(count)
      const figures = {
        perSecond: 1_000 / (latencies.reduce((sum, latency) => sum + latency, 0) / SAMPLES),
        ...summarize(latencies),
      }
      return judge(
        bench,
        directory.name,
        figures,
        [atMost('p99 ms', figures.p99Ms, 10), none('wrong answers', wrong)],
        [
          `${SAMPLES} lookups after ${WARM_UP}, by phone and by e-mail in turn, in ${count} customers`,
          `they were taken at ${Math.round(count / filled)}/s`,
        ],
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** The POS's question over HTTP, as the hub has it, with the directory as its one source. */
async function startPos(storage: Storage) {
  const { lookups } = await Config.parseAsync({
    server: { adminToken: 'admin-token-of-the-bench' },
    platform: { webhooks: { tokens: ['webhook-token-of-the-bench'] } },
    lookups: { customers: { tokens: [TOKEN], perMinute: 100_000 } },
  })
  const app = express().set('query parser', 'simple')
  const { search } = createDirectoryPort(storage)
  app.use(
    createLookups({
      config: lookups,
      sources: { customers: [{ name: 'directory', search }], orders: [] },
      noteLookup: storage.noteLookup,
      posPriority: createPosPriority(),
      clock: systemClock,
      refused: () => {},
      logger: createLogger('warn'),
    }),
  )
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const dispatcher = new Agent({ connections: 1 })

  async function one(query: string): Promise<{ ms: number; found: CustomerRecord[] }> {
    const path = `/api/customers/search?query=${encodeURIComponent(query)}`
    const begun = performance.now()
    const headers = { authorization: `Bearer ${TOKEN}` }
    const answer = await request(`http://127.0.0.1:${port}${path}`, { dispatcher, headers })
    const found = (await answer.body.json()) as CustomerRecord[]
    return { ms: performance.now() - begun, found }
  }

  return {
    async ask(count: number) {
      const latencies: number[] = []
      let wrong = 0
      for (let nth = 0; nth < WARM_UP + SAMPLES; nth++) {
        const number = (nth * 7_919 * 104_729) % count
        const { ms, found } = await one(nth % 2 === 0 ? phoneOf(number) : emailOf(number))
        if (nth >= WARM_UP) latencies.push(ms)
        if (found.length !== 1 || found[0]?.email !== emailOf(number)) wrong += 1
      }
      return { latencies, wrong }
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function people(from: number): CustomerRecord[] {
  return Array.from({ length: TOGETHER }, (_, index) => {
    const number = from + index
    return {
      customerId: String(number + 1),
      extId: `C-${number}`,
      email: emailOf(number),
      firstName: 'Kari',
      lastName: `Nordmann ${number % 5_000}`,
      companyName: null,
      phone: `+47${phoneOf(number)}`,
      address: `Storgata ${number % 200}`,
      postalCode: '0155',
      city: 'Oslo',
      countryCode: 'NO',
    }
  })
}

/** In no order: keys that grow by one would spare the index the work that real ones make. */
function phoneOf(number: number): string {
  return String(90_000_000 + ((number * 3_877_777) % 10_000_000))
}

function emailOf(number: number): string {
  return `k${((number * 48_271) % 2_147_483_647).toString(36)}.${number}@example.com`
}
