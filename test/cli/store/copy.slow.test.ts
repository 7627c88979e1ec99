import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createArrivals } from '../../storage/arrivals.ts'
import { asOwner, migratedSchema, NO_SERVER, SERVER, temporarySchema } from '../../storage/postgres/schema.ts'
import { openFile, temporaryFolder } from '../../storage/sqlite/file.ts'
import { tillbridge } from '../run.ts'

const run = (from: string, to: string, ...more: string[]) =>
  tillbridge(['store', 'copy', '--from', from, '--to', to, ...more])

describe.skipIf(SERVER === undefined)(`store copy (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
  test('When a store is copied, then its tables are counted, and it is said what to do next', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'store.db')
    {
      await using storage = await openFile(path)
      await storage.accept([createArrivals({ now: Date.now }).arrival()])
    }
    await using schema = await temporarySchema()
    const copied = await run(`file:${path}`, schema.url)
    expect(copied.code).toBe(0)
    expect(copied.out).toMatch(/^table +rows\nevents +1\n(.*\n)*payloads +1\n/)
    expect(copied.out).toContain(`are in the schema ${schema.name} at `)
    expect(copied.out).toContain('1. Set store.url to that address')
    const again = await run(`file:${path}`, schema.url)
    expect([again.code, again.out, again.err]).toEqual([2, '', expect.stringMatching(/is not empty \(events, /)])
  })

  test('a copy that is broken off says that nothing of it is there, and is made when it is typed again', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'store.db')
    {
      await using storage = await openFile(path)
      await storage.accept([createArrivals({ now: Date.now }).arrival()])
      await storage.noteLookup({ at: 1, number: 'A1', found: [], missing: [], ms: 1 })
    }
    await using schema = await migratedSchema()
    await asOwner(`set search_path = ${schema.name};
      create function spoil() returns trigger language plpgsql as $$ begin raise 'no more'; end $$;
      create trigger spoil before insert on lookups for each row execute function spoil()`)
    const broken = await run(`file:${path}`, schema.url)
    expect(broken).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^The copy was broken off: .*no more.* Nothing of it is there/s),
    })
    await asOwner(`drop trigger spoil on ${schema.name}.lookups`)
    const again = await run(`file:${path}`, schema.url)
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('as many as in the file.') })
  })
})

test('When a copy cannot begin, then one line says why, and no password is printed', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  const to = 'postgres://me:s3cret@127.0.0.1:1/test'
  expect(await run(`file:${path}`, to)).toEqual({
    code: 2,
    out: '',
    err: `There is no ${path}.\n`,
  })
  {
    await using _hub = await openFile(path)
    const refused = await run(`file:${path}`, to)
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining(`another process holds the lock on ${path}`),
    })
  }
  const refused = await run(`file:${path}`, to)
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('127.0.0.1:1/test cannot be used now') })
  expect(refused.err).not.toContain('s3cret')
})
