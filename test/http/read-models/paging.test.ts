import { describe, expect, test } from 'vitest'
import { readCursor, writeCursor } from '../../../src/http/read-models/read-models.ts'
import { type Desk, type Item, level, openDesk, row, shareDesk, soldLine, storeRecord } from './given.ts'

const ids = (items: readonly Item[]) => items.map(({ id }) => id)

describe('pages', () => {
  test('When 2,500 lines are read while more are written, then each comes once, and none is lost', async () => {
    await using desk = await openDesk()
    const line = (n: number, more = {}) => soldLine(`L${n}`, { day: `2026-11-${10 + (n % 3)}`, part: null, ...more })
    const lines = Array.from({ length: 2_500 }, (_, n) => line(n))
    await desk.save(...lines)
    let round = 0
    const read = await desk.all('sales-lines?limit=200', async () => {
      round += 1
      // New ones of each day, and lines of before that are other ones now: both may stand on pages that were read.
      await desk.save(
        ...[0, 1, 2].map((n) => line(10_000 + round * 3 + n)),
        ...lines
          .filter((_, n) => n % 100 === round)
          .map((one) => ({ ...one, version: 2, body: { ...one.body, cost: '1' } })),
      )
    })
    expect(round).toBeGreaterThan(12)
    expect(new Set(ids(read)).size).toBe(read.length)
    expect(ids(read)).toEqual(expect.arrayContaining(lines.map(({ key }) => key)))
    expect(read.map(({ day }) => day)).toEqual(read.map(({ day }) => day).toSorted())
    expect(ids((await desk.lines('sales-lines')).items).length).toBe(2_500 + 3 * round)
  })

  test('When deliveries change while they are read, then none is lost, and what comes again comes as it is then', async () => {
    await using desk = await openDesk()
    const delivery = (n: number, day: string, status: string, version: number) =>
      row('goods-deliveries', `D${n}`, { place: '12', day, version, body: { status } })
    const days = Array.from({ length: 30 }, (_, n) => n)
    await desk.save(...days.map((n) => delivery(n, '2026-11-20', 'Created', 1)))
    let round = 0
    const read = await desk.all('goods-deliveries?limit=5', async () => {
      // One that was read before, and one that was not.
      for (const n of [round, 29 - round]) await desk.save(delivery(n, '2026-11-21', 'Completed', 2))
      round += 1
    })
    expect(new Set(ids(read))).toEqual(new Set(days.map((n) => `D${n}`)))
    const again = read.filter(({ id }, at) => ids(read).indexOf(id) < at)
    expect(again.length).toBeGreaterThan(0)
    expect(again.map(({ status }) => status)).toEqual(again.map(() => 'Completed'))
  })

  test('When a cursor is written, then it is read as it was, and nothing else is', () => {
    for (const cursor of [
      { day: '', id: 0 },
      { day: '2026-11-20', id: 2 ** 40 },
    ])
      expect(readCursor(writeCursor(cursor))).toEqual(cursor)
    const written = writeCursor({ day: '2026-11-20', id: 7 })
    const forged = [['x', 1.5], [1, 1], ['\0', 1], ['x'], { day: 'x', id: 1 }, null].map((one) =>
      Buffer.from(JSON.stringify(one)).toString('base64url'),
    )
    for (const other of ['', 'x', `${written}=`, written.slice(0, -2), 'e30', ...forged])
      expect(readCursor(other), other).toBeNull()
  })
})

describe('filters', () => {
  const desk = shareDesk()
  const first = fill(desk)

  test.each<[path: string, wanted: string[]]>([
    ['sales-lines', ['a', 'b', 'c', 'd', 'e']],
    ['sales-lines?from=2026-11-20', ['b', 'c', 'd', 'e']],
    ['sales-lines?from=2026-11-20&to=2026-11-20', ['b', 'c']],
    ['sales-lines?to=2026-11-20', ['a', 'b', 'c']],
    ['sales-lines?gtin=7090012340028', ['c']],
    ['sales-lines?store=101', ['a', 'b', 'e']],
    ['sales-lines?store=101&from=2026-11-20&to=2026-11-21', ['b', 'e']],
    ['sales-lines?store=WEB', ['d']],
    ['sales-lines?store=999', []],
    ['settlements?store=101', ['by number', 'by id']],
    ['settlements?store=42', []],
    ['settlements?to=2026-11-30', ['by number', 'by id', 'of another']],
    ['sales?store=201', ['sale']],
    ['stock?stock=13', ['13/1', '13/2']],
    ['stock?store=201', ['13/1', '13/2']],
    ['stock?store=web', ['12/1']],
    ['stock?gtin=1', ['13/1', '12/1']],
    ['stock?stock=13&gtin=2', ['13/2']],
    ['movements?gtin=1&from=2026-11-20', ['m2']],
    ['movements?stock=13', ['m3']],
    ['reservations?gtin=1', ['open']],
    ['reservations?store=101', ['open', 'over']],
    ['goods-deliveries?stock=12&to=2026-11-20', ['d1']],
  ])('When %s is asked for, then that is all that comes, page by page and as a stream', async (path, wanted) => {
    await first()
    for (const limit of [1, 2, 1_000]) {
      const read = await desk().all(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}`)
      expect(ids(read), `${limit}`).toEqual(wanted)
    }
    expect(ids((await desk().lines(path)).items)).toEqual(wanted)
  })
})

function fill(desk: () => Desk): () => Promise<void> {
  let filled: Promise<void> | null = null
  const save = () =>
    desk().save(
      soldLine('a', { day: '2026-11-19' }),
      soldLine('b'),
      soldLine('c', { place: '201', article: '7090012340028', body: { storeId: '43' } }),
      // Written when the number of the store was not known: that id is another store's number.
      soldLine('d', { day: '2026-11-21', place: '101', body: { storeId: '101' } }),
      soldLine('e', { day: '2026-11-21', place: '42' }),
      row('settlements', 'by number', { place: '101', day: '2026-11-20', body: { storeNo: '101', storeId: null } }),
      row('settlements', 'by id', { place: '42', day: '2026-11-21', body: { storeNo: null, storeId: '42' } }),
      row('settlements', 'of another', { place: '101', day: '2026-11-22', body: { storeNo: null, storeId: '101' } }),
      row('settlements', 'of no day', { place: '7' }),
      row('sales', 'sale', { place: '201', day: '2026-11-20', body: { storeNo: '201' } }),
      ...['1', '2'].map((gtin) => level(gtin, { place: '13' })),
      level('1'),
      row('movements', 'm1', { place: '12', article: '1', day: '2026-11-19' }),
      row('movements', 'm2', { place: '12', article: '1', day: '2026-11-20' }),
      row('movements', 'm3', { place: '13', article: '2', day: '2026-11-20' }),
      row('reservations', 'open', {
        place: '12',
        article: '1',
        day: '2026-11-20',
        body: { quantity: '1', isOpen: true },
      }),
      row('reservations', 'over', { place: '12', day: '2026-11-20', body: { quantity: '1', isOpen: false } }),
      row('goods-deliveries', 'd1', { place: '12', day: '2026-11-20' }),
      row('goods-deliveries', 'd2', { place: '12', day: '2026-11-21' }),
      row('goods-deliveries', 'd3', { place: '13', day: '2026-11-20' }),
    )
  return () => {
    filled ??= save()
    return filled
  }
}

test('When a store gets another number, then what it sold before is found under the one that its items have', async () => {
  const stores = [storeRecord('42', { number: '301', stockId: '12' }), storeRecord('43', { number: '101' })]
  await using desk = await openDesk({}, stores)
  await desk.save(
    soldLine('before', { part: null }),
    soldLine('since', { part: null, place: '301', day: '2026-11-21' }),
    row('sales', 'sold', { place: '101', day: '2026-11-20', body: { storeNo: '101' } }),
  )
  const found = async (path: string) => (await desk.all(path)).map(({ id, storeNo }) => [id, storeNo])
  const lines = [
    ['before', '301'],
    ['since', '301'],
  ]
  expect(await found('sales-lines')).toEqual(lines)
  expect(await found('sales-lines?store=301')).toEqual(lines)
  expect(await found('sales-lines?store=101')).toEqual([])
  expect(await found('sales?store=101')).toEqual([['sold', '101']])
})
