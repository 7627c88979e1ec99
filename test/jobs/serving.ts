import express from 'express'
import { request } from 'undici'
import { createAdmin } from '../../src/admin/admin.ts'
import { Config } from '../../src/config/config.ts'
import { nothingHere, problemHandler } from '../../src/receiver/problem.ts'
import { ADMIN_TOKEN } from '../hub.ts'
import { listen } from '../listen.ts'
import type { JobsUnderTest } from './kit.ts'

export interface ServedJobs extends AsyncDisposable {
  url: string
  /** Asks `/admin/jobs…`; with `post` it posts. */
  ask<Body>(path: string, post?: boolean): Promise<{ status: number; body: Body }>
}

/** The `/admin` of jobs under test, on a free port. */
export async function serveJobs({ scheduler, store, clock, logger }: JobsUnderTest): Promise<ServedJobs> {
  const app = express()
  app.use(
    createAdmin({
      store,
      telling: { canErase: () => false, accept: async () => ({ status: 'quarantined', id: 0 }) },
      outside: { archive: null, folders: [] },
      platform: null,
      admins: { admin: ADMIN_TOKEN },
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
      aside: () => [],
      requests: () => ({ connections: 0, inHand: 0, refused: {}, refusedAt: {} }),
      doubts: () => [],
      schemaChanges: async () => [],
      silences: async () => [],
      alarms: { rules: [], recipients: [], kept: async () => ({ standing: [], untold: [] }), test: async () => [] },
      jobs: scheduler,
      reload: () => Promise.reject(new Error('Nothing is reloaded here.')),
      reroute: () => Promise.reject(new Error('Nothing is rerouted here.')),
      acceptAsOwn: () => Promise.reject(new Error('no routes')),
      reparse: async () => ({ events: 0, left: 0, held: 0, sample: [], act: null, looked: 0, next: null }),
      correct: async () => {},
      callbacks: { publicUrl: undefined, tokens: [], callbackAt: () => null },
      completeness: {
        wantedLogs: async () => [],
        unresolved: async () => [],
        kinds: async () => ({ offered: [], wanted: [] }),
      },
      mirrored: null,
      files: { writers: [], bookAgain: () => Promise.reject(new Error('Nothing is booked here.')) },
      resendOf: () => Promise.reject(new Error('Nothing is given here.')),
      search: { index: { catchUp: async () => true }, countries: [] },
      retaining: {
        archive: null,
        ages: Config.shape.retention.parse(undefined),
        off: false,
        room: async () => null,
        remembered: async () => ({ sizes: [], bounds: {} }),
      },
      flows: [],
      carriesOut: () => false,
      refused: () => {},
      mappings: {},
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
