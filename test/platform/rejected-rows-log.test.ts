import { expect, test } from 'vitest'
import { createRejectedRowsLog } from '../../src/platform/http/operation-log.ts'
import { createStillClock, createTestLog, NOW } from '../queue/kit/parts.ts'

const HOUR = 3_600_000
const NO_ID = 'has no id'

function given() {
  const clock = createStillClock()
  const { logger, said } = createTestLog()
  const book = createRejectedRowsLog(clock, logger)
  const listed = (about: string, ...whys: string[]) =>
    book.listed(
      'stock.levels',
      about,
      whys.map((why, no) => ({ row: no + 1, why, record: { secret: 'Kari' } })),
    )
  return { clock, said, book, listed }
}

test('When rows of a list cannot be read, then the log says so once, with five of their places and no value of them', () => {
  const { said, listed, book } = given()
  listed('stock 12', NO_ID, NO_ID, NO_ID, NO_ID, NO_ID, NO_ID, NO_ID)
  listed('stock 12', NO_ID)
  listed('stock 13', NO_ID)
  expect(said).toMatchObject([
    {
      level: 50,
      msg: 'platform.rows-rejected',
      operation: 'stock.levels',
      about: 'stock 12',
      rows: [1, 2, 3, 4, 5],
      count: 7,
      why: NO_ID,
    },
  ])
  expect(JSON.stringify([said, book.all()])).not.toContain('Kari')
})

test('When several parts of a list have such rows, then they are told together, as of now, with the first instant', () => {
  const { clock, listed, book } = given()
  listed('stock 12', NO_ID, NO_ID)
  clock.advance(HOUR)
  listed('stock 13', NO_ID)
  listed('', NO_ID)
  expect(book.all()).toEqual([
    { operation: 'stock.levels', why: NO_ID, rows: 4, about: ['stock 12', 'stock 13'], since: NOW },
  ])
  listed('stock 12', NO_ID)
  expect(book.all()[0]?.rows).toBe(3)
})

test('When a part is read again without them, then only the others count; when all are, then the log says so once', () => {
  const { said, listed, book } = given()
  listed('stock 12', NO_ID, 'has no sku')
  listed('stock 13', NO_ID)
  listed('stock 12', 'has no sku')
  expect(book.all()).toMatchObject([
    { why: NO_ID, about: ['stock 13'] },
    { why: 'has no sku', about: ['stock 12'] },
  ])
  expect(said.filter(({ msg }) => msg === 'platform.rows-read-again')).toEqual([])
  listed('stock 13')
  listed('stock 13')
  expect(said.filter(({ msg }) => msg === 'platform.rows-read-again')).toMatchObject([
    { level: 30, operation: 'stock.levels', why: NO_ID },
  ])
  expect(book.all()).toMatchObject([{ why: 'has no sku' }])
})
