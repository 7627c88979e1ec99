import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import express from 'express'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { createAdmin } from '../../src/admin/admin.ts'
import { Config } from '../../src/config/config.ts'
import { PermanentError } from '../../src/domain/values/errors.ts'
import { nothingHere, problemHandler } from '../../src/http/problem.ts'
import { ADMIN_TOKEN, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { type JobsUnderTest, openJobs, quickJob } from '../jobs/kit.ts'
import { listen } from '../listen.ts'
import { tillbridge } from './run.ts'

interface ServedJobs extends AsyncDisposable {
  url: string
  /** Asks `/admin/jobs…`; with `post` it posts. */
  ask<Body>(path: string, post?: boolean): Promise<{ status: number; body: Body }>
}

/** The `/admin` of jobs under test, on a free port. */
async function serveJobs({ scheduler, storage, clock, logger }: JobsUnderTest): Promise<ServedJobs> {
  const app = express()
  app.use(
    createAdmin({
      storage,
      outside: { archive: null, folders: [] },
      platform: null,
      destinations: [],
      working: () => [],
      systems: [],
      probe: async () => {},
      holdsDeliveries: () => null,
      storeNow: async () => ({ problem: null, since: null }),
      clockJump: () => null,
      log: () => null,
      eventLoop: () => ({ p50Ms: 0, p99Ms: 0, maxMs: 0 }),
      disk: async () => null,
      subscriptions: async () => [],
      rejected: () => [],
      requests: () => ({ connections: 0, inFlightBytes: 0, refused: {}, refusedAt: {} }),
      warnings: () => [],
      schemaChanges: async () => [],
      inactivities: async () => [],
      arrivals: async () => null,
      backlog: async () => ({}),
      attempts: () => [],
      alarms: { rules: [], recipients: [], kept: async () => ({ active: [], unsent: [] }), test: async () => [] },
      jobs: scheduler,
      reload: () => Promise.reject(new Error('Nothing is reloaded here.')),
      shownConfig: () => ({}),
      config: Config.parse({
        server: { adminToken: ADMIN_TOKEN },
        platform: { webhooks: { tokens: [WEBHOOK_TOKEN] } },
      }),
      route: () => [],
      mappings: {},
      inbox: {
        accept: () => Promise.reject(new Error('Nothing is accepted here.')),
        reread: () => Promise.reject(new Error('Nothing is read here.')),
      },
      correct: async () => {},
      callbackAt: () => null,
      completeness: {
        wantedLogs: async () => [],
        unresolved: async () => [],
        kinds: async () => ({ offered: [], wanted: [] }),
      },
      mirrored: null,
      searchIndex: { catchUp: async () => true },
      remembered: async () => ({ sizes: [], bounds: {} }),
      flows: [],
      carriesOut: () => false,
      refused: () => {},
      schemas: async () => ({}),
      acknowledgedKinds: async () => new Map(),
      thresholds: Config.shape.clocks.parse(undefined),
      clock,
      logger,
    }),
  )
  app.use(nothingHere, problemHandler(logger, clock))
  const server = await listen(app)
  const url = server.url

  return {
    url,
    async ask<Body>(path: string, post = false) {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-operator': 'Kari' }
      const answer = await request(`${url}/admin/jobs${path}`, { method: post ? 'POST' : 'GET', headers })
      return { status: answer.statusCode, body: (await answer.body.json()) as Body }
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

test('When jobs are listed, then a table says when each runs and how it went, and --json says all of it', async () => {
  const failing = quickJob({ name: 'subscriptions', run: () => Promise.reject(new PermanentError('it said 403')) })
  await using the = await openJobs([quickJob({ atStart: true }, '12 stores'), failing])
  await using served = await serveJobs(the)
  await the.scheduler.start()
  await the.scheduler.run('subscriptions')
  const run = asking(served)
  const listed = await run('jobs', 'list')
  expect(listed).toMatchObject({ code: 0, err: '' })
  expect(listed.out).toMatch(/^job +schedule \(UTC\) +next run +succeeded +failed/)
  expect(listed.out).toMatch(/^stores +0 3 \* \* \*, at start +2026-11-21 .*12 stores$/m)
  expect(listed.out).toMatch(/^subscriptions +0 3 \* \* \* .*failed: it said 403$/m)
  const json = JSON.parse((await run('jobs', 'list', '--json')).out)
  expect(json.jobs).toMatchObject([
    { name: 'stores', note: '12 stores' },
    { problem: 'it said 403', failures: 1 },
  ])
  const shown = await run('jobs', 'history', 'subscriptions')
  expect(shown.out).toMatch(/^2026-11-20 .* ms +failed: it said 403$/m)
})

test('When a job is run, then its note is printed, or its problem with exit code 1', async () => {
  let broken = false
  const run = async () => {
    if (broken) throw new PermanentError('it said 403')
    return { note: '12 stores' }
  }
  await using the = await openJobs([quickJob({ run })])
  await using served = await serveJobs(the)
  const ask = asking(served)
  expect(await ask('jobs', 'run', 'stores')).toEqual({ code: 0, out: 'stores: 12 stores\n', err: '' })
  broken = true
  expect(await ask('jobs', 'run', 'stores')).toEqual({ code: 1, out: '', err: 'stores failed: it said 403\n' })
  const json = await ask('jobs', 'run', 'stores', '--json')
  expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { name: 'stores', failures: 2 }])
})

function asking({ url }: ServedJobs) {
  return (...args: string[]) => tillbridge(args, { TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
}

test('a job that is asked for before the hub listens runs once it does', async () => {
  const port = await freePort()
  const run = tillbridge(['jobs', 'run', 'retention'], {
    TILLBRIDGE_URL: `http://127.0.0.1:${port}`,
    TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN,
  })
  await refusedOnce(port)
  await using _ = await startTestHub({ config: { server: { port } } })
  expect(await run).toMatchObject({ code: 0, out: expect.stringContaining('retention: ') })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function refusedOnce(port: number): Promise<void> {
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
}
