import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { startFlags } from '../../../sandbox/demo/start-flags.ts'
import { DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { openFile, temporaryFile } from '../sqlite/file.ts'

const { arrival } = createArrivals({ now: Date.now })

const SCRIPT = fileURLToPath(new URL('./packing-process.ts', import.meta.url))

/** Packs six thousand payloads in a process that is killed so many times; then each is there once, as it was. */
export async function expectPackedOnce(kills: number): Promise<void> {
  using file = temporaryFile()
  const given = new Map<number, string>()
  {
    await using storage = await openFile(file.path)
    for (let part = 0; part < 12; part += 1) {
      const some = Array.from({ length: 500 }, (_, nth) => arrival({ payload: { part, nth, text: 'x'.repeat(1_500) } }))
      const verdicts = await storage.accept(some)
      verdicts.forEach(({ id }, nth) => {
        given.set(id ?? 0, Buffer.from(some[nth]?.body ?? []).toString())
      })
    }
  }
  for (let time = 0; time < kills; time += 1) {
    const child = spawn(process.execPath, [...startFlags(), SCRIPT, file.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    // At another place of its work each time: from the first block that is in the file on, blocks come one after the other.
    const db = new Database(file.path, { readonly: true })
    const countOfBlocks = db.prepare<[], number>('select count(*) from payload_blocks').pluck()
    const seen = countOfBlocks.get() ?? 0
    while (child.exitCode === null && (countOfBlocks.get() ?? 0) < seen + 1 + time) await pause(1)
    child.kill('SIGKILL')
    await exited
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
  await using storage = await openFile(file.path)
  await storage.packPayloads(Date.now() + DAY)
  const bodies = await storage.bodies([...given.keys()])
  expect(new Map(bodies.map(({ id, body }) => [id, Buffer.from(body).toString()]))).toEqual(given)
}
