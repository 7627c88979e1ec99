import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreUnavailableError } from '../../../src/domain/values/errors.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { eventually } from '../../eventually.ts'
import { NO_OWN_SERVER, type OwnServer, startOwnServer } from '../../hubs/own-server.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../../small-disk.ts'
import { claim, claimOne, DAY, DELIVERED, settle, settlement } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'

/* What a server's operator may do to a hub's role, and a server to whoever writes: "not now", and all goes on by itself afterwards. */

const skipped = NO_OWN_SERVER === null ? '' : ` (skipped: ${NO_OWN_SERVER})`

/** The size of an arrival that is large, and not the largest. */
const LARGE = 128 * 1024

describe.skipIf(NO_OWN_SERVER !== null)(`a server in trouble${skipped}`, () => {
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
    const told: (string | null)[] = []
    const store = await openPostgresStore({
      url,
      sameBytesWindow: DAY,
      connections,
      onOpening: (problem) => told.push(problem),
    })
    return {
      name,
      told,
      store,
      arrivals: createArrivals(store),
      /** Runs statements as the server's owner, in the database of the hub. */
      sql: (text: string) => server.sqlIn(name, text.replaceAll('hub', name)),
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }
  }

  test('When the role may not use the schema any more, then nothing is taken, and the result of what went out is written later', async () => {
    await using own = await openOwn()
    const { store, arrivals } = own
    await store.accept([arrivals.about('a')])
    const results = [settlement(await claimOne(store), DELIVERED, store.now())]
    await own.sql('revoke usage on schema tillbridge from hub')
    const refused = [
      store.accept([arrivals.about('b')]),
      store.settle(results),
      store.check(),
      claim(store),
      store.jobs(),
    ]
    for (const one of await Promise.allSettled(refused))
      expect(one).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailableError' } })
    await own.sql('grant usage on schema tillbridge to hub')
    expect(await store.settle(results)).toEqual([true])
    expect(await store.accept([arrivals.about('b')])).toMatchObject([{ status: 'accepted' }])
  })

  test('When the role may write some of what an arrival needs, and not the rest, then who asks whether one could be taken is told no', async () => {
    await using own = await openOwn()
    const { store, arrivals } = own
    await own.sql('revoke insert on tillbridge.payloads from hub')
    await expect(store.accept([arrivals.about('a')])).rejects.toThrow(StoreUnavailableError)
    await store.check()
    await expect(store.check(LARGE)).rejects.toThrow(StoreUnavailableError)
    await own.sql('grant insert on tillbridge.payloads to hub')
    await store.check(LARGE)
    expect(await store.events({ limit: 10 })).toEqual([])
    expect(await store.owed()).toEqual([])
  })

  test.each(['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])(
    'When the role has a %s of a millisecond, then the schema is made all the same, and the store works by its own',
    async (setting) => {
      await using own = await openOwn({ before: `alter role hub set ${setting} = 1` })
      expect(own.told).toEqual([])
      expect(await own.store.accept([own.arrivals.about('a')])).toMatchObject([{ status: 'accepted' }])
      expect(await settle(own.store, await claim(own.store), DELIVERED, own.store.now())).toBe(true)
    },
  )

  test.skipIf(noSmallDisk !== null)(
    `When the disk of its tables is full, then nothing is taken, who asks whether one could be is told no, and all goes on when there is room${whyNoDisk}`,
    async () => {
      await using disk = mountSmallDisk(64 * 1024 * 1024)
      execFileSync('chown', ['postgres', disk.path])
      await server.sql(`create tablespace small location '${disk.path}'`)
      const own = await openOwn({ tablespace: 'small' })
      const { store, arrivals } = own
      try {
        await store.accept([arrivals.about('a')])
        const out = await claimOne(store)
        await disk.ballast(64 * 1024 * 1024)
        const large = () => arrivals.arrival({ entity: 'b', body: randomBytes(LARGE) })
        await expect(store.accept([large()])).rejects.toThrow(StoreUnavailableError)
        await expect(store.check(LARGE)).rejects.toThrow('it is out of something')
        await disk.ballast(null)
        await store.check(LARGE)
        expect(await store.accept([large()])).toMatchObject([{ status: 'accepted' }])
        expect(await settle(store, [out], DELIVERED, store.now())).toBe(true)
      } finally {
        await own[Symbol.asyncDispose]()
        await server.sql(`drop database ${own.name}`)
        await server.sql('drop tablespace small')
      }
    },
  )

  test('When the server is started anew in the middle of many arrivals, then each is taken, or is not and is told so', async () => {
    await using own = await openOwn()
    const { store, arrivals } = own
    const sent = Array.from({ length: 400 }, (_, n) => arrivals.arrival({ transportKey: `t${n}` }))
    const answers = sent.map((one) =>
      store.accept([one]).then(
        ([verdict]) => verdict?.id ?? 0,
        (error: Error) => error.name,
      ),
    )
    await server.stop()
    await server.start()
    const said = await Promise.all(answers)
    const again = await eventually(() => store.accept(sent))
    const lost = said.filter((id, n) => typeof id === 'number' && id !== again[n]?.id)
    expect(lost).toEqual([])
    expect(new Set(said.filter((id) => typeof id === 'string')).size).toBeLessThanOrEqual(1)
    expect(await store.events({ limit: 500 })).toHaveLength(400)
  })
})
