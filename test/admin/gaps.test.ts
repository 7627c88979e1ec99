import { expect, test } from 'vitest'
import type { GapView } from '../../src/admin/completeness.ts'
import type { GapChange } from '../../src/domain/completeness/gap.ts'
import type { Answered } from '../../src/storage/read-completeness.ts'
import { startTestHub } from '../hub.ts'

const HOUR = 3_600_000

test('when something is missing, then it is listed with what repairs it, until a person says why it need not be', async () => {
  await using hub = await startTestHub()
  const { storage } = hub.hub
  const now = Date.now()
  expect((await hub.admin<Answered>('completeness')).body).toEqual({
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

  expect((await hub.admin<Answered>('completeness')).body).toMatchObject({
    verdict: 'unknown',
    watermarks: [{ gaps: 1 }],
  })
  const before = `completeness?until=${new Date(now - 2 * HOUR).toISOString()}`
  expect((await hub.admin<Answered>(before)).body.verdict).toBe('proven')
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
