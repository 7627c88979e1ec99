import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../../src/domain/queue/outcome.ts'
import { readSqlUrl } from '../src/address.ts'
import { mysqlFailure } from '../src/mysql.ts'
import { createOutcomes, SqlFailure } from '../src/outcome.ts'
import { postgresFailure } from '../src/postgres.ts'

const outcomes = createOutcomes('bi', readSqlUrl('postgres://anna:secret-word@db.example.com/bi'))

/** What becomes of an error of the server, in answer to a statement or to the commit. */
function fate(error: object, { stage = 'work', records = 1, aborted = false }: Partial<typeof PLAIN> = {}) {
  const fault = 'errno' in error ? mysqlFailure(error) : postgresFailure(error)
  const failed = outcomes.ofWriting(new SqlFailure(stage, aborted, fault), records)
  const outcome = outcomeOf(failed)
  const short = outcome.type === 'retry' ? outcome.scope : outcome.type
  return { name: failed.name, short, message: failed.message }
}
const PLAIN = { stage: 'work' as SqlFailure['stage'], records: 1, aborted: false }

describe('what a database says', () => {
  test.each([
    ['password', '28P01', 1045, 'destination'],
    ['no such database', '3D000', 1049, 'destination'],
    ['a right is missing', '42501', 1142, 'destination'],
    ['too many connections', '53300', 1040, 'destination'],
    ['too many of this user', '53300', 1203, 'destination'],
    ['disk full', '53100', 1021, 'destination'],
    ['shutting down', '57P01', 1053, 'destination'],
    ['read-only', '25006', 1290, 'destination'],
    ['read-only transaction', '25006', 1792, 'destination'],
    ['deadlock', '40P01', 1213, 'item'],
    ['serialization', '40001', 1213, 'item'],
    ['lock', '55P03', 1205, 'item'],
    ['ended statement', '57014', 1317, 'item'],
    ['nobody knows', 'XX000', 1105, 'item'],
    ['too long', '22001', 1406, 'dead'],
    ['no such day', '22008', 1292, 'dead'],
    ['too large a number', '22003', 1264, 'dead'],
    ['not null', '23502', 1048, 'dead'],
    ['unique', '23505', 1062, 'dead'],
    ['check', '23514', 4025, 'dead'],
    ['foreign key', '23503', 1452, 'dead'],
    ['trigger', 'P0001', 1644, 'dead'],
    ['no such table', '42P01', 1146, 'dead'],
    ['no such column', '42703', 1054, 'dead'],
    ['too large a statement', '54000', 1153, 'dead'],
  ])('when it is "%s", then the outcome is %4$s', (_, code, errno, expected) => {
    expect([fate({ code }).short, fate({ errno, sqlState: 'HY000' }).short]).toEqual([expected, expected])
  })

  test('when it refuses the connection itself, for whatever reason, then it is about no record', () => {
    // MySQL and MariaDB with require_secure_transport, a proxy before PostgreSQL, and codes that nobody knows.
    const refusals = [
      { errno: 3159, sqlState: 'HY000' },
      { code: 'XX000' },
      { code: '57014' },
      { errno: 1105 },
      { code: '22023' },
    ]
    for (const error of refusals) expect(fate(error, { stage: 'before' })).toMatchObject({ short: 'destination' })
    expect(fate({ errno: 3159, sqlState: 'HY000' }, { stage: 'before' }).message).toContain('or wants TLS (3159)')
  })

  test('when it is about one of several, then they are refused together, whatever else is not', () => {
    expect(fate({ code: '23514' }, { records: 3 }).name).toBe('RefusedTogetherError')
    expect(fate({ errno: 1153 }, { records: 3 }).name).toBe('RefusedTogetherError')
    expect(fate({ code: '42P01' }, { records: 3 }).name).toBe('PermanentError')
    expect(fate({ code: '40P01' }, { records: 3 }).name).toBe('RetryLaterError')
  })

  test('when it answers the commit, then only what surely undid it is a failure', () => {
    const short = (error: object) => fate(error, { stage: 'commit' }).short
    expect([{ code: '40001' }, { code: '23503' }, { errno: 1213 }].map(short)).toEqual(['item', 'dead', 'item'])
    const unsure = [{ code: '57P01' }, { code: '40003' }, { code: 'ECONNRESET' }, { errno: 1053 }, { errno: 1180 }]
    expect(unsure.map(short)).toEqual(unsure.map(() => 'unknown'))
  })

  test('when the wire broke, then it depends on how far the work had come', () => {
    const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    const shorts = (['before', 'work', 'commit'] as const).map((stage) => fate(error, { stage }).short)
    expect(shorts).toEqual(['destination', 'destination', 'unknown'])
    const aborted = (['before', 'work', 'commit'] as const).map((stage) => fate(error, { stage, aborted: true }).short)
    expect(aborted).toEqual(['destination', 'item', 'unknown'])
  })

  test.each([
    [{ code: '23514', constraint: 'few', detail: 'Failing row contains (kari@example.com).' }, 'few'],
    [{ code: '23502', column: 'weather', message: 'null value' }, 'weather'],
    [{ errno: 1406, sqlMessage: "Data too long for column 'name' at row 3" }, 'name'],
    [{ errno: 1062, sqlMessage: "Duplicate entry 'kari@example.com' for key 'once'" }, 'once'],
    [{ errno: 1062, sqlMessage: "Duplicate entry 'for key 'a'' for key 'sales.once'" }, 'sales.once'],
    [{ errno: 1366, sqlMessage: "Incorrect decimal value: 'kari' for column `bi`.`sales`.`total` at row 1" }, 'total'],
    [{ errno: 4025, sqlMessage: 'CONSTRAINT `few` failed for `bi`.`sales`' }, 'few'],
    [{ errno: 3819, sqlMessage: "Check constraint 'few' is violated." }, 'few'],
    [{ errno: 1048, sqlMessage: "Column 'weather' cannot be null" }, 'weather'],
  ])('when a record is refused, then the message names what refused it, and no value: %o', (error, about) => {
    const { message } = fate(error)
    expect(message).toMatch(
      /^bi: postgres:\/\/db\.example\.com:5432\/bi refuses a value of this record \(\w+, [\w.]+\)\.$/,
    )
    expect(message).toContain(`, ${about})`)
    expect(message).not.toMatch(/kari|secret-word|anna/)
  })

  test('when the driver repeats the password, then it is not shown', () => {
    const error = new Error('cannot log in as POS with secret-word')
    expect(fate(error, { stage: 'before' }).message).not.toMatch(/secret-word|anna/)
  })
})
