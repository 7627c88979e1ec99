import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import { eventually } from '../../eventually.ts'
import { NO_OWN_SERVER, type OwnServer, startOwnServer } from '../../hubs/own-server.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../../small-disk.ts'
import { claim, claimOne, DAY, DELIVERED, SHOP, settle, settlement } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'

/* What a server's operator may do to a hub's role, and a server to whoever writes: "not now", and all goes on by itself afterwards. */

const skipped = NO_OWN_SERVER === null ? '' : ` (skipped: ${NO_OWN_SERVER})`

/** The size of an arrival that is large, and not the largest. */
const LARGE = 128 * 1024

describe.skipIf(NO_OWN_SERVER !== null)(`a server down${skipped}`, () => {
  let server: OwnServer
  beforeAll(async () => {
    server = await startOwnServer()
  }, 60_000)
  afterAll(() => server[Symbol.asyncDispose]())

  let made = 0
  /** A role of its own with a database of its own. */
  async function openOwn({ tablespace = 'pg_default', before = '', connections = 10 } = {}) {
    made += 1
    const name = `hub${made}`
    await server.sql(`create role ${name} login`)
    await server.sql(`create database ${name} owner ${name} tablespace ${tablespace}`)
    if (before !== '') await server.sql(before.replaceAll('hub', name))
    const url = server.url.replace('owner@', `${name}@`).replace(/postgres$/, name)
    const reported: (string | null)[] = []
    const storage = await openPostgresStorage({
      url,
      sameBytesWindow: DAY,
      connections,
      onOpening: (problem) => reported.push(problem),
    })
    return {
      name,
      reported,
      storage,
      arrivals: createArrivals(storage),
      /** Runs statements as the server's owner, in the database of the hub. */
      sql: (text: string) => server.sqlIn(name, text.replaceAll('hub', name)),
      [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
    }
  }

  test('When the role may not use the schema any more, then nothing is taken, and the result of what went out is written later', async () => {
    await using own = await openOwn()
    const { storage, arrivals } = own
    await storage.accept([arrivals.about('a'), arrivals.about('c')])
    const [out] = await claim(storage, SHOP, { calls: 1 })
    const results = out ? [settlement(out, DELIVERED, storage.now())] : []
    await own.sql('revoke usage on schema tillbridge from hub')
    const refused = [
      storage.accept([arrivals.about('b')]),
      storage.settle(results),
      storage.check(),
      claim(storage),
      storage.jobs(),
    ]
    for (const one of await Promise.allSettled(refused))
      expect(one).toMatchObject({ status: 'rejected', reason: { name: 'StorageUnavailableError' } })
    await own.sql('grant usage on schema tillbridge to hub')
    expect(await storage.settle(results)).toEqual([true])
    expect(await storage.accept([arrivals.about('b')])).toMatchObject([{ status: 'accepted' }])
  })

  test('When the role may write some of what an arrival needs, and not the rest, then who asks whether one could be taken is told no', async () => {
    await using own = await openOwn()
    const { storage, arrivals } = own
    await own.sql('revoke insert on tillbridge.payloads from hub')
    await expect(storage.accept([arrivals.about('a')])).rejects.toThrow(StorageUnavailableError)
    await storage.check()
    await expect(storage.check(LARGE)).rejects.toThrow(StorageUnavailableError)
    await own.sql('grant insert on tillbridge.payloads to hub')
    await storage.check(LARGE)
    expect(await storage.events({ limit: 10 })).toEqual([])
    expect(await storage.pending()).toEqual([])
  })

  for (const setting of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const)
    test(`When the role has a ${setting} of a millisecond, then the schema is made all the same, and the store works by its own`, async () => {
      await using own = await openOwn({ before: `alter role hub set ${setting} = 1` })
      expect(own.reported).toEqual([])
      expect(await own.storage.accept([own.arrivals.about('a')])).toMatchObject([{ status: 'accepted' }])
      expect(await settle(own.storage, await claim(own.storage), DELIVERED, own.storage.now())).toBe(true)
    })

  test.skipIf(noSmallDisk !== null)(
    `When the disk of its tables is full, then nothing is taken, who asks whether one could be is told no, and all goes on when there is room${whyNoDisk}`,
    async () => {
      await using disk = mountSmallDisk(64 * 1024 * 1024)
      execFileSync('chown', ['postgres', disk.path])
      await server.sql(`create tablespace small location '${disk.path}'`)
      const own = await openOwn({ tablespace: 'small' })
      const { storage, arrivals } = own
      try {
        await storage.accept([arrivals.about('a')])
        const out = await claimOne(storage)
        await disk.ballast(64 * 1024 * 1024)
        const large = () => arrivals.arrival({ entity: 'b', body: randomBytes(LARGE) })
        await expect(storage.accept([large()])).rejects.toThrow(StorageUnavailableError)
        await expect(storage.check(LARGE)).rejects.toThrow('it is out of something')
        await disk.ballast(null)
        await storage.check(LARGE)
        expect(await storage.accept([large()])).toMatchObject([{ status: 'accepted' }])
        expect(await settle(storage, [out], DELIVERED, storage.now())).toBe(true)
      } finally {
        await own[Symbol.asyncDispose]()
        await server.sql(`drop database ${own.name}`)
        await server.sql('drop tablespace small')
      }
    },
  )

  test('When the server is started anew in the middle of many arrivals, then each is taken, or is not and is told so', async () => {
    await using own = await openOwn()
    const { storage, arrivals } = own
    const sent = Array.from({ length: 400 }, (_, n) => arrivals.arrival({ transportKey: `t${n}` }))
    const answers = sent.map((one) =>
      storage.accept([one]).then(
        ([verdict]) => verdict?.id ?? 0,
        (error: Error) => error.name,
      ),
    )
    await server.stop()
    await server.start()
    const said = await Promise.all(answers)
    const again = await eventually(() => storage.accept(sent))
    const lost = said.filter((id, n) => typeof id === 'number' && id !== again[n]?.id)
    expect(lost).toEqual([])
    expect(new Set(said.filter((id) => typeof id === 'string')).size).toBeLessThanOrEqual(1)
    expect(await storage.events({ limit: 500 })).toHaveLength(400)
  })
})
