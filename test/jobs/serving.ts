import express from 'express'
import { request } from 'undici'
import { createAdmin } from '../../src/admin/admin.ts'
import { Config } from '../../src/config/config.ts'
import { nothingHere, problemHandler } from '../../src/http/problem.ts'
import { ADMIN_TOKEN, WEBHOOK_TOKEN } from '../hub.ts'
import { listen } from '../listen.ts'
import type { JobsUnderTest } from './kit.ts'

export interface ServedJobs extends AsyncDisposable {
  url: string
  /** Asks `/admin/jobs…`; with `post` it posts. */
  ask<Body>(path: string, post?: boolean): Promise<{ status: number; body: Body }>
}

/** The `/admin` of jobs under test, on a free port. */
export async function serveJobs({ scheduler, storage, clock, logger }: JobsUnderTest): Promise<ServedJobs> {
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
      alarms: { rules: [], recipients: [], kept: async () => ({ active: [], unsent: [] }), test: async () => [] },
      jobs: scheduler,
      reload: () => Promise.reject(new Error('Nothing is reloaded here.')),
      config: Config.parse({
        server: { adminToken: ADMIN_TOKEN },
        platform: { webhooks: { tokens: [WEBHOOK_TOKEN] } },
      }),
      planning: { storage, route: () => [], mappings: {} },
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
