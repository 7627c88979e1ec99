import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { JobLostError, StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { eventually } from '../../eventually.ts'
import { claim, DELIVERED, PLENTY, settle, settlement } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { openFile, temporaryFile } from './file.ts'

const { arrival, about } = createArrivals({ now: Date.now })

describe('two hubs on one file', () => {
  test('When another hub has the file, then this one refuses until that is gone', async () => {
    using file = temporaryFile()
    const first = await openFile(file.path)
    const reported: (string | null)[] = []
    await using second = await openFile(file.path, { onOpening: (problem) => reported.push(problem) })
    await expect(second.accept([arrival()])).rejects.toThrow(`another process holds the lock on ${file.path}`)
    await expect(second.claim({ destination: 'shop', urgency: 'prompt' }, PLENTY, 1)).rejects.toThrow(
      StorageUnavailableError,
    )
    await first.accept([arrival()])
    await first[Symbol.asyncDispose]()
    await eventually(() => expect(reported).toEqual([expect.any(String), null]))
    await second.accept([arrival()])
    expect(await claim(second)).toHaveLength(2)
  })

  test('When the other hub is killed, then this one takes over', async () => {
    using file = temporaryFile()
    const other = await startHolder(file.path)
    await using storage = await openFile(file.path)
    await expect(storage.check()).rejects.toThrow(StorageUnavailableError)
    other.kill('SIGKILL')
    await eventually(() => storage.check())
  })
})

describe('a file that somebody else writes', () => {
  test('When the file is locked, then nothing is kept, and all works again when the lock is gone', async () => {
    using file = temporaryFile()
    await using storage = await openFile(file.path)
    await storage.accept([about('a', { once: true }), about('b')])
    const claims = await claim(storage)
    const intruder = new Database(file.path)
    intruder.exec('begin exclusive')

    const one = arrival()
    const refused: PromiseSettledResult<unknown>[] = await Promise.allSettled([
      storage.accept([one]),
      storage.settle(claims.map((each) => settlement(each, DELIVERED, Date.now()))),
      storage.check(),
    ])
    refused.push(...(await Promise.allSettled([storage.returnClaims(claims.map(({ fence }) => fence))])))
    for (const answer of refused)
      expect(answer).toMatchObject({
        reason: { name: 'StorageUnavailableError', message: expect.stringContaining('lock') },
      })
    expect(await storage.events({})).toHaveLength(2)

    intruder.exec('rollback')
    intruder.close()
    expect(await storage.accept([one])).toMatchObject([{ status: 'accepted', id: 3 }])
    expect(await settle(storage, claims, DELIVERED, Date.now()), 'the claims are still this hub’s').toBe(true)
    expect(await claim(storage)).toHaveLength(1)
  })
})

describe('a file that this version cannot use', () => {
  test('When a newer version wrote it, then it is refused with what to do, and left alone', async () => {
    using file = temporaryFile()
    await writeEmptyStore(file.path)
    change(file.path, `insert into __drizzle_migrations (hash, created_at) values ('later', 9999999999999)`)
    await expect(openFile(file.path)).rejects.toThrow(
      `${file.path} was written by a newer Tillbridge. Run that version, or restore a copy from before its upgrade.`,
    )
    change(file.path, `delete from __drizzle_migrations where hash = 'later'`)
    await using storage = await openFile(file.path)
    await storage.check()
  })

  test('When it is no database, then it is refused with its name', async () => {
    using file = temporaryFile()
    writeFileSync(file.path, 'These are the minutes of the meeting. '.repeat(100))
    await expect(openFile(file.path)).rejects.toThrow(`${file.path} is not a database`)
  })
})

describe('a file that a hub takes over', () => {
  test('When a hub dies with a repeatable delivery out, then the next one has it at once', async () => {
    using file = temporaryFile()
    const first = await openFile(file.path)
    await first.accept([about('a')])
    expect(await claim(first)).toHaveLength(1)
    await first[Symbol.asyncDispose]()
    await using second = await openFile(file.path)
    expect(await claim(second)).toMatchObject([{ delivery: { open: false } }])
  })

  test('When a hub dies during a run of a job, then the next one may begin it at once', async () => {
    using file = temporaryFile()
    const start = { now: Date.now(), lease: 60_000 }
    const first = await openFile(file.path)
    const claim = await first.beginJob('stores', start)
    expect(await first.beginJob('stores', start)).toBeNull()
    await first[Symbol.asyncDispose]()
    await using second = await openFile(file.path)
    expect(await second.jobs()).toMatchObject([{ underWay: true, leaseUntil: null }])
    expect(await second.beginJob('stores', { ...start, after: start.now })).not.toBeNull()
    await expect(second.saveJob('stores', claim?.fence ?? 0, '1')).rejects.toThrow(JobLostError)
  })

  test('When a list could not be kept, then no id is skipped or used twice', async () => {
    using file = temporaryFile()
    const first = await openFile(file.path)
    await first.accept([arrival()])
    await expect(first.accept([arrival(), arrival({ kind: null as never })])).rejects.toThrow()
    expect(await first.accept([arrival()])).toMatchObject([{ id: 2 }])
    await first[Symbol.asyncDispose]()
    await using second = await openFile(file.path)
    expect(await second.accept([arrival()])).toMatchObject([{ id: 3 }])
    expect((await second.deliveries({})).map(({ id, event }) => [id, event])).toEqual([
      [3, 3],
      [2, 2],
      [1, 1],
    ])
  })
})

async function startHolder(path: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('../postgres/hub-holder.ts', import.meta.url))
  const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

function change(path: string, statement: string): void {
  const db = new Database(path)
  db.exec(statement)
  db.close()
}
