import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Operation, startThread } from '../../../src/lib/thread.ts'
import { createSlices } from '../../../src/storage/sqlite/deleting.ts'
import { openForWriting } from '../../../src/storage/sqlite/file/connection.ts'
import { openWriter, transaction } from '../../../src/storage/sqlite/writer.ts'
import { openTestStore } from '../../empty-store.ts'
import { DAY, SHOP } from '../acting.ts'
import { temporaryFile, temporaryFolder } from '../sqlite/file.ts'
import { fill, NOW } from './pruned-store.ts'

/* A webhook waits for one slice of what can wait at most: so a slice is short by what it does, on any machine. */

const COUNT = 300
const ALL = Array.from({ length: COUNT }, (_, nth) => nth + 1)

/** Rows that are taken between two looks at the clock. */
const STEP = 10

test('When the time of a slice is over at once, then it takes ten rows, and all of it goes in the end', async () => {
  await using pruned = await openFilled(() => 10)

  const slices = pruned.dropAll()

  expect(Math.max(...slices.rows)).toBe(STEP)
  // One event of ten is dead, and stays.
  expect(slices.events).toBe(COUNT - COUNT / 10)
  expect(pruned.count('deliveries')).toBe(COUNT / 10 + 10)
  expect(pruned.count('gone_events')).toBe(0)
})

test('When much is open, then a queue is read in slices, in the order of its events', async () => {
  await using filled = await openFilled(() => 10)
  const read: { items: number; events: number[] }[] = []

  for (let [after, isLast] = [{ event: 0, delivery: 0 }, false]; !isLast; ) {
    const { items, last } = filled.run((methods) => methods.load(SHOP, after, 2_000, 1_000_000))
    read.push({ items: items.length, events: items.map(({ event }) => event.id) })
    const end = items.at(-1)
    if (end) after = { event: end.event.id, delivery: end.delivery.id }
    isLast = last
  }

  expect(Math.max(...read.map(({ items }) => items))).toBe(1)
  expect(read.flatMap(({ events }) => events)).toEqual(ALL.slice(0, 10).map((nth) => COUNT + nth))
})

test('When payloads are dropped, then it shares its commit with nobody', async () => {
  using file = temporaryFile()
  const dead = await fill(file.path, COUNT)
  const groups: Operation[][] = []
  await using storage = await openTestStore(file.path, { clock: () => NOW, startThread: recording(groups) })

  const [{ dropped }] = await Promise.all([storage.dropPayloads(ALL), storage.seen('platform', ['e-1'])])

  // Those that are dead stay.
  expect(dropped).toBeGreaterThan(0)
  expect(dropped).toBeLessThanOrEqual(COUNT - dead.length)
  expect(groups.filter((group) => group.some(({ method }) => method === 'dropPayloads'))).toMatchObject([[{}]])
})

/** A filled file that is open for writing. Each look at the clock of its slices takes so long (milliseconds). */
async function openFilled(look: () => number) {
  const folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  await fill(path, COUNT)
  let now = 0
  const clock = () => {
    now += look()
    return now
  }
  const writer = openWriter(openForWriting(path), DAY, createSlices(clock))
  const { db, methods } = writer
  const run = <T>(work: (all: typeof methods) => T): T => transaction(writer, () => work(methods))

  return {
    run,
    count: (table: string) => Number(db.prepare(`select count(*) from ${table}`).pluck().get()),

    /** Drops events, then their keys, then what they are known again by; the rows of each slice. */
    dropAll() {
      const rows: number[] = []
      let events = 0
      for (let left = ALL; left.length > 0; ) {
        const dropped = run((all) => all.dropEvents(left))
        left = left.slice(dropped.seen)
        events += dropped.events
        rows.push(dropped.seen)
      }
      for (let after: string | null = ''; after !== null; ) {
        const part: { dropped: number; after: string | null } = run((all) => all.dropKeys(after ?? '', COUNT, 500))
        after = part.after
        rows.push(part.dropped)
      }
      for (let gone = -1; gone !== 0; rows.push(gone)) gone = run((all) => all.dropKnown(COUNT, 500))
      return { rows, events }
    },

    async [Symbol.asyncDispose]() {
      db.close()
      folder[Symbol.dispose]()
    },
  }
}

function recording(groups: Operation[][]): typeof startThread {
  return (file, data, heap) => {
    const thread = startThread(file, data, heap)
    if (!file.pathname.endsWith('/writer-thread.ts')) return thread
    return {
      run(operations, transfer) {
        groups.push(operations)
        return thread.run(operations, transfer)
      },
      end: () => thread.end(),
      [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
    }
  }
}
