import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { watchEventLoop } from '../../src/lib/event-loop.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { free } from '../../src/lib/thread.ts'
import { eventually } from '../eventually.ts'
import { createTestLog } from '../queue/kit/parts.ts'
import { NO_SERVER, SERVER } from '../storage/postgres/schema.ts'

function logged(err: unknown): Record<string, unknown> {
  const lines: string[] = []
  createLogger('info', { write: (text: string) => void lines.push(text) }).error({ err }, 'request.failed')
  return JSON.parse(lines.join('')).err
}

test('When an error is logged, then it says what it is and where it comes from, and nothing that was hung on it', () => {
  const cause = Object.assign(new Error('no such mailbox'), { response: '550 ola@example.com unknown' })
  const reported = { code: 'EENVELOPE', rejected: ['ola@example.com'], inner: cause }
  const shown = logged(Object.assign(new TypeError('not sent', { cause }), reported))
  expect(shown).toMatchObject({ type: 'TypeError', message: 'not sent: no such mailbox', code: 'EENVELOPE' })
  expect(shown.stack).toMatch(/TypeError: not sent[\s\S]*caused by: Error: no such mailbox/)
  expect(JSON.stringify(shown)).not.toContain('ola@')
  const both = new AggregateError([
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED', to: 'ola@example.com' }),
  ])
  expect(logged(both)).toMatchObject({ errors: [{ message: 'refused', code: 'ECONNREFUSED' }] })
  expect(JSON.stringify(logged(both))).not.toContain('ola@')
  expect(logged('a word')).toBe('a word')
})

test.skipIf(SERVER === undefined)(
  `When PostgreSQL refuses a row (${NO_SERVER} otherwise), then no line says what is in it`,
  async () => {
    const client = new pg.Client({ connectionString: SERVER })
    await client.connect()
    try {
      await client.query('create temporary table people (email text primary key)')
      const insert = () => client.query('insert into people values ($1)', ['ola@example.com'])
      await insert()
      const shown = logged(await insert().catch((error: unknown) => error))
      expect(shown).toMatchObject({ code: '23505', message: expect.stringContaining('people_pkey') })
      expect(JSON.stringify(shown)).not.toContain('ola@')
    } finally {
      await client.end()
    }
  },
)

const STALL_MS = 200

/** Gives nobody else a turn for so long (milliseconds). */
function block(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('a stall is seen by the call during which it was, at its end and later, and the log says how long it was', async () => {
  const { logger, said } = createTestLog()
  using loop = watchEventLoop({ stallMs: STALL_MS, logger })
  // The histogram has begun to count.
  await pause(STALL_MS)
  const at = performance.now()
  block(2 * STALL_MS)
  expect(loop.hasStalledSince(at)).toBe(true)
  await eventually(() => expect(said.map(({ msg }) => msg)).toContain('event-loop.stalled'))
  expect(loop.hasStalledSince(at)).toBe(true)
  expect(said[0]?.ms).toBeGreaterThanOrEqual(2 * STALL_MS)
  expect(loop.hasStalledSince(performance.now())).toBe(false)
  expect(loop.delay().maxMs).toBeGreaterThanOrEqual(STALL_MS)
})

test('Bytes that fill their buffer are refunded', () => {
  const bytes = Buffer.alloc(100_000, 'x')
  free(bytes)
  expect([bytes.byteLength, bytes.buffer.byteLength]).toEqual([0, 0])
})

test('Bytes that share their buffer stay with the others', () => {
  const buffer = Buffer.alloc(100_000, 'x')
  free(buffer.subarray(10, 20))
  expect(buffer.toString()).toBe('x'.repeat(100_000))
})

test('Small bytes of a pool stay', () => {
  const [one, other] = [Buffer.from('one'), Buffer.from('other')]
  free(one)
  expect([one.toString(), other.toString()]).toEqual(['one', 'other'])
})
