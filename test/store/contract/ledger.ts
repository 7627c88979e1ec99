import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { type GapChange, gapKey, type KeptGap, type SeenGap } from '../../../src/domain/ledger/gap.ts'
import type { Watermark } from '../../../src/domain/ledger/watermark.ts'
import type { Store } from '../../../src/store/store.ts'
import { by, DAY, HOUR, MINUTE } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import type { Check } from '../under-test.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')

/** What is not proven to be here, what was looked through, and up to where all is. */
export function ledger(check: Check): void {
  check('When a gap is seen twice, then it is one, and both times are known', async ({ store }) => {
    await store.saveLedger({ gaps: [see('e1')] }, NOON)
    await store.saveLedger(
      { gaps: [see('e1', { cause: 'claimed', evidence: { facts: { pulled: true } } })] },
      NOON + HOUR,
    )
    const evidence = { log: { status: 404 }, facts: { pulled: true } }
    const is = { state: 'open', cause: 'claimed', firstSeenAt: NOON, lastSeenAt: NOON + HOUR, evidence, ended: null }
    expect(await store.gaps({}, 0, 10)).toMatchObject([{ ...gap('e1'), ...is }])
  })

  check('When it is mended, then it is over, until it is seen again', async ({ store }) => {
    const mend: GapChange = { type: 'mend', key: gapKey(gap('e1')), reason: 'it has come' }
    await store.saveLedger({ gaps: [see('e1'), { ...mend, key: 'of/no/such/gap' }] }, NOON)
    await store.saveLedger({ gaps: [mend] }, NOON + HOUR)
    const ended = { at: NOON + HOUR, by: 'hub', reason: 'it has come' }
    expect(await store.gaps({}, 0, 10)).toMatchObject([{ state: 'mended', ended }])
    await store.saveLedger({ gaps: [mend] }, NOON + 2 * HOUR)
    expect(await store.gaps({ state: 'mended' }, 0, 10)).toMatchObject([{ ended }])
    await store.saveLedger({ gaps: [see('e1')] }, NOON + DAY)
    expect(await store.gaps({}, 0, 10)).toMatchObject([{ state: 'open', firstSeenAt: NOON, ended: null }])
  })

  check(
    'When one of several gaps is about something of an endless name, then each is kept, and known again',
    async ({ store }) => {
      const endless = randomBytes(3_000).toString('base64url')
      const gaps = [see('e1'), see(endless), see('e2')]
      await store.saveLedger({ gaps }, NOON)
      await store.saveLedger({ gaps }, NOON + HOUR)
      const mend: GapChange = { type: 'mend', key: gapKey(gap(endless)), reason: 'it has come' }
      await store.saveLedger({ gaps: [mend] }, NOON + HOUR)
      expect((await store.gaps({}, 0, 10)).map(({ subject, state }) => [subject, state])).toEqual([
        ['e1', 'open'],
        [endless, 'mended'],
        ['e2', 'open'],
      ])
    },
  )

  check('When a person explains gaps, then they stay so, and the audit names who and why', async ({ store }) => {
    await store.saveLedger({ gaps: [see('e1'), see('e2'), see('e3', { storeId: '13' })] }, NOON)
    const dry = await store.explainGaps({ storeId: '12' }, by(NOON + HOUR, true))
    expect(dry).toMatchObject({ matched: 2, changed: 0 })
    const done = await store.explainGaps({ storeId: '12' }, by(NOON + HOUR))
    expect(done).toMatchObject({ matched: 2, changed: 2, sample: [{ state: 'explained' }, { state: 'explained' }] })
    expect(await store.act(done.act ?? 0)).toMatchObject({ action: 'explain', by: 'kari', changed: 2 })
    await store.saveLedger({ gaps: [see('e1'), see('e3', { storeId: '13' })] }, NOON + DAY)
    const ended = { at: NOON + HOUR, by: 'kari', reason: 'asked for it' }
    expect(await store.gaps({ state: 'explained' }, 0, 10)).toMatchObject([
      { subject: 'e1', ended, lastSeenAt: NOON + DAY },
      { subject: 'e2', ended },
    ])
    expect(await subjects(store, { state: 'open' })).toEqual(['e3'])
    expect(await store.explainGaps({ storeId: '12' }, by(NOON + DAY))).toMatchObject({ matched: 0, changed: 0 })
  })

  check('When gaps are asked for, then page after page, and no others come', async ({ store }) => {
    const till = see('Z 7', { road: 'till', kind: null, storeId: null, day: '2026-11-19', at: NOON - DAY })
    const shop = see('e4', { road: 'destination', destination: 'shop' })
    await store.saveLedger({ gaps: [see('e1'), see('e2'), see('e3', { storeId: '13' }), till, shop] }, NOON)
    const [first, second] = await store.gaps({}, 0, 2)
    expect([first?.subject, second?.subject]).toEqual(['e1', 'e2'])
    expect((await store.gaps({}, second?.id ?? 0, 10)).map(({ subject }) => subject)).toEqual(['e3', 'Z 7', 'e4'])
    expect(await subjects(store, { road: 'till' })).toEqual(['Z 7'])
    expect(await subjects(store, { kind: 'SaleCreated', storeId: '13' })).toEqual(['e3'])
    expect(await subjects(store, { destination: 'shop', state: 'open' })).toEqual(['e4'])
    expect(await subjects(store, { day: '2026-11-19' })).toEqual(['Z 7'])
    expect(await subjects(store, { cause: 'claimed' })).toEqual([])
    expect(await subjects(store, { id: first?.id ?? 0 })).toEqual(['e1'])
  })

  check('When gaps are open, then the oldest of each kind and store is known, and how many there are', async (the) => {
    const { store } = the
    const mended: GapChange = { type: 'mend', key: gapKey(gap('e0')), reason: 'here' }
    const older = see('e0', { at: NOON - DAY })
    const later = see('e2', { at: NOON + MINUTE, storeId: null })
    await store.saveLedger({ gaps: [see('e1'), older, mended, later, see('e3', { at: NOON - HOUR })] }, NOON)
    const oldest = await store.oldestGaps('log')
    expect(oldest.sort((a, b) => a.at - b.at)).toEqual([
      { kind: 'SaleCreated', storeId: '12', destination: null, cause: 'failed', at: NOON - HOUR, count: 2 },
      { kind: 'SaleCreated', storeId: null, destination: null, cause: 'failed', at: NOON + MINUTE, count: 1 },
    ])
    expect(await store.oldestGaps('facts')).toEqual([])
    await store.saveLedger({ gaps: [see('e9', { cause: 'claimed' })] }, NOON + HOUR)
    const counts = await store.gapCounts(NOON + 1)
    expect(counts.sort((a, b) => (a.cause < b.cause ? -1 : 1))).toEqual([
      { road: 'log', cause: 'claimed', open: 1, oldest: NOON + HOUR, recent: 1 },
      { road: 'log', cause: 'failed', open: 3, oldest: NOON, recent: 0 },
    ])
  })

  check('When stretches of time are covered, then those that touch become one, each scope for itself', async (the) => {
    const { store } = the
    const cover = async (from: number, to: number, scope = 'w1') =>
      await store.saveLedger({ covered: [{ road: 'log', scope, from: NOON + from, to: NOON + to }] }, NOON)
    await cover(0, 10)
    await cover(20, 30)
    await cover(40, 50)
    await cover(10, 12, 'w2')
    await cover(5, 5)
    expect(await ranges(store)).toEqual([
      [0, 10],
      [20, 30],
      [40, 50],
    ])
    await cover(10, 20)
    expect(await ranges(store)).toEqual([
      [0, 30],
      [40, 50],
    ])
    await cover(-5, 45)
    expect(await ranges(store)).toEqual([[-5, 50]])
    await cover(1, 2)
    expect(await ranges(store)).toEqual([[-5, 50]])
    expect(await ranges(store, 'w2')).toEqual([[10, 12]])
    expect(await store.covered('facts', 'w1')).toEqual([])
  })

  check(
    'When more was taken for covered than was, then it is taken back from there on, in its own scope',
    async (the) => {
      const { store } = the
      const cover = async (scope: string, ...pairs: [number, number][]) => {
        const covered = pairs.map(([from, to]) => ({ road: 'log' as const, scope, from: NOON + from, to: NOON + to }))
        await store.saveLedger({ covered }, NOON)
      }
      await cover('w1', [0, 10], [20, 30], [40, 50])
      await cover('w2', [0, 50])
      const uncovered = [{ road: 'log', scope: 'w1', from: NOON + 25 }] as const
      await store.saveLedger(
        { uncovered, covered: [{ road: 'log', scope: 'w1', from: NOON + 60, to: NOON + 70 }] },
        NOON,
      )
      expect(await ranges(store)).toEqual([
        [0, 10],
        [20, 25],
        [60, 70],
      ])
      expect(await ranges(store, 'w2')).toEqual([[0, 50]])
    },
  )

  check('When watermarks are put, then each takes the place of the one before, and one can go', async ({ store }) => {
    const put = (watermark: Watermark) => store.saveLedger({ watermarks: [{ type: 'put', watermark }] }, NOON)
    const all: Watermark = { level: 'log', kind: 'SaleCreated', storeId: null, from: 1, until: NOON, since: NOON }
    const one = { ...all, storeId: '12', until: NOON - DAY }
    await put(all)
    await put(one)
    await put({ ...all, until: NOON + HOUR })
    await put({ ...all, level: 'facts' })
    expect(await store.watermarks()).toEqual([{ ...all, level: 'facts' }, { ...all, until: NOON + HOUR }, one])
    const { level, kind, storeId } = one
    await store.saveLedger({ watermarks: [{ type: 'drop', level, kind, storeId }] }, NOON)
    expect(await store.watermarks()).toEqual([
      { ...all, level: 'facts' },
      { ...all, until: NOON + HOUR },
    ])
  })

  check('When the hub ends, then all of it is there for the next one', async (the) => {
    const watermark: Watermark = { level: 'log', kind: 'SaleCreated', storeId: '12', from: 1, until: 2, since: 3 }
    const covered = [{ road: 'log', scope: 'w', from: 1, to: 2 }] as const
    const odd = see('æ 😀 "\\', { evidence: { log: { text: 'æ "' } } })
    await the.store.saveLedger({ gaps: [odd], covered, watermarks: [{ type: 'put', watermark }] }, NOON)
    const store = await the.reopen()
    expect(await store.gaps({}, 0, 10)).toMatchObject([odd.gap])
    expect(await store.covered('log', 'w')).toEqual([{ from: 1, to: 2 }])
    expect(await store.watermarks()).toEqual([watermark])
  })

  check('When one part of a change cannot be kept, then nothing of it is', async ({ store }) => {
    const covered = [{ road: 'log', scope: 'w', from: 1, to: 2 }] as const
    const broken: SeenGap = { ...gap('e2'), at: Number.NaN }
    await expect(store.saveLedger({ covered, gaps: [see('e1'), { type: 'see', gap: broken }] }, NOON)).rejects.toThrow()
    expect(await store.covered('log', 'w')).toEqual([])
    expect(await store.gaps({}, 0, 10)).toEqual([])
  })

  check(
    'When it is asked whether something is known, then by its key, else its identity, else its bytes',
    async (the) => {
      const { arrival } = createArrivals(the.clock)
      const named = arrival({ transportKey: 'k-1', identity: 'sale-1' })
      const unnamed = arrival({ transportKey: null, identity: null })
      const verdicts = await the.store.accept([named, unnamed])
      const [first, second] = verdicts.map(({ id }) => id)
      const other = { ...named, transportKey: 'k-2' }
      const none = { ...other, identity: 'sale-2' }
      const told = await the.store.known([named, other, { ...unnamed, transportKey: 'k-3' }, none])
      const { bodyHash, receivedAt, subscription } = named
      const same = { receivedAt, subscription }
      expect(told).toEqual([
        { id: first, by: 'transport', bodyHash, hasKey: true, ...same },
        { id: first, by: 'identity', bodyHash, hasKey: true, ...same },
        { ...same, id: second, by: 'bytes', bodyHash: unnamed.bodyHash, hasKey: false },
        null,
      ])
      expect(await the.store.known([])).toEqual([])
    },
  )
}

function gap(subject: string, rest: Partial<SeenGap> = {}): SeenGap {
  const where = { storeId: '12', destination: null, day: null } as const
  const what = {
    road: 'log',
    cause: 'failed',
    kind: 'SaleCreated',
    at: NOON,
    evidence: { log: { status: 404 } },
  } as const
  return { ...where, ...what, subject, ...rest }
}

function see(subject: string, rest: Partial<SeenGap> = {}): Extract<GapChange, { type: 'see' }> {
  return { type: 'see', gap: gap(subject, rest) }
}

async function subjects(store: Store, filter: Parameters<Store['gaps']>[0]): Promise<KeptGap['subject'][]> {
  return (await store.gaps(filter, 0, 10)).map(({ subject }) => subject)
}

async function ranges(store: Store, scope = 'w1') {
  return (await store.covered('log', scope)).map(({ from, to }) => [from - NOON, to - NOON])
}
