import { describe, expect, test } from 'vitest'
import type { Audit, Part } from '../../src/store/screens.ts'
import { createVerbs, releasedBy } from '../../src/store/verbs.ts'

/** A store with so many deliveries, events and gaps that a verb applies to; what was asked of it is in `asked`. */
function given(count: number, { changes = (ids: number[]) => ids.length } = {}) {
  const asked: unknown[][] = []
  const all = Array.from({ length: count }, (_, n) => n + 1)
  const selected = (which: object) => ({ matched: count, sample: [{ which }] as never })
  const idsAfter = (after: number, limit: number) => all.filter((id) => id > after).slice(0, limit)
  const rows = (ids: number[]) => ids.map((id) => ({ id })) as never
  const note =
    (name: string) =>
    async (...args: unknown[]) => {
      asked.push([name, ...args])
      return changes(args[0] as number[])
    }
  let changed = 0
  const verbs = createVerbs(
    {
      async matching(which, touched) {
        asked.push(['matching', which, touched])
        return selected(which)
      },
      async ids(which, touched, after, limit) {
        asked.push(['ids', which, touched, after, limit])
        return idsAfter(after, limit)
      },
      rows: async (ids) => rows(ids),
      toDismiss: async (which) => selected(which),
      eventRows: async (ids) => rows(ids),
      idsToDismiss: async (_, after, limit) => idsAfter(after, limit),
      toExplain: async (which) => selected(which),
      gapRows: async (ids) => rows(ids),
      idsToExplain: async (_, after, limit) => idsAfter(after, limit),
    },
    {
      retry: note('retry'),
      skip: note('skip'),
      letGo: note('letGo'),
      move: note('move'),
      dismiss: note('dismiss'),
      explain: note('explain'),
      async noteAct(act, events) {
        asked.push(['noteAct', act, events])
        return 77
      },
    },
    async () => {
      changed += 1
    },
  )
  return { verbs, asked, of: (name: string) => asked.filter(([one]) => one === name), changed: () => changed }
}

const AUDIT: Audit = { by: 'kari', reason: 'asked for it', at: 9, dryRun: false }
const OPEN = { states: ['waiting', 'claimed', 'held', 'dead'] }

/** What each verb does with two of its kind. */
const VERBS: [
  string,
  (verbs: ReturnType<typeof createVerbs>, audit: Audit) => Promise<unknown>,
  object,
  object | null,
][] = [
  ['skip', (verbs, audit) => verbs.skip({ destination: 'shop' }, audit), { destination: 'shop' }, OPEN],
  ['letGo', (verbs, audit) => verbs.releaseHeld({ id: 1 }, audit), { id: 1 }, { states: ['held'], certain: true }],
  ['dismiss', (verbs, audit) => verbs.dismiss({ kind: 'SaleCreated' }, audit), { kind: 'SaleCreated' }, null],
  ['explain', (verbs, audit) => verbs.explainGaps({} as never, audit), {}, null],
]
const ACTIONS: Record<string, string> = { skip: 'skip', letGo: 'release', dismiss: 'dismiss', explain: 'explain' }

describe.each(VERBS)('%s', (name, act, selection, touched) => {
  test('When a person acts, then it is noted first, and done to all that are selected, in that act', async () => {
    const { verbs, asked, of, changed } = given(2)
    expect(await act(verbs, AUDIT)).toEqual({
      matched: 2,
      changed: 2,
      sample: [{ id: 1 }, { id: 2 }],
      act: 77,
      next: null,
    })
    expect(of('noteAct')).toEqual([
      [
        'noteAct',
        {
          at: 9,
          by: 'kari',
          action: ACTIONS[name],
          reason: 'asked for it',
          selection: JSON.stringify(selection),
          changed: 0,
          refused: null,
        },
        [],
      ],
    ])
    expect(of(name)).toEqual([[name, [1, 2], AUDIT, 77]])
    if (touched) expect(asked[0]).toEqual(['matching', selection, touched])
    if (touched) expect(of('ids')).toEqual([['ids', selection, touched, 0, 2_000]])
    expect(changed()).toBe(touched ? 1 : 0)
  })

  test('When it is a dry run, then it is counted, with a sample, and nothing is done or noted', async () => {
    const { verbs, asked, changed } = given(2)
    const dry = await act(verbs, { ...AUDIT, dryRun: true })
    expect(dry).toEqual({ matched: 2, changed: 0, sample: [{ which: selection }], act: null, next: null })
    expect([asked.filter(([one]) => one !== 'matching'), changed()]).toEqual([[], 0])
  })
})

describe('trying again', () => {
  test('When many are tried again, then they let others go first; one that is named by its id does not', async () => {
    const { verbs, of, asked } = given(1)
    await verbs.retry({ destination: 'shop' }, AUDIT, false)
    await verbs.retry({ id: 1 }, AUDIT, true)
    expect(of('retry')).toEqual([
      ['retry', [1], false, true, AUDIT, 77],
      ['retry', [1], true, false, AUDIT, 77],
    ])
    expect(asked[0]).toEqual(['matching', { destination: 'shop' }, { states: ['waiting', 'held', 'dead', 'skipped'] }])
    expect(of('noteAct').map(([, one]) => (one as { action: string }).action)).toEqual(['retry', 'retry again'])
  })
})

describe('moving', () => {
  test('When deliveries move, then all that are open or dead there do, and the act says from where to where', async () => {
    const { verbs, of, asked } = given(2)
    expect(await verbs.move('shop', 'other', AUDIT)).toMatchObject({ matched: 2, changed: 2, act: 77 })
    expect(of('move')).toEqual([['move', [1, 2], 'other', 77]])
    expect(asked[0]).toEqual(['matching', { destination: 'shop' }, OPEN])
    expect(of('noteAct')[0]?.[1]).toMatchObject({ action: 'move', selection: '{"from":"shop","to":"other"}' })
  })
})

describe('a selection in parts', () => {
  const skip = async (count: number, part: Part | undefined, changes?: (ids: number[]) => number) => {
    const { verbs, of } = given(count, changes && { changes })
    const done = await verbs.skip({}, { ...AUDIT, ...(part && { part }) })
    return { done, slices: of('skip').map(([, ids]) => (ids as number[]).length), noted: of('noteAct').length, of }
  }

  test('When there are thousands, then each commit takes two thousand, and the last ten are shown', async () => {
    const { done, slices, of } = await skip(4_001, undefined)
    expect(slices).toEqual([2_000, 2_000, 1])
    expect(of('ids').map(([, , , after]) => after)).toEqual([0, 2_000, 4_000])
    expect(done).toMatchObject({ matched: 4_001, changed: 4_001, next: null })
    expect(done.sample.map(({ id }) => id)).toEqual([
      3_992, 3_993, 3_994, 3_995, 3_996, 3_997, 3_998, 3_999, 4_000, 4_001,
    ])
  })

  test('When there are exactly as many as a commit takes, then it is asked once more, and nothing is done about none', async () => {
    const { done, slices, of } = await skip(2_000, undefined)
    expect([slices, of('ids').length, done.next]).toEqual([[2_000], 2, null])
  })

  test('When it is done in parts, then only the first is counted and noted, and each says where the next begins', async () => {
    const first = await skip(5, { act: null, after: 0, most: 3 })
    expect(first.done).toMatchObject({ matched: 5, changed: 3, act: 77, next: 3 })
    const second = await skip(5, { act: 50, after: 3, most: 3 })
    expect(second.done).toEqual({ matched: null, changed: 2, sample: [{ id: 4 }, { id: 5 }], act: 50, next: null })
    expect([first.noted, second.noted]).toEqual([1, 0])
    expect(second.of('skip')[0]).toEqual(['skip', [4, 5], expect.anything(), 50])
    expect((await skip(5, { act: 50, after: 3, most: 2 })).done).toMatchObject({ changed: 2, next: 5 })
    expect((await skip(5, { act: 50, after: 5, most: 2 })).done).toMatchObject({ changed: 0, sample: [], next: null })
  })

  test('When somebody else was faster with some of them, then only those count that were changed', async () => {
    expect((await skip(4_001, undefined, (ids) => ids.length - 1)).done.changed).toBe(3_998)
  })

  test('When nothing is selected, then the act is noted all the same, and nothing is done', async () => {
    const { verbs, of } = given(0)
    expect(await verbs.skip({}, AUDIT)).toEqual({ matched: 0, changed: 0, sample: [], act: 77, next: null })
    expect(of('skip')).toEqual([])
  })
})

test('When a person lets one go, then who and why is kept; without a reason, that is empty', () => {
  expect(JSON.parse(releasedBy(AUDIT))).toEqual({ by: 'kari', reason: 'asked for it' })
  expect(JSON.parse(releasedBy({ ...AUDIT, reason: null }))).toEqual({ by: 'kari', reason: '' })
})
