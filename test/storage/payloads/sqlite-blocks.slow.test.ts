import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { claim, DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { openFile, temporaryFile } from '../sqlite/file.ts'
import { expectPackedOnce } from './killed-kit.ts'

const { arrival } = createArrivals({ now: Date.now })

// The short form: killed.soak.ts goes on until all is packed.
test('When a process that packs is killed again, then every payload is there once, as it was', () =>
  expectPackedOnce(2))

test('When a block is broken, then it is named to whoever asks for one of its payloads, and the others are there', async () => {
  using file = temporaryFile()
  {
    await using storage = await openFile(file.path)
    await storage.accept(Array.from({ length: 400 }, () => arrival()))
    await storage.packPayloads(Date.now() + DAY)
  }
  const db = new Database(file.path)
  const body = db.prepare<[], Buffer>('select body from payload_blocks where first_event = 1').pluck().get()
  body?.fill(0, 50)
  db.prepare('update payload_blocks set body = ? where first_event = 1').run(body)
  db.close()
  await using storage = await openFile(file.path)

  await expect(storage.event(5)).rejects.toThrow(
    'Row 1 of payload_blocks, with the payloads of InvoiceCreated from event 1 to 256, cannot be read: its bytes are not those that were packed. Put the row back from a backup.',
  )
  expect((await storage.event(300))?.body?.byteLength).toBeGreaterThan(0)
  const claims = await claim(storage, undefined, { calls: 400 })
  expect(claims.filter(({ event }) => event.body.byteLength === 0).map(({ event }) => event.id)).toEqual(
    Array.from({ length: 256 }, (_, nth) => nth + 1),
  )
})

test('When a block is dropped, then none of its bytes stay in the file, also not of the pages that it was alone on', async () => {
  using file = temporaryFile()
  await using storage = await openFile(file.path)
  const noise = () => arrival({ payload: { noise: randomBytes(2_000).toString('base64') }, deliveries: [] })
  await storage.accept(Array.from({ length: 300 }, noise))
  await storage.packPayloads(Date.now() + DAY)
  const db = new Database(file.path, { readonly: true })
  const bodies = db.prepare<[], Buffer>('select body from payload_blocks').pluck().all()
  db.close()
  expect(bodies[0]?.byteLength).toBeGreaterThan(100_000)
  await storage.scrub(['none'])
  expect(piecesIn(file.path, bodies)).toBeGreaterThan(40)

  while ((await storage.dropPayloads({ kind: 'InvoiceCreated', upTo: 300, except: [] })).dropped > 0);
  await storage.scrub(['none'])
  expect(piecesIn(file.path, bodies)).toBe(0)
})

/** How many pieces of blocks stand in the bytes of the file. */
function piecesIn(path: string, bodies: readonly Buffer[]): number {
  const bytes = readFileSync(path)
  const pieces = bodies.flatMap((body) =>
    Array.from({ length: Math.floor(body.length / 8_000) }, (_, nth) =>
      body.subarray(30 + nth * 8_000, 62 + nth * 8_000),
    ),
  )
  return pieces.filter((piece) => bytes.includes(piece)).length
}
