import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import type { Arrival } from '../../../src/storage/arrival.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { eventually } from '../../eventually.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../../small-disk.ts'
import { claimOne, DELIVERED, settlement } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { openFile, temporaryFile, temporaryFolder } from './file.ts'
import { byIdentityOnly, byTransportKeyOnly, copyOf, sales, takeAll } from './keys-given.ts'

const KB = 1024
const { arrival, about } = createArrivals({ now: Date.now })

describe.skipIf(noSmallDisk !== null)(`a disk of its own${whyNoDisk}`, () => {
  test('When the disk is full, then nothing acknowledged is lost, and the store goes on when room is made', async () => {
    await using disk = mountSmallDisk(6_000 * KB)
    await disk.ballast(4_000 * KB)
    const path = join(disk.path, 'store.db')
    const storage = await openFile(path)
    await storage.accept([about('a', { destination: 'bus', once: true })])
    const out = await claimOne(storage, { destination: 'bus', urgency: 'prompt' })
    const result = settlement(out, { ...DELIVERED, note: 'x'.repeat(100 * KB) }, Date.now())

    const kept = new Map<number, Arrival>()
    const problem = await fillUp(storage, kept)
    expect(problem).toBeInstanceOf(StorageUnavailableError)
    expect(problem.message).toBe(`The store cannot write: no room left for ${path}.`)
    await expect(storage.accept([large()])).rejects.toThrow(StorageUnavailableError)
    await expect(storage.settle([result])).rejects.toThrow(StorageUnavailableError)
    expect(await storage.events({ limit: 1 }), 'what is there can still be read').toHaveLength(1)
    await storage.noteLookup({ at: 0, number: 'A1', found: ['x'.repeat(60 * KB)], missing: [], ms: 1 })
    await expectKept(storage, kept)

    await disk.ballast(null)
    await storage.check()
    expect(await storage.settle([result]), 'the claim is still this hub’s').toEqual([true])
    const [verdict] = await storage.accept([large()])
    expect(verdict?.status).toBe('accepted')
    expect(verdict?.id, 'no id is skipped or used twice').toBe(Math.max(...kept.keys()) + 1)
    await expectKept(storage, kept)
    await storage[Symbol.asyncDispose]()

    await using reopened = await openFile(path)
    await expectKept(reopened, kept)
    expect(await reopened.deliveries({ destination: 'bus' })).toMatchObject([{ state: 'delivered' }])
  })

  test('When the disk is read-only at start, then the store is there, refuses, and opens when it can be written', async () => {
    await using disk = mountSmallDisk(2_000 * KB)
    const path = join(disk.path, 'store.db')
    await writeEmptyStore(path)
    disk.setReadOnly(true)
    const reported: (string | null)[] = []
    await using storage = await openFile(path, { onOpening: (problem) => reported.push(problem) })
    expect(reported).toEqual([expect.stringContaining(path)])
    await expect(storage.accept([arrival()])).rejects.toThrow(StorageUnavailableError)
    await expect(storage.check()).rejects.toThrow(StorageUnavailableError)
    await storage.noteLookup({ at: 0, number: 'A1', found: [], missing: [], ms: 1 })

    disk.setReadOnly(false)
    await eventually(() => expect(reported.at(-1)).toBeNull())
    expect(reported).toHaveLength(2)
    expect(await storage.accept([arrival()])).toMatchObject([{ status: 'accepted' }])
  })

  test('When the folder of the file cannot be made, then the store opens when it can', async () => {
    await using disk = mountSmallDisk(2_000 * KB)
    disk.setReadOnly(true)
    await using storage = await openFile(join(disk.path, 'data', 'store.db'))
    await expect(storage.check()).rejects.toThrow(StorageUnavailableError)
    disk.setReadOnly(false)
    await eventually(() => storage.check())
  })
})

function large(): Arrival {
  return arrival({ payload: { text: 'x'.repeat(60 * KB), random: Math.random() } })
}

/** Accepts until the store refuses, two calls at a time; says why it refused. */
async function fillUp(storage: Storage, kept: Map<number, Arrival>): Promise<Error> {
  for (;;) {
    const arrivals = [large(), large()]
    const answers = await Promise.allSettled(arrivals.map((one) => storage.accept([one])))
    for (const [index, answer] of answers.entries())
      if (answer.status === 'fulfilled' && answer.value[0] && arrivals[index])
        kept.set(answer.value[0].id, arrivals[index])
    const refused = answers.find((answer) => answer.status === 'rejected')
    if (refused) return refused.reason
  }
}

async function expectKept(storage: Storage, kept: Map<number, Arrival>): Promise<void> {
  expect(kept.size).toBeGreaterThan(5)
  for (const [id, { body }] of kept) {
    const event = await storage.event(id)
    expect(Buffer.from(event?.body ?? []).equals(body), `event ${id}`).toBe(true)
    expect(event?.deliveries).toHaveLength(1)
  }
}

test('When the file is not there as its connection is opened anew, then none is made in its place, and all that was kept is there once it is back', async () => {
  using file = temporaryFile()
  await writeEmptyStore(file.path)
  await using storage = await openFile(file.path)
  const [verdict] = await storage.accept([arrival()])
  // What meets a lock gives its connection up.
  const intruder = new Database(file.path)
  intruder.exec('begin exclusive')
  await expect(storage.check()).rejects.toThrow(StorageUnavailableError)
  intruder.exec('rollback')
  renameSync(file.path, `${file.path}.away`)
  await expect(storage.accept([arrival()])).rejects.toThrow(StorageUnavailableError)
  expect(existsSync(file.path)).toBe(false)

  renameSync(`${file.path}.away`, file.path)
  intruder.close()
  const [next] = await storage.accept([arrival()])
  expect(next?.id).toBe((verdict?.id ?? 0) + 1)
})

/* New keys wait in memory before they are merged into their table: none of that may show. */

test('When the hub is killed while keys wait in memory, then what was seen is a copy all the same, twice over', async () => {
  using folder = temporaryFolder()
  const first = sales(0, 3_000)
  const second = sales(3_000, 3_000)

  await using storage = await openFile(join(folder.path, 'store.db'))
  expect(await takeAll(storage, first)).toEqual({ accepted: 3_000 })

  const killed = copyOf(folder.path, 'store', 'killed')
  await using afterKill = await openFile(killed)
  expect(await takeAll(afterKill, first)).toEqual({ duplicate: 3_000 })
  expect(await takeAll(afterKill, second)).toEqual({ accepted: 3_000 })

  const killedAgain = copyOf(folder.path, 'killed', 'killed-again')
  await using afterBoth = await openFile(killedAgain)
  expect(await takeAll(afterBoth, byIdentityOnly([...first, ...second]))).toEqual({ duplicate: 6_000 })
  expect(await takeAll(afterBoth, byTransportKeyOnly([...first, ...second]))).toEqual({ duplicate: 6_000 })
})

test('When a refused body leaves a trace and the hub is killed, then the whole one is still news', async () => {
  using folder = temporaryFolder()
  const [sale] = sales(0, 1) as [Arrival]
  const refused: Arrival = { ...sale, body: new Uint8Array(), bodyHash: '', identity: null, problem: 'too large' }
  await using storage = await openFile(join(folder.path, 'store.db'))
  await storage.accept([{ ...refused, refused: true, deliveries: [] }])

  await using afterKill = await openFile(copyOf(folder.path, 'store', 'killed'))
  expect(await takeAll(afterKill, [sale])).toEqual({ accepted: 1 })
})

test('When a group is at fault and rolled back, then what was in it is still news', async () => {
  using folder = temporaryFolder()
  await using storage = await openFile(join(folder.path, 'store.db'))
  const [good, other] = sales(0, 2) as [Arrival, Arrival]
  const faulty = { ...other, kind: null } as unknown as Arrival
  await expect(storage.accept([good, faulty])).rejects.toThrow('NOT NULL')
  expect(await takeAll(storage, [good, other])).toEqual({ accepted: 2 })
})
