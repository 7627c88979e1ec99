import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { GapChange } from '../../src/domain/completeness/gap.ts'
import { bulkActsJob } from '../../src/jobs/bulk-acts.ts'
import { createLogger } from '../../src/lib/logger.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { openTestStore } from '../empty-store.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { busTo, startTestHub } from '../hub.ts'
import { temporaryFolder } from '../storage/sqlite/file.ts'

const GAPS = 2_500
const ACT = {
  ...{ at: 1, by: 'kari', role: 'operator', address: '10.0.0.1', action: 'explain' },
  ...{ reason: 'the POS was a spare one', selection: { cause: 'z-missing' } },
} as const

/** A storage with more gaps than two slices, and an act on all of them that has begun. */
async function openBegun() {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryFolder())
  const storage = opened.use(await openTestStore(join(folder.path, 'store.db')))
  const gaps = Array.from({ length: GAPS }, (_, nth): GapChange => {
    const of = {
      source: 'pos',
      cause: 'z-missing',
      kind: null,
      storeId: '101',
      destination: null,
      day: '2026-11-20',
    } as const
    return { type: 'see', gap: { ...of, subject: `1011/${nth}`, at: 1, evidence: {} } }
  })
  await storage.saveReconciliation({ gaps }, 1)
  const act = await storage.beginBulkAct(ACT, GAPS)
  const scope = opened.move()
  return { storage, act, [Symbol.asyncDispose]: () => scope.disposeAsync() }
}

const open = (storage: Storage) => storage.gaps({ state: 'open' }, 0, GAPS)

function runOn(storage: Storage, signal = new AbortController().signal): Promise<{ note: string }> {
  const logger = createLogger('info', { write: () => {} })
  const job = bulkActsJob({ storage, probe: async () => {}, logger })
  return job.run({ now: 1, asked: true, signal, state: null, save: async () => {} })
}

/** After its first slice. */
function afterFirst(storage: Storage, then: () => Promise<unknown>): Storage {
  let slices = 0
  return {
    ...storage,
    async bulkActCameTo(act, after) {
      slices += 1
      if (slices === 1) await then()
      return await storage.bulkActCameTo(act, after)
    },
  }
}

describe('an act on all that a filter finds', () => {
  test('When the hub stops in the middle, then its next run does the rest, oldest first, each once', async () => {
    await using begun = await openBegun()
    const { storage, act } = begun
    const stopping = new AbortController()
    const stopped = runOn(
      afterFirst(storage, async () => stopping.abort(new Error('The hub is stopping.'))),
      stopping.signal,
    )
    await expect(stopped).rejects.toThrow('stopping')
    const left = await open(storage)
    expect([left.length, left[0]?.subject]).toEqual([GAPS - 1_000, '1011/1000'])
    expect(await storage.bulkAct(act)).toMatchObject({ changed: 1_000, endedAt: null, by: 'kari', role: 'operator' })

    expect(await runOn(storage)).toEqual({ note: '1 act ended' })
    expect(await open(storage)).toEqual([])
    expect(await storage.bulkAct(act)).toMatchObject({ changed: GAPS, matched: GAPS, outcome: 'done', problem: null })
  })

  test('When it is cancelled, then what is done stays done, and the rest is left alone', async () => {
    await using begun = await openBegun()
    const { storage, act } = begun
    await runOn(afterFirst(storage, () => storage.endBulkAct(act, 'cancelled', 2, null)))
    expect((await open(storage)).length).toBe(GAPS - 1_000)
    expect(await storage.bulkAct(act)).toMatchObject({ changed: 1_000, endedAt: 2, outcome: 'cancelled' })
    expect(await storage.endBulkAct(act, 'done', 3, null)).toBe(false)
  })

  test('When it cannot be done, then it has failed, and the next one has its turn', async () => {
    await using begun = await openBegun()
    const { storage, act } = begun
    const unknown = await storage.beginBulkAct({ ...ACT, action: 'unheard of' }, 1)
    expect(await runOn(storage)).toEqual({ note: '2 acts ended' })
    expect(await storage.bulkAct(unknown)).toMatchObject({
      outcome: 'failed',
      problem: expect.stringContaining('unheard of'),
    })
    expect(await storage.bulkAct(act)).toMatchObject({ outcome: 'done' })
  })
})

test('When an operator asks for it, then it goes on after the answer, and the audit has its list', async () => {
  await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:9/') } })
  await hub.admin('destinations/bus/pause', {})
  for (let receiptNo = 1001; receiptNo < 1004; receiptNo += 1) await hub.post('SaleCreated', sale({ receiptNo }))
  await eventually(async () => {
    const { body } = await hub.admin<{ deliveries: object[] }>('deliveries?state=waiting')
    expect(body.deliveries).toHaveLength(3)
  })
  const filter = { destination: 'bus' }
  expect((await hub.admin('deliveries/skip', { filter, background: true })).status).toBe(400)
  const { body } = await hub.admin<{ act: number; matched: number }>('deliveries/skip', {
    ...{ filter, background: true, reason: 'a test' },
  })
  expect(body).toMatchObject({ matched: 3, act: expect.any(Number) })
  await eventually(async () =>
    expect((await hub.admin(`acts/${body.act}`)).body).toMatchObject({ outcome: 'done', changed: 3, reason: 'a test' }),
  )
  const entry = await hub.admin<{ deliveries: object[] }>(`audit/${body.act}`)
  expect(entry.body).toMatchObject({ action: 'skip', changed: 3, deliveries: [{}, {}, {}] })
  expect((await hub.admin(`acts/${body.act}/cancel`, {})).body).toMatchObject({ outcome: 'done' })
})
