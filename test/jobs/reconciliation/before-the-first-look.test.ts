import { expect, test } from 'vitest'
import { gapKey, PROVEN_BY_LISTS } from '../../../src/domain/completeness/gap.ts'
import { tillbridge } from '../../cli/run.ts'
import { sale } from '../../fixtures/payloads.ts'
import { type Desk, openDesk } from '../../http/read-models/given.ts'
import { ADMIN_TOKEN } from '../../hub.ts'
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

test.each(['the log was gone', 'no subscription stood', 'the log could not be read'])(
  'when lists have proven what no log could, then it is said why: %s',
  async (why) => {
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
  },
)
