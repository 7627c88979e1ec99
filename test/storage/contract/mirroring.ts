import { expect } from 'vitest'
import type {
  MirrorChange,
  MirrorCursor,
  MirrorFilter,
  MirrorRow,
  StoredMirrorRow,
} from '../../../src/domain/catalogue/mirror.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { SECOND } from '../acting.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

const HOUR = 'store:1/2026-11-20T14'
/** More than 32 bits. */
const AT = Date.parse('2026-11-20T14:00:00Z')
const LARGE = 2 ** 53 - 1

/** The hub's own copy of what the platform knows. */
export function mirroring(test: StoreTest): void {
  keeping(test)
  replacing(test)
  paging(test)
}

function keeping(test: StoreTest): void {
  test('When rows are kept, then they are read by their keys, to the letter, through a restart', async (the) => {
    const body = { gtin: '7310865004703', at: { line: [1, -2.5, null, true] }, text: 'NUL \0, 😀, "\\', none: {} }
    const whole = row({ key: 'ø/1', place: '3', article: '7310865004703', day: '2026-11-20', part: HOUR, body })
    const bare = row({ key: '2', version: LARGE, tie: LARGE })
    await save(the, put(whole), put(bare), put(row({ set: 'sales', key: '2' })))
    const savedAt = the.clock.now()
    const rows = await read(the.storage, 'ø/1', '2', 'missing', '2')
    expect(rows).toEqual([
      { ...whole, id: expect.any(Number), savedAt },
      { ...bare, id: expect.any(Number), savedAt },
    ])
    expect(await read(await the.reopen(), '2', 'ø/1')).toEqual(rows)
    expect(await read(the.storage)).toEqual([])
  })

  test('When a row comes again, then the higher version stays, of equal ones the later', async (the) => {
    const steps: [version: number, tie: number, stays: string][] = [
      [AT, 0, 'a'],
      [AT - 1, 9, 'a'],
      [AT, 0, 'c'],
      [AT, 5, 'd'],
      [AT, 4, 'd'],
      [AT, 5, 'f'],
      [AT + 1, 0, 'g'],
      [LARGE, 0, 'h'],
    ]
    for (const [n, [version, tie, stays]] of steps.entries()) {
      await save(the, put(row({ version, tie, body: { said: 'abcdefgh'[n] } })))
      expect(await read(the.storage, 'k'), `step ${n}`).toMatchObject([{ body: { said: stays } }])
    }
  })

  test('When a newer one comes, then it changes all but the id; the same again changes nothing', async (the) => {
    const first = row({ key: 'k', place: '1', article: 'a', day: '2026-11-20', part: HOUR })
    await save(the, put(first))
    const [before] = await read(the.storage, 'k')
    await the.clock.pass(SECOND)
    await save(the, put({ ...first }))
    expect(await read(the.storage, 'k')).toEqual([before])
    const changes: Partial<MirrorRow>[] = [
      { body: { level: '7' } },
      { day: '2026-11-21' },
      { place: null },
      { article: 'b' },
      { part: null },
      { tie: 1 },
      { version: 1, tie: 0 },
    ]
    let now = first
    for (const change of changes) {
      await the.clock.pass(SECOND)
      now = { ...now, ...change }
      await save(the, put(now))
      expect(await read(the.storage, 'k')).toEqual([{ ...now, id: before?.id, savedAt: the.clock.now() }])
    }
  })

  test('When many write the same at once, then nothing is lost, and the highest stays', async (the) => {
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`)
    const lists = Array.from({ length: 8 }, (_, version) => {
      const rows = keys.map((key) => row({ key, version, body: { version } }))
      return version % 2 === 0 ? rows : rows.reverse()
    })
    await Promise.all(lists.map((rows) => save(the, ...rows.map(put))))
    const kept = await read(the.storage, ...keys)
    expect(kept.map(({ body }) => body)).toEqual(keys.map(() => ({ version: 7 })))
  })
}

function replacing(test: StoreTest): void {
  test('When a part is replaced, then those that are not among its rows go, and no others', async (the) => {
    const lines = ['1', '2', '3'].map((key) => line({ key }))
    const others = [line({ key: '4', part: 'store:1/2026-11-20T15' }), line({ key: '5', part: null })]
    const elsewhere = row({ set: 'sales', key: '6', part: HOUR })
    await save(the, replace(HOUR, lines), ...[...others, elsewhere].map(put))
    const [first, second] = await lineRows(the.storage, '1', '2')
    await the.clock.pass(SECOND)
    const now = [line({ key: '2' }), line({ key: '3', version: 2 }), line({ key: '7' })]
    await save(the, replace(HOUR, now))
    const left = await lineRows(the.storage, '1', '2', '3', '4', '5', '7')
    expect(left.map(({ key }) => key)).toEqual(['2', '3', '4', '5', '7'])
    expect(left[0], 'what is the same is not written').toEqual(second)
    expect(left[1]).toMatchObject({ version: 2, savedAt: the.clock.now() })
    expect(await read(the.storage, '6', 'sales')).toHaveLength(0)
    expect(await the.storage.mirrorRows('sales', ['6'])).toHaveLength(1)
    await save(the, replace(HOUR, []))
    expect((await lineRows(the.storage, '2', '3', '4', '5', '7')).map(({ key }) => key)).toEqual(['4', '5'])
    await save(the, put(line({ key: '1' })))
    const [again] = await lineRows(the.storage, '1')
    expect(again?.id, 'no id comes again').toBeGreaterThan(Math.max(first?.id ?? 0, left.at(-1)?.id ?? 0))
  })

  test('When a row of a part that is replaced is older, then the newer one stays where it is', async (the) => {
    const other = 'store:1/2026-11-20T15'
    await save(the, replace(other, [line({ key: '1', version: 2, part: other })]), put(line({ key: '2', version: 2 })))
    await save(the, replace(HOUR, [line({ key: '1' }), line({ key: '2', body: { older: true } })]))
    expect(await lineRows(the.storage, '1', '2')).toMatchObject([
      { part: other, version: 2 },
      { part: HOUR, version: 2, body: {} },
    ])
  })

  test('When a row moves to another part, then it is there once, and stays when the first is replaced', async (the) => {
    const other = 'store:1/2026-11-20T15'
    await save(the, replace(HOUR, [line({ key: '1' }), line({ key: '2' })]))
    await save(the, replace(other, [line({ key: '2', part: other })]), replace(HOUR, [line({ key: '1' })]))
    expect((await lineRows(the.storage, '1', '2')).map(({ part }) => part)).toEqual([HOUR, other])
  })

  test('When changes come in one list, then they are made in their order', async (the) => {
    await save(the, put(line({ key: '1' })), replace(HOUR, [line({ key: '2' })]), put(line({ key: '3' })))
    expect((await lineRows(the.storage, '1', '2', '3')).map(({ key }) => key)).toEqual(['2', '3'])
    await save(the, replace(HOUR, [line({ key: '4' })]), replace(HOUR, [line({ key: '5' })]))
    expect((await lineRows(the.storage, '2', '3', '4', '5')).map(({ key }) => key)).toEqual(['5'])
    await save(the)
  })
}

function paging(test: StoreTest): void {
  test('When rows are read page by page, then they come by day, then as they first came, each once', async (the) => {
    const days = ['2026-11-21', '', '2026-11-20', '2026-11-20', '2026-11-21', '2026-11-20', '']
    const keys = days.map((_, n) => `${9 - n}`)
    await save(the, ...days.map((day, n) => put(row({ key: keys[n] ?? '', day }))), put(row({ set: 'sales' })))
    // What is changed keeps its place.
    await save(the, put(row({ key: keys[2] ?? '', day: '2026-11-20', body: { changed: true } })))
    const order = [1, 6, 2, 3, 5, 0, 4].map((n) => keys[n])
    const all = await the.storage.mirrorPage({ set: 'stock' }, null, 100)
    expect(all.map(({ key }) => key)).toEqual(order)
    expect(all[2]).toMatchObject({ set: 'stock', body: { changed: true }, savedAt: the.clock.now() })
    expect(all.toSorted((a, b) => a.id - b.id)).toEqual(
      (await read(the.storage, ...keys)).toSorted((a, b) => a.id - b.id),
    )
    for (const limit of [1, 2, 3, 7])
      expect(await walk(the.storage, { set: 'stock' }, limit), `${limit}`).toEqual(order)
    expect(await the.storage.mirrorPage({ set: 'stock' }, null, 0)).toEqual([])
  })

  test('When rows are filtered, then all that is given must hold, on every page', async (the) => {
    const rows = ['2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22'].flatMap((day) =>
      ['1', '2', null].flatMap((place) =>
        ['a', 'b', null].map((article) => line({ key: `${day} ${place} ${article}`, day, place, article })),
      ),
    )
    await save(the, ...rows.map(put))
    const filters: Omit<MirrorFilter, 'set'>[] = [
      {},
      { place: '1' },
      { article: 'a' },
      { place: '2', article: 'b' },
      { from: '2026-11-20' },
      { to: '2026-11-20' },
      { from: '2026-11-20', to: '2026-11-21' },
      { place: '1', from: '2026-11-21', to: '2026-11-21' },
      { article: 'b', from: '2026-11-21' },
      { place: '1', article: 'a', to: '2026-11-21' },
      { place: '3' },
      { from: '2026-11-23' },
    ]
    for (const filter of filters) {
      const { place, article, from = '', to = '9' } = filter
      const wanted = rows.filter(
        (one) =>
          (place === undefined || one.place === place) &&
          (article === undefined || one.article === article) &&
          one.day >= from &&
          one.day <= to,
      )
      for (const limit of [2, 100])
        expect(await walk(the.storage, { set: 'sales-lines', ...filter }, limit), JSON.stringify(filter)).toEqual(
          wanted.map(({ key }) => key),
        )
    }
  })

  test('When the last row of a page is gone, then the next page begins after it all the same', async (the) => {
    const lines = ['1', '2', '3'].map((key) => line({ key }))
    await save(the, replace(HOUR, lines))
    const [, second] = await the.storage.mirrorPage({ set: 'sales-lines' }, null, 2)
    await save(the, replace(HOUR, [line({ key: '1' }), line({ key: '3' }), line({ key: '4' })]))
    const next = await the.storage.mirrorPage({ set: 'sales-lines' }, second ?? null, 2)
    expect(next.map(({ key }) => key)).toEqual(['3', '4'])
    const later = { set: 'sales-lines', from: '2026-11-20' } as const
    expect(await the.storage.mirrorPage(later, { day: '2026-11-19', id: 2 ** 52 }, 10)).toHaveLength(3)
  })
}

function row(given: Partial<MirrorRow> = {}): MirrorRow {
  const nothing = { place: null, article: null, day: '', part: null, version: 0, tie: 0, body: {} }
  return { set: 'stock', key: 'k', ...nothing, ...given }
}

function line(given: Partial<MirrorRow>): MirrorRow {
  return row({ set: 'sales-lines', day: '2026-11-20', place: '1', part: HOUR, version: 1, ...given })
}

function put(one: MirrorRow): MirrorChange {
  return { type: 'put', row: one }
}

function replace(part: string, rows: MirrorRow[]): MirrorChange {
  return { type: 'replace', set: 'sales-lines', part, rows }
}

async function save({ storage, clock }: StoreUnderTest, ...changes: MirrorChange[]): Promise<void> {
  await storage.saveMirror(changes, clock.now())
}

async function read(storage: Storage, ...keys: string[]): Promise<StoredMirrorRow[]> {
  return (await storage.mirrorRows('stock', keys)).sort((a, b) => a.id - b.id)
}

async function lineRows(storage: Storage, ...keys: string[]): Promise<StoredMirrorRow[]> {
  return (await storage.mirrorRows('sales-lines', keys)).sort((a, b) => (a.key < b.key ? -1 : 1))
}

async function walk(storage: Storage, filter: MirrorFilter, limit: number): Promise<string[]> {
  const keys: string[] = []
  let after: MirrorCursor | null = null
  for (;;) {
    const page: StoredMirrorRow[] = await storage.mirrorPage(filter, after, limit)
    keys.push(...page.map(({ key }) => key))
    const last = page.at(-1)
    if (!last) return keys
    after = { day: last.day, id: last.id }
  }
}
