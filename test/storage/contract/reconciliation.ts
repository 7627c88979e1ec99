import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Watermark } from '../../../src/domain/completeness/completeness.ts'
import { type DetectedGap, type GapChange, gapKey, type StoredGap } from '../../../src/domain/completeness/gap.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { by, DAY, HOUR, MINUTE } from '../acting.ts'
import type { StoreTest } from '../under-test.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')

/** What is not proven to be here, what was looked through, and up to where all is. */
export function reconciliation(test: StoreTest): void {
  test('When a gap is seen twice, then it is one, and both times are known', async ({ storage }) => {
    await storage.saveReconciliation({ gaps: [see('e1')] }, NOON)
    await storage.saveReconciliation(
      { gaps: [see('e1', { cause: 'claimed', evidence: { lists: { pulled: true } } })] },
      NOON + HOUR,
    )
    const evidence = { log: { status: 404 }, lists: { pulled: true } }
    const is = { state: 'open', cause: 'claimed', firstSeenAt: NOON, lastSeenAt: NOON + HOUR, evidence, ended: null }
    expect(await storage.gaps({}, 0, 10)).toMatchObject([{ ...gap('e1'), ...is }])
  })

  test('When it is repaired, then it is over, until it is seen again', async ({ storage }) => {
    const repair: GapChange = { type: 'repair', key: gapKey(gap('e1')), reason: 'it has come' }
    await storage.saveReconciliation({ gaps: [see('e1'), { ...repair, key: 'of/no/such/gap' }] }, NOON)
    await storage.saveReconciliation({ gaps: [repair] }, NOON + HOUR)
    const ended = { at: NOON + HOUR, by: 'hub', reason: 'it has come' }
    expect(await storage.gaps({}, 0, 10)).toMatchObject([{ state: 'repaired', ended }])
    await storage.saveReconciliation({ gaps: [repair] }, NOON + 2 * HOUR)
    expect(await storage.gaps({ state: 'repaired' }, 0, 10)).toMatchObject([{ ended }])
    await storage.saveReconciliation({ gaps: [see('e1')] }, NOON + DAY)
    expect(await storage.gaps({}, 0, 10)).toMatchObject([{ state: 'open', firstSeenAt: NOON, ended: null }])
  })

  test('When one of several gaps is about something of an endless name, then each is kept, and known again', async (the) => {
    const { storage } = the
    const endless = randomBytes(3_000).toString('base64url')
    const gaps = [see('e1'), see(endless), see('e2')]
    await storage.saveReconciliation({ gaps }, NOON)
    await storage.saveReconciliation({ gaps }, NOON + HOUR)
    const repair: GapChange = { type: 'repair', key: gapKey(gap(endless)), reason: 'it has come' }
    await storage.saveReconciliation({ gaps: [repair] }, NOON + HOUR)
    expect((await storage.gaps({}, 0, 10)).map(({ subject, state }) => [subject, state])).toEqual([
      ['e1', 'open'],
      [endless, 'repaired'],
      ['e2', 'open'],
    ])
  })

  test('When a person explains gaps, then they stay so, and the audit names who and why', async ({ storage }) => {
    await storage.saveReconciliation({ gaps: [see('e1'), see('e2'), see('e3', { storeId: '13' })] }, NOON)
    const dry = await storage.explainGaps({ storeId: '12' }, by(NOON + HOUR, true))
    expect(dry).toMatchObject({ matched: 2, changed: 0 })
    const done = await storage.explainGaps({ storeId: '12' }, by(NOON + HOUR))
    expect(done).toMatchObject({ matched: 2, changed: 2, sample: [{ state: 'explained' }, { state: 'explained' }] })
    expect(await storage.act(done.act ?? 0)).toMatchObject({ action: 'explain', by: 'kari', changed: 2 })
    await storage.saveReconciliation({ gaps: [see('e1'), see('e3', { storeId: '13' })] }, NOON + DAY)
    const ended = { at: NOON + HOUR, by: 'kari', reason: 'asked for it' }
    expect(await storage.gaps({ state: 'explained' }, 0, 10)).toMatchObject([
      { subject: 'e1', ended, lastSeenAt: NOON + DAY },
      { subject: 'e2', ended },
    ])
    expect(await subjects(storage, { state: 'open' })).toEqual(['e3'])
    expect(await storage.explainGaps({ storeId: '12' }, by(NOON + DAY))).toMatchObject({ matched: 0, changed: 0 })
  })

  test('When gaps are asked for, then page after page, and no others come', async ({ storage }) => {
    const pos = see('Z 7', { source: 'pos', kind: null, storeId: null, day: '2026-11-19', at: NOON - DAY })
    const shop = see('e4', { source: 'destination', destination: 'shop' })
    await storage.saveReconciliation({ gaps: [see('e1'), see('e2'), see('e3', { storeId: '13' }), pos, shop] }, NOON)
    const [first, second] = await storage.gaps({}, 0, 2)
    expect([first?.subject, second?.subject]).toEqual(['e1', 'e2'])
    expect((await storage.gaps({}, second?.id ?? 0, 10)).map(({ subject }) => subject)).toEqual(['e3', 'Z 7', 'e4'])
    expect(await subjects(storage, { source: 'pos' })).toEqual(['Z 7'])
    expect(await subjects(storage, { kind: 'SaleCreated', storeId: '13' })).toEqual(['e3'])
    expect(await subjects(storage, { destination: 'shop', state: 'open' })).toEqual(['e4'])
    expect(await subjects(storage, { day: '2026-11-19' })).toEqual(['Z 7'])
    expect(await subjects(storage, { cause: 'claimed' })).toEqual([])
    expect(await subjects(storage, { id: first?.id ?? 0 })).toEqual(['e1'])
  })

  test('When gaps are open, then the oldest of each kind and store is known, and how many there are', async (the) => {
    const { storage } = the
    const repaired: GapChange = { type: 'repair', key: gapKey(gap('e0')), reason: 'here' }
    const older = see('e0', { at: NOON - DAY })
    const later = see('e2', { at: NOON + MINUTE, storeId: null })
    await storage.saveReconciliation(
      { gaps: [see('e1'), older, repaired, later, see('e3', { at: NOON - HOUR })] },
      NOON,
    )
    const oldest = await storage.oldestGaps('log')
    expect(oldest.sort((a, b) => a.at - b.at)).toEqual([
      { kind: 'SaleCreated', storeId: '12', destination: null, cause: 'failed', at: NOON - HOUR, count: 2 },
      { kind: 'SaleCreated', storeId: null, destination: null, cause: 'failed', at: NOON + MINUTE, count: 1 },
    ])
    expect(await storage.oldestGaps('lists')).toEqual([])
    await storage.saveReconciliation({ gaps: [see('e9', { cause: 'claimed' })] }, NOON + HOUR)
    const counts = await storage.gapCounts(NOON + 1)
    expect(counts.sort((a, b) => (a.cause < b.cause ? -1 : 1))).toEqual([
      { source: 'log', cause: 'claimed', open: 1, oldest: NOON + HOUR, recent: 1 },
      { source: 'log', cause: 'failed', open: 3, oldest: NOON, recent: 0 },
    ])
  })

  test('When stretches of time are covered, then those that touch become one, each scope for itself', async (the) => {
    const { storage } = the
    const cover = async (from: number, to: number, scope = 'w1') =>
      await storage.saveReconciliation({ covered: [{ source: 'log', scope, from: NOON + from, to: NOON + to }] }, NOON)
    await cover(0, 10)
    await cover(20, 30)
    await cover(40, 50)
    await cover(10, 12, 'w2')
    await cover(5, 5)
    expect(await ranges(storage)).toEqual([
      [0, 10],
      [20, 30],
      [40, 50],
    ])
    await cover(10, 20)
    expect(await ranges(storage)).toEqual([
      [0, 30],
      [40, 50],
    ])
    await cover(-5, 45)
    expect(await ranges(storage)).toEqual([[-5, 50]])
    await cover(1, 2)
    expect(await ranges(storage)).toEqual([[-5, 50]])
    expect(await ranges(storage, 'w2')).toEqual([[10, 12]])
    expect(await storage.covered('lists', 'w1')).toEqual([])
  })

  test('When more was taken for covered than was, then it is taken back from there on, in its own scope', async (the) => {
    const { storage } = the
    const cover = async (scope: string, ...pairs: [number, number][]) => {
      const covered = pairs.map(([from, to]) => ({ source: 'log' as const, scope, from: NOON + from, to: NOON + to }))
      await storage.saveReconciliation({ covered }, NOON)
    }
    await cover('w1', [0, 10], [20, 30], [40, 50])
    await cover('w2', [0, 50])
    const uncovered = [{ source: 'log', scope: 'w1', from: NOON + 25 }] as const
    await storage.saveReconciliation(
      { uncovered, covered: [{ source: 'log', scope: 'w1', from: NOON + 60, to: NOON + 70 }] },
      NOON,
    )
    expect(await ranges(storage)).toEqual([
      [0, 10],
      [20, 25],
      [60, 70],
    ])
    expect(await ranges(storage, 'w2')).toEqual([[0, 50]])
  })

  test('When watermarks are put, then each takes the place of the one before, and one can go', async ({ storage }) => {
    const put = (watermark: Watermark) => storage.saveReconciliation({ watermarks: [{ type: 'put', watermark }] }, NOON)
    const all: Watermark = { level: 'log', kind: 'SaleCreated', storeId: null, from: 1, until: NOON, since: NOON }
    const one = { ...all, storeId: '12', until: NOON - DAY }
    await put(all)
    await put(one)
    await put({ ...all, until: NOON + HOUR })
    await put({ ...all, level: 'lists' })
    expect(await storage.watermarks()).toEqual([{ ...all, level: 'lists' }, { ...all, until: NOON + HOUR }, one])
    const { level, kind, storeId } = one
    await storage.saveReconciliation({ watermarks: [{ type: 'drop', level, kind, storeId }] }, NOON)
    expect(await storage.watermarks()).toEqual([
      { ...all, level: 'lists' },
      { ...all, until: NOON + HOUR },
    ])
  })

  test('When the hub ends, then all of it is there for the next one', async (the) => {
    const watermark: Watermark = { level: 'log', kind: 'SaleCreated', storeId: '12', from: 1, until: 2, since: 3 }
    const covered = [{ source: 'log', scope: 'w', from: 1, to: 2 }] as const
    const odd = see('æ 😀 "\\', { evidence: { log: { text: 'æ "' } } })
    await the.storage.saveReconciliation({ gaps: [odd], covered, watermarks: [{ type: 'put', watermark }] }, NOON)
    const storage = await the.reopen()
    expect(await storage.gaps({}, 0, 10)).toMatchObject([odd.gap])
    expect(await storage.covered('log', 'w')).toEqual([{ from: 1, to: 2 }])
    expect(await storage.watermarks()).toEqual([watermark])
  })

  test('When one part of a change cannot be kept, then nothing of it is', async ({ storage }) => {
    const covered = [{ source: 'log', scope: 'w', from: 1, to: 2 }] as const
    const broken: DetectedGap = { ...gap('e2'), at: Number.NaN }
    await expect(
      storage.saveReconciliation({ covered, gaps: [see('e1'), { type: 'see', gap: broken }] }, NOON),
    ).rejects.toThrow()
    expect(await storage.covered('log', 'w')).toEqual([])
    expect(await storage.gaps({}, 0, 10)).toEqual([])
  })

  test('When it is asked whether something is known, then by its key, else its identity, else its bytes', async (the) => {
    const named = the.arrival({ transportKey: 'k-1', identity: 'sale-1' })
    const unnamed = the.arrival({ transportKey: null, identity: null })
    const verdicts = await the.storage.accept([named, unnamed])
    const [first, second] = verdicts.map(({ id }) => id)
    const other = { ...named, transportKey: 'k-2' }
    const none = { ...other, identity: 'sale-2' }
    const reported = await the.storage.known([named, other, { ...unnamed, transportKey: 'k-3' }, none])
    const { bodyHash, receivedAt, subscription } = named
    const same = { receivedAt, subscription }
    expect(reported).toEqual([
      { id: first, by: 'transport', bodyHash, hasKey: true, ...same },
      { id: first, by: 'identity', bodyHash, hasKey: true, ...same },
      { ...same, id: second, by: 'bytes', bodyHash: unnamed.bodyHash, hasKey: false },
      null,
    ])
    expect(await the.storage.known([])).toEqual([])
  })
}

function gap(subject: string, rest: Partial<DetectedGap> = {}): DetectedGap {
  const where = { storeId: '12', destination: null, day: null } as const
  const what = {
    source: 'log',
    cause: 'failed',
    kind: 'SaleCreated',
    at: NOON,
    evidence: { log: { status: 404 } },
  } as const
  return { ...where, ...what, subject, ...rest }
}

function see(subject: string, rest: Partial<DetectedGap> = {}): Extract<GapChange, { type: 'see' }> {
  return { type: 'see', gap: gap(subject, rest) }
}

async function subjects(storage: Storage, filter: Parameters<Storage['gaps']>[0]): Promise<StoredGap['subject'][]> {
  return (await storage.gaps(filter, 0, 10)).map(({ subject }) => subject)
}

async function ranges(storage: Storage, scope = 'w1') {
  return (await storage.covered('log', scope)).map(({ from, to }) => [from - NOON, to - NOON])
}
