import pg from 'pg'
import { expect, test } from 'vitest'
import { createLogger } from '../../src/lib/logger.ts'
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
