import { fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { openTestStore } from '../../empty-store.ts'
import { temporaryFolder } from '../sqlite/file.ts'
import { fill, NOW, standsOf } from './pruned-store.ts'

const SCRIPT = fileURLToPath(new URL('./pruning-process.ts', import.meta.url))

/** Kills a process that prunes at these slices, one after the other, lets another end it, and looks at what is there. */
export async function expectPrunedOnce(count: number, kills: readonly number[] | 'each'): Promise<void> {
  using folder = temporaryFolder()
  const filled = join(folder.path, 'filled.db')
  const dead = await fill(filled, count)
  const path = join(folder.path, 'store.db')
  const slices = await prune(copy(filled, path), null)
  expect(slices).toBeGreaterThan(10)
  const points = kills === 'each' ? Array.from({ length: slices }, (_, nth) => nth + 1) : kills
  copy(filled, path)
  for (const point of points) {
    if (kills === 'each') copy(filled, path)
    await prune(path, point)
    if (kills === 'each') await expectWhole(path, dead, count)
  }
  if (kills !== 'each') await expectWhole(path, dead, count)
}

async function expectWhole(path: string, dead: number[], count: number): Promise<void> {
  await prune(path, null)
  const db = new Database(path, { readonly: true })
  const orphans = db
    .prepare(
      `select (select count(*) from deliveries where event_id not in (select id from events))
         + (select count(*) from attempts where delivery_id not in (select id from deliveries))
         + (select count(*) from payloads where event_id not in (select id from events)) as n`,
    )
    .pluck()
    .get()
  const sound = db.pragma('integrity_check', { simple: true })
  const free = db.pragma('freelist_count', { simple: true })
  db.close()
  expect([orphans, sound, free]).toEqual([0, 'ok', 0])
  await using storage = await openTestStore(path, { clock: () => NOW })
  const young = Array.from({ length: 10 }, (_, nth) => count + nth + 1)
  const stay = [...dead, ...young].sort((a, b) => a - b)
  expect(await standsOf(storage, count)).toEqual({ events: stay, bodies: stay, deliveries: stay, repeats: 0 })
}

/** The file was closed well: nothing stands beside it. What a killed process left beside the other goes. */
function copy(from: string, to: string): string {
  for (const end of ['', '-wal', '-shm', '.lock']) rmSync(to + end, { force: true })
  copyFileSync(from, to)
  return to
}

/** How many slices it began; at that one it is killed. */
async function prune(path: string, killAt: number | null): Promise<number> {
  const child = fork(SCRIPT, [path, String(NOW)], { execArgv: [] })
  let slices = 0
  child.on('message', () => {
    slices += 1
    if (slices === killAt) child.kill('SIGKILL')
  })
  const [code, signal] = await once(child, 'exit')
  if (signal === null) expect(code).toBe(0)
  return slices
}
