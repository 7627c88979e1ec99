import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { startFlags } from '../../../sandbox/demo/start-flags.ts'
import { claim, DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { openFile, temporaryFolder } from '../sqlite-file.ts'

const { arrival } = createArrivals({ now: Date.now })

const SCRIPT = fileURLToPath(new URL('./packing-process.ts', import.meta.url))

test('When a process that packs is killed again and again, then every payload is there once, as it was', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  const given = new Map<number, string>()
  {
    await using store = await openFile(path)
    for (let part = 0; part < 12; part += 1) {
      const some = Array.from({ length: 500 }, (_, nth) => arrival({ payload: { part, nth, text: 'x'.repeat(1_500) } }))
      const verdicts = await store.accept(some)
      verdicts.forEach(({ id }, nth) => {
        given.set(id ?? 0, Buffer.from(some[nth]?.body ?? []).toString())
      })
    }
  }
  for (let time = 0; time < 6; time += 1) {
    const child = spawn(process.execPath, [...startFlags(), SCRIPT, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    // At another place of its work each time: from the first block that is in the file on, blocks come one after the other.
    const seen = blocksIn(path)
    while (child.exitCode === null && blocksIn(path) < seen + 1 + time) await nextTurn()
    child.kill('SIGKILL')
    await exited
    const db = new Database(path, { readonly: true })
    const blocks = db
      .prepare<[], { f: number; l: number }>('select first_event as f, last_event as l from payload_blocks order by 1')
      .all()
    expect(blocks.every(({ f }, nth) => f > (blocks[nth - 1]?.l ?? 0))).toBe(true)
    const packed = db.prepare<[], number>('select coalesce(sum(payloads), 0) from payload_blocks').pluck().get()
    const plain = db.prepare<[], number>('select count(*) from payloads').pluck().get()
    db.close()
    expect((packed ?? 0) + (plain ?? 0)).toBe(given.size)
    if (plain === 0) break
  }
  await using store = await openFile(path)
  await store.packPayloads(Date.now() + DAY)
  const bodies = await store.bodies([...given.keys()])
  expect(new Map(bodies.map(({ id, body }) => [id, Buffer.from(body).toString()]))).toEqual(given)
})

test('When a block is broken, then it is named to whoever asks for one of its payloads, and the others are there', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  {
    await using store = await openFile(path)
    await store.accept(Array.from({ length: 400 }, () => arrival()))
    await store.packPayloads(Date.now() + DAY)
  }
  const db = new Database(path)
  const body = db.prepare<[], Buffer>('select body from payload_blocks where first_event = 1').pluck().get()
  body?.fill(0, 50)
  db.prepare('update payload_blocks set body = ? where first_event = 1').run(body)
  db.close()
  await using store = await openFile(path)

  await expect(store.event(5)).rejects.toThrow(
    'Row 1 of payload_blocks, with the payloads of InvoiceCreated from event 1 to 256, cannot be read: its bytes are not those that were packed. Put the row back from a backup.',
  )
  expect((await store.event(300))?.body?.byteLength).toBeGreaterThan(0)
  const claims = await claim(store, undefined, { calls: 400 })
  expect(claims.filter(({ event }) => event.body.byteLength === 0).map(({ event }) => event.id)).toEqual(
    Array.from({ length: 256 }, (_, nth) => nth + 1),
  )
})

test('When a block is dropped, then none of its bytes stay in the file, also not of the pages that it was alone on', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  await using store = await openFile(path)
  const noise = () => arrival({ payload: { noise: randomBytes(2_000).toString('base64') } })
  await store.accept(Array.from({ length: 300 }, noise))
  await store.packPayloads(Date.now() + DAY)
  const db = new Database(path, { readonly: true })
  const bodies = db.prepare<[], Buffer>('select body from payload_blocks').pluck().all()
  db.close()
  expect(bodies[0]?.byteLength).toBeGreaterThan(100_000)
  await store.scrub(['nobody'])
  expect(piecesIn(path, bodies)).toBeGreaterThan(40)

  while ((await store.dropPayloads({ kind: 'InvoiceCreated', upTo: 300, except: [] })) > 0);
  await store.scrub(['nobody'])
  expect(piecesIn(path, bodies)).toBe(0)
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

function blocksIn(path: string): number {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare<[], number>('select count(*) from payload_blocks').pluck().get() ?? 0
  } finally {
    db.close()
  }
}
