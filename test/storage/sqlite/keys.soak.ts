import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openFile, temporaryFile } from './file.ts'
import { sales, takeAll } from './keys-given.ts'

test('When so much was taken that all keys were merged, then each is in the table once, and still known', async () => {
  using file = temporaryFile()
  // The first walk through the buckets merges all of them; the second may say so of the first's events.
  const taken = sales(0, 66_000)
  await using storage = await openFile(file.path)
  expect(await takeAll(storage, taken)).toEqual({ accepted: 66_000 })

  const table = new Database(file.path, { readonly: true })
  const merged = table.prepare<[], { upTo: number }>('select up_to as upTo from keys_merged').get()?.upTo
  const keys = table.prepare<[], { n: number }>('select count(*) as n from keys').get()?.n
  table.close()
  expect(merged).toBeGreaterThan(0)
  expect(keys).toBeGreaterThan(2 * (merged ?? 0) - 1)
  expect(keys).toBeLessThan(132_000)
  expect(await takeAll(storage, taken)).toEqual({ duplicate: 66_000 })
})
