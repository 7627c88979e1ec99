import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { claim, DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { openFile, temporaryFile } from '../sqlite/file.ts'
import { compressAll } from './compress-all.ts'

const { arrival } = createArrivals({ now: Date.now })
const large = (_: unknown, nth: number) => arrival({ payload: { nth, text: `x${nth}`.repeat(500) } })

test('When a compressed payload is broken, then it is named to whoever asks for it, and work on the others goes on', async () => {
  using file = temporaryFile()
  {
    await using storage = await openFile(file.path)
    await storage.accept(Array.from({ length: 20 }, large))
    expect(await compressAll(storage, Date.now() + DAY)).toMatchObject({ payloads: 20 })
  }
  const db = new Database(file.path)
  db.exec('update payloads set body = substr(body, 1, 20) where event_id = 5')
  db.close()
  await using storage = await openFile(file.path)

  const says = 'The payload of event 5 cannot be read: its bytes are not those that were written. '
  await expect(storage.event(5)).rejects.toThrow(says)
  const page = await storage.personalPage({ place: 'payloads', containing: ['x'], after: 0 })
  expect(page.broken).toEqual([expect.stringContaining(says)])
  expect(page.rows).toHaveLength(19)
  const claims = await claim(storage, undefined, { calls: 20 })
  expect(claims.filter(({ event }) => event.body.byteLength === 0).map(({ event }) => event.id)).toEqual([5])
})

test('When payloads are compressed, then the table gets smaller by it', async () => {
  using file = temporaryFile()
  await using storage = await openFile(file.path)
  await storage.accept(Array.from({ length: 300 }, large))
  const db = new Database(file.path, { readonly: true })
  const size = () => db.prepare<[], number>("select sum(pgsize) from dbstat where name = 'payloads'").pluck().get() ?? 0
  const before = size()

  await compressAll(storage, Date.now() + DAY)

  expect(size()).toBeLessThan(before / 4)
  db.close()
})
