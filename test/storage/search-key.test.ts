import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { keyHasher } from '../../src/storage/search-index.ts'
import { createArrivals } from './arrivals.ts'
import { openFile, temporaryFolder } from './sqlite/file.ts'

const SECRET = 'b7'.repeat(32)

test.each(['R-1', 'zoë@example.com', '', 'x'.repeat(200)])(
  'When %j is hashed, then it is as HMAC-SHA-256 has it',
  (value) => {
    const hmac = createHmac('sha256', Buffer.from(SECRET, 'hex')).update(`email\0${value}`).digest('hex')

    expect(keyHasher(SECRET)({ sort: 'email', value })).toBe(hmac.slice(0, 32))
  },
)

test('When events are dropped, then their keys go with them, and those of others stay', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  await using storage = await openFile(path)
  const { arrival } = createArrivals(storage)
  await storage.accept([1, 2, 3].map((nth) => arrival({ deliveries: [], quiet: true, payload: { nth } })))
  const keys = ['kari@example.com', 'zeb@example.com'].map((value) => ({ sort: 'email', value }) as const)
  await storage.indexKeys(
    3,
    [1, 2, 3].flatMap((event) => keys.map((key) => ({ ...key, event }))),
  )

  for (let left = [1, 2]; left.length > 0; ) left = left.slice((await storage.dropEvents(left)).seen)

  const db = new Database(path, { readonly: true })
  expect(db.prepare('select distinct event_id from search_keys').pluck().all()).toEqual([3])
  db.close()
  expect(await storage.find(keys, 10)).toMatchObject([{ event: { id: 3 } }])
})
