import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { GapView } from '../../src/admin/completeness.ts'
import { EXIT } from '../../src/cli/shared/exit.ts'
import type { Watermark } from '../../src/domain/completeness/completeness.ts'
import type { GapChange } from '../../src/domain/completeness/gap.ts'
import type { CompletenessResult } from '../../src/storage/read-completeness.ts'
import { eventually } from '../eventually.ts'
import { sale, stockMovement } from '../fixtures/payloads.ts'
import { openDesk } from '../http/read-models/given.ts'
import { ADMIN_TOKEN, startTestHub } from '../hub.ts'
import { startPlatformServer } from '../platform/server.ts'
import { asking, tillbridge } from './run.ts'

const HOUR = 3_600_000

test('when a script asks whether everything is here, then it is told by how the command ends, and what is missing', async () => {
  await using hub = await startTestHub()
  const { storage } = hub.hub
  const now = Date.now()
  const ask = (...args: string[]) => tillbridge(args, { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
  expect(await ask('complete')).toMatchObject({ code: 4, out: expect.stringContaining('Unknown:') })

  const watermark = {
    level: 'log',
    kind: 'SaleCreated',
    storeId: null,
    from: 0,
    until: now - HOUR,
    since: now,
  } as const
  await storage.saveReconciliation({ watermarks: [{ type: 'put', watermark }] }, now)
  expect(await ask('complete')).toMatchObject({ code: 0, out: expect.stringContaining('Nothing is missing.') })
  expect(await ask('complete', '--until', '0m')).toMatchObject({ code: 4 })

  const about = { source: 'log', kind: 'SaleCreated', storeId: null, destination: null, day: null } as const
  const gap: GapChange = {
    type: 'see',
    gap: { ...about, cause: 'failed', subject: 'e-1', at: now - HOUR, evidence: { log: { status: 503 } } },
  }
  await storage.saveReconciliation({ gaps: [gap] }, now)
  expect(await ask('complete', '--json')).toMatchObject({ code: 3, out: expect.stringContaining('"verdict": "gaps"') })
  expect((await ask('gaps', 'list')).out).toContain('e-1')
  expect((await ask('gaps', 'show', '1')).out).toMatch(/could not deliver it.*"status":503.*tillbridge jobs run/s)
  expect((await ask('gaps', 'explain', '1', '--reason', 'a test sale')).out).toContain('explain: 1 of 1 gap')
  expect((await ask('gaps', 'show', '1')).out).toContain('a test sale')
})

test.each([[[]], [['--json']], [['--destination', 'erp']]])(
  'When what answers says nothing of whether all is here (%j), then that is neither proven nor missing',
  async (args) => {
    const stranger = createServer((_, response) =>
      response.end(JSON.stringify({ ok: true, destinations: [{ name: 'erp', days: [] }] })),
    ).listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    await using _ = { [Symbol.asyncDispose]: async () => void stranger.close() }
    const { port } = stranger.address() as { port: number }
    const env = { TILLBRIDGE_URL: `http://127.0.0.1:${port}`, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
    const ended = await tillbridge(['complete', ...args], env)
    expect(ended.code).toBe(EXIT.input)
    expect(ended.out + ended.err).toContain('a hub of another version, or no hub')
  },
)

const DAY_LONG = 86_400_000
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_LONG).toISOString().slice(0, 10)
const DAY = dayBefore(3)
/** The hub began in the middle of this day. */
const FIRST_DAY = dayBefore(6)

async function openWatched(...args: Parameters<typeof openDesk>) {
  const desk = await openDesk(...args)
  const now = Date.now()
  const from = Date.parse(`${FIRST_DAY}T13:00:00Z`)
  for (const kind of ['SaleCreated', 'StockMovementCreated']) {
    const watermark: Watermark = { level: 'log', kind, storeId: null, from, until: now, since: now }
    await desk.hub.hub.storage.saveReconciliation({ watermarks: [{ type: 'put', watermark }] }, now)
  }
  const key = await desk.keyOf('read:completeness')
  const ask = asking(desk.hub)
  return {
    desk,
    ask,
    sold: (receiptNo: string, more: object = {}) =>
      desk.hub.post('SaleCreated', sale({ receiptNo, createdDateTime: `${DAY}T14:03:27`, ...more })),
    api: async (query: string) => {
      const headers = { authorization: `Bearer ${key}` }
      return (await desk.hub.ask<{ verdict: string; unresolved: object[] }>(`/v1/completeness?${query}`, { headers }))
        .body
    },
  }
}

test('a second sale under one receipt number, and a sale that cannot be read, leave their day unknown in complete and /v1 alike, until they are dismissed', async () => {
  const { desk, ask, api, sold } = await openWatched()
  await using _ = desk
  await sold('1')
  const isProven = async () => {
    expect((await ask('complete', '--day', DAY, '--store', '101')).code).toBe(EXIT.well)
    expect(await api(`day=${DAY}&store=101`)).toMatchObject({ verdict: 'proven', unresolved: [] })
  }
  await eventually(isProven)

  const { body: second } = await sold('1', { total: 350 })
  const { body: unread } = await desk.hub.post('SaleCreated', '{"receiptNo":')
  const both = [
    { kind: 'SaleCreated', state: 'quarantined', count: 1, events: [unread.id], more: false },
    { kind: 'SaleCreated', state: 'conflict', count: 1, events: [second.id], more: false },
  ]
  const reported = await ask('complete', '--day', DAY, '--store', '101')
  expect(reported.code).toBe(EXIT.unproven)
  expect(reported.out).not.toContain('Nothing is missing')
  expect(reported.out).toContain(`1 SaleCreated in conflict and not dismissed (event ${second.id})`)
  expect(reported.out).toContain(`1 SaleCreated in quarantine and not dismissed (event ${unread.id})`)
  expect(await api(`day=${DAY}&store=101`)).toMatchObject({ verdict: 'unknown', unresolved: both })
  const page = await ask('complete', '--day', DAY, '--store', '101', '--html')
  expect(page).toMatchObject({ code: EXIT.unproven, out: expect.stringMatching(/^<!doctype html>/) })
  expect(page.out).toContain(`1 SaleCreated in conflict and not dismissed (event ${second.id})`)
  expect((await ask('complete')).code).toBe(EXIT.unproven)

  // The conflict is of that day and that store alone; what cannot be read may be of any.
  await desk.hub.admin('events/dismiss', { filter: { id: unread.id }, reason: 'a test' })
  expect(await api(`day=${dayBefore(2)}&store=101`)).toMatchObject({ verdict: 'proven', unresolved: [] })
  expect(await api(`day=${DAY}&store=201`)).toMatchObject({ verdict: 'proven', unresolved: [] })
  expect(await api(`day=${DAY}`)).toMatchObject({ verdict: 'unknown', unresolved: [both[1]] })
  await desk.hub.admin('events/dismiss', { filter: { id: second.id }, reason: 'printed twice' })
  await isProven()
})

test('a movement in conflict leaves the day of its own stock unknown, not that of another store', async () => {
  const { desk, api } = await openWatched()
  await using _ = desk
  const at = { createdDateTime: `${DAY}T15:00:00`, stockId: 12, stockExtId: undefined }
  await desk.hub.post('StockMovementCreated', stockMovement(at))
  await desk.hub.post('StockMovementCreated', stockMovement({ ...at, quantity: 77 }))
  expect(await api(`day=${DAY}&store=101`)).toMatchObject({
    verdict: 'unknown',
    unresolved: [{ kind: 'StockMovementCreated', state: 'conflict' }],
  })
  expect(await api(`day=${DAY}&store=201`)).toMatchObject({ verdict: 'proven' })
})

test('a day in the middle of which the hub began is not proven, though its end is', async () => {
  const { desk, ask, api } = await openWatched()
  await using _ = desk
  const end = `${dayBefore(5)}T02:00:00Z`
  expect((await ask('complete', '--until', end)).code).toBe(EXIT.well)
  expect((await ask('complete', '--day', FIRST_DAY)).code).toBe(EXIT.unproven)
  expect(await api(`day=${FIRST_DAY}&store=101`)).toMatchObject({ verdict: 'unknown' })
  expect((await ask('complete', '--day', dayBefore(5), '--store', '101')).code).toBe(EXIT.well)
  expect(await ask('complete', '--day', '2026-11-31')).toMatchObject({ code: EXIT.input })
  expect(await ask('complete', '--day', DAY, '--until', end)).toMatchObject({
    code: EXIT.input,
    err: expect.stringContaining('Ask for day or for until'),
  })
})

describe('kinds that nothing tells of', () => {
  async function openSubscribed(...kinds: string[]) {
    const platform = await startPlatformServer()
    const server = { publicUrl: 'https://hub.example.com' }
    const at = { baseUrl: platform.url, apiKey: 'k', subscriptionKey: 's' }
    const { desk, ...rest } = await openWatched({ config: { server, platform: at, webhooks: { kinds } } })
    return {
      ...rest,
      async [Symbol.asyncDispose]() {
        await desk[Symbol.asyncDispose]()
        await platform[Symbol.asyncDispose]()
      },
    }
  }

  test('those that config leaves out are named beside the verdict, and are no fault', async () => {
    await using watched = await openSubscribed('SaleCreated', 'StockMovementCreated')
    const reported = await watched.ask('complete', '--day', DAY)
    expect(reported.code).toBe(EXIT.well)
    expect(reported.out).toMatch(/Not watched: 25 kinds \(CustomerCreated, .*\)\./)
    expect(reported.out).not.toContain('though config')
  })

  test('one that config subscribes to leaves the verdict unknown', async () => {
    await using watched = await openSubscribed('SaleCreated', 'CustomerCreated')
    const reported = await watched.ask('complete', '--day', DAY)
    expect(reported.code).toBe(EXIT.unproven)
    const words =
      'Not watched, though config subscribes to them (tillbridge subscriptions list): 1 kind (CustomerCreated).'
    expect(reported.out).toContain(words)
    expect(await watched.api(`day=${DAY}`)).toMatchObject({
      verdict: 'unknown',
      notWatched: expect.arrayContaining([
        { kind: 'CustomerCreated', wanted: true },
        { kind: 'InvoiceCreated', wanted: false },
      ]),
    })
  })
})

test('when something is missing, then it is listed with what repairs it, until a person says why it need not be', async () => {
  await using hub = await startTestHub()
  const { storage } = hub.hub
  const now = Date.now()
  expect((await hub.admin<CompletenessResult>('completeness')).body).toEqual({
    verdict: 'unknown',
    watermarks: [],
    byLists: [],
    cannotTell: {},
    counts: [],
    destinations: [],
    unresolved: [],
    notWatched: [],
  })
  const about = { source: 'log', kind: 'SaleCreated', storeId: null, destination: null, day: null } as const
  const gap: GapChange = {
    type: 'see',
    gap: { ...about, cause: 'not-looked-at', subject: 'w/1', at: now - HOUR, evidence: { log: { from: 1, to: 2 } } },
  }
  const watermark = {
    level: 'log',
    kind: 'SaleCreated',
    storeId: null,
    from: 0,
    until: now - HOUR,
    since: now,
  } as const
  await storage.saveReconciliation({ gaps: [gap], watermarks: [{ type: 'put', watermark }] }, now)

  expect((await hub.admin<CompletenessResult>('completeness')).body).toMatchObject({
    verdict: 'unknown',
    watermarks: [{ gaps: 1 }],
  })
  const before = `completeness?until=${new Date(now - 2 * HOUR).toISOString()}`
  expect((await hub.admin<CompletenessResult>(before)).body.verdict).toBe('proven')
  const { gaps } = (await hub.admin<{ gaps: GapView[] }>('gaps?state=open')).body
  const remedy =
    'tillbridge jobs run reconcile-log; tillbridge jobs run reconcile-lists; or tillbridge gaps explain 1 --reason "…"'
  expect(gaps).toMatchObject([{ id: 1, cause: 'not-looked-at', remedy }])
  expect((await hub.admin<GapView>('gaps/1')).body).toMatchObject({ subject: 'w/1' })
  expect((await hub.admin('gaps/2')).status).toBe(404)
  expect((await hub.admin<{ items: unknown[] }>('health')).body.items).toContainEqual(
    expect.objectContaining({ name: 'not-looked-at', state: 'problem' }),
  )

  expect((await hub.admin('gaps/explain', { filter: { id: 1 } })).body.detail).toMatch('reason: say why')
  const reason = 'the store was closed'
  expect((await hub.admin('gaps/explain', { filter: { id: 1 }, reason })).body).toMatchObject({ changed: 1 })
  expect((await hub.admin<GapView>('gaps/1')).body).toMatchObject({ state: 'explained', ended: { reason } })
  expect((await hub.admin<{ acts: unknown[] }>('audit?action=explain')).body.acts).toMatchObject([
    { changed: 1, reason },
    { refused: expect.stringContaining('reason') },
  ])
})
