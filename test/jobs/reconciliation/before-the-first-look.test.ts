import { expect, test } from 'vitest'
import type { GapChange } from '../../../src/domain/completeness/gap.ts'
import { gapKey, PROVEN_BY_LISTS } from '../../../src/domain/completeness/gap.ts'
import { saveGaps } from '../../../src/jobs/reconciliation/scan.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { tillbridge } from '../../cli/run.ts'
import { sale } from '../../fixtures/payloads.ts'
import { type Desk, openDesk } from '../../http/read-models/given.ts'
import { ADMIN_TOKEN, startTestHub } from '../../hub.ts'
import { DAY, HOUR, MINUTE } from '../kit.ts'
import { beside } from './log-kit.ts'

/** What each face says of all until then: by the command line, for own systems, for people. */
async function said(desk: Desk, until: string | null) {
  const query = until === null ? '' : `?until=${until}`
  const env = { TILLBRIDGE_URL: desk.hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  const asked = until === null ? [] : ['--until', until]
  const { code, out } = await tillbridge(['complete', ...asked], env)
  const as = { authorization: `Bearer ${desk.key}` }
  const own = await desk.hub.ask<{ verdict: string }>(`/v1/completeness${query}`, { headers: as })
  const { body } = await desk.hub.admin<{ verdict: string }>(`completeness${query}`)
  return { code, words: out.split('\n')[0]?.slice(0, 13), own: own.body.verdict, people: body.verdict }
}

const UNKNOWN = { code: 4, words: 'Unknown: it w', own: 'unknown', people: 'unknown' }
const PROVEN = { code: 0, words: 'Nothing is mi', own: 'proven', people: 'proven' }

test('when somebody asks about time before the log was first looked through, then nobody knows, whoever is asked', async () => {
  await using desk = await openDesk()
  const { platform, clock, job } = beside(desk.hub)
  await job.run()
  clock.pass(HOUR)
  await platform.emit('SaleCreated', sale({ createdDateTime: '2026-11-20T14:00:00' }), clock.now())
  clock.pass(HOUR)
  await job.run()
  expect(await said(desk, '2020-01-01T00:00:00Z')).toEqual(UNKNOWN)
  expect(await said(desk, '2026-11-20T12:00:00Z')).toEqual(UNKNOWN)
  expect(await said(desk, '2026-11-20T13:30:00Z')).toEqual(PROVEN)

  clock.pass(3 * DAY)
  await job.run()
  const env = { TILLBRIDGE_URL: desk.hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  const ofDay = async (day: string) => (await tillbridge(['complete', '--store', '101', '--day', day], env)).code
  expect(await ofDay('2026-11-01')).toBe(UNKNOWN.code)
  // It was first looked at in the middle of that day.
  expect(await ofDay('2026-11-20')).toBe(UNKNOWN.code)
  expect(await ofDay('2026-11-21')).toBe(PROVEN.code)
})

test('when nobody has looked for longer than lately, then nothing is said to be here until lately', async () => {
  await using desk = await openDesk()
  const { storage } = desk.hub.hub
  const now = Date.now()
  const begin = async (level: 'log' | 'lists', from: number, until: number) => {
    const watermark = { level, kind: 'SaleCreated', storeId: null, from, until, since: now } as const
    await storage.saveReconciliation({ watermarks: [{ type: 'put', watermark }] }, now)
  }
  await begin('lists', now, now)
  expect(await said(desk, null)).toEqual(UNKNOWN)
  await begin('log', now - HOUR, now - 15 * MINUTE)
  expect(await said(desk, null)).toEqual(UNKNOWN)
  await begin('log', now - 3 * HOUR, now - 15 * MINUTE)
  expect(await said(desk, null)).toEqual(PROVEN)
})

for (const why of ['the log was gone', 'no subscription stood', 'the log could not be read'] as const)
  test(`when lists have proven what no log could, then it is said why: ${why}`, async () => {
    await using desk = await openDesk()
    const { storage } = desk.hub.hub
    const at = Date.now() - DAY
    const where = { source: 'log', kind: 'SaleCreated', storeId: null, destination: null, day: null } as const
    const cause = 'not-looked-at' as const
    const gap = { ...where, cause, subject: 'stretch', at, evidence: { log: { from: at, to: at + HOUR, why } } }
    await storage.saveReconciliation({ gaps: [{ type: 'see', gap }] }, at)
    await storage.saveReconciliation({ gaps: [{ type: 'repair', key: gapKey(gap), reason: PROVEN_BY_LISTS }] }, at)
    const env = { TILLBRIDGE_URL: desk.hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
    expect((await tillbridge(['complete'], env)).out).toContain(`since ${why} from`)
  })

const COVERED = [{ source: 'log' as const, scope: 'w', from: 1, to: 2 }]

function given(failsAt = Number.POSITIVE_INFINITY) {
  const kept: Parameters<Storage['saveReconciliation']>[0][] = []
  return {
    kept,
    storage: {
      async saveReconciliation(change) {
        if (kept.length === failsAt) throw new Error('The disk is full.')
        kept.push(change)
      },
    } satisfies Pick<Storage, 'saveReconciliation'>,
  }
}

const remedy = (count: number): GapChange[] =>
  Array.from({ length: count }, (_, nth) => ({ type: 'repair', key: `${nth}`, reason: 'it has come' }))

test('When a look shows more gaps than share a commit, then all are kept in their order, and covered is told with the last', async () => {
  const { kept, storage } = given()

  expect(await saveGaps(storage, remedy(10_000), 7, COVERED)).toBe(10_000)

  expect(kept.length).toBeGreaterThan(10)
  expect(kept.flatMap(({ gaps = [] }) => gaps)).toEqual(remedy(10_000))
  expect(kept.map(({ covered }) => covered ?? [])).toEqual([...kept.slice(1).map(() => []), COVERED])
})

test('When the disk is full in between, then nothing is covered', async () => {
  const { kept, storage } = given(3)

  await expect(saveGaps(storage, remedy(10_000), 7, COVERED)).rejects.toThrow('The disk is full.')

  expect(kept.flatMap(({ covered = [] }) => covered)).toEqual([])
})

test('When nothing lacks, then what was looked through is covered; when nothing was, then there is no commit', async () => {
  const { kept, storage } = given()
  await saveGaps(storage, [], 7, COVERED)
  await saveGaps(storage, [], 7)

  expect(kept).toEqual([{ gaps: [], covered: COVERED }])
})

/** Config says that the platform lists subscriptions; no document shows it. */
const LISTED = { 'webhooks.list': { path: '/api/Webhooks' } }

/** A platform that nobody answers for, and what config wants of it. */
const config = (platform: object, webhooks: object = {}) => ({
  server: { publicUrl: 'https://hub.example.com' },
  platform: { baseUrl: 'http://127.0.0.1:1', apiKey: 'key', subscriptionKey: 'key', trustWebhooks: true, ...platform },
  webhooks: { kinds: ['SaleCreated', 'CustomerCreated'], ...webhooks },
})

async function openHub(given: ReturnType<typeof config>) {
  const hub = await startTestHub({ config: given })
  const env = { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  return {
    hub,
    async looked(level: 'log' | 'lists', kind: string, storeId: string | null = null) {
      const now = Date.now()
      const watermark = { level, kind, storeId, from: now - 5 * HOUR, until: now - 15 * MINUTE, since: now } as const
      await hub.hub.storage.saveReconciliation({ watermarks: [{ type: 'put', watermark }] }, now)
    },
    /** The code of `complete`, and the kinds that stand as never scanned. */
    async complete() {
      const { code, out } = await tillbridge(['complete'], env)
      return {
        code,
        never: out
          .split('\n')
          .filter((line) => line.endsWith('never scanned'))
          .map((line) => line.split(/ +/)[1]),
      }
    },
  }
}

test('when lists were compared, and the log was never looked through, then nobody says that nothing is missing', async () => {
  const { hub, looked, complete } = await openHub(config({ endpoints: LISTED }))
  await using _ = hub
  await looked('lists', 'SaleCreated')
  expect(await complete()).toEqual({ code: 4, never: ['SaleCreated', 'CustomerCreated'] })
  await looked('log', 'SaleCreated')
  expect(await complete()).toEqual({ code: 4, never: ['CustomerCreated'] })
  await looked('log', 'CustomerCreated')
  expect(await complete()).toEqual({ code: 0, never: [] })
})

test('when config wants all stores, then the log of one of them is not enough', async () => {
  const { hub, looked, complete } = await openHub(config({}, { kinds: ['SaleCreated'], stores: 'all' }))
  await using _ = hub
  await looked('log', 'SaleCreated', '42')
  expect(await complete()).toEqual({ code: 4, never: ['SaleCreated'] })
  await looked('log', 'SaleCreated')
  expect(await complete()).toEqual({ code: 0, never: [] })
})

test('when the platform shows no subscriptions, then what its lists prove needs no log, and the rest is not known', async () => {
  const { hub, looked, complete } = await openHub(config({}))
  await using _ = hub
  await looked('lists', 'SaleCreated')
  expect(await complete()).toEqual({ code: 4, never: ['CustomerCreated'] })
})
