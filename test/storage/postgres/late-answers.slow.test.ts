import { describe, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { eventually } from '../../eventually.ts'
import { by, claim, claimOne, DELIVERED, FAILED, HOUR, SHOP, settle, settlement, UNCERTAIN } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { openHubs } from './open-hubs.ts'
import { NO_SERVER, SERVER } from './schema.ts'
import { openSlowHub } from './slow-hub.ts'

/* Answers of the server that come late, in another order than it gave them, or not at all (docs/adr/0003-partitions.md). */

const PAGE = 'with page as'
const PAUSES = 'until, why from pauses'
const BEAT = 'update hubs set beat'
const REGISTER = 'insert into hubs'
const MARK = 'insert into in_flight'
const LOOK = 'pg_current_snapshot'

describe
  .skipIf(SERVER === undefined)
  .concurrent(`late answers of the server (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
    test.each([
      ['held', UNCERTAIN],
      ['to be tried again later', FAILED],
    ] as const)(
      'An outcome counts that is written while a page from before it is under way (%s)',
      async (_, outcome) => {
        await using hubs = await openHubs(1)
        await using slow = await openSlowHub(hubs)
        const { storage } = slow
        await acceptAll(storage, ['a', 'a'])
        const first = await eventually(() => claimOne(storage))
        // The queue is read anew.
        await storage.releaseHeld({}, by(storage.now()))
        const page = slow.holdAnswer(PAGE)
        const claiming = claim(storage)
        await page.isHeld
        expect(await settle(storage, [first], outcome, storage.now())).toBe(true)
        page.letGo()
        expect(await claiming).toEqual([])
        expect(await claim(storage)).toEqual([])
      },
    )

    test('A hub joins although the answer to its registration was lost', async () => {
      await using hubs = await openHubs(1)
      await using slow = await openSlowHub(hubs)
      await acceptAll(hubs.first, ['a'])
      slow.loseAnswer(REGISTER)
      await expect(claim(slow.storage)).rejects.toThrow(StorageUnavailableError)
      await eventually(() => claimOne(slow.storage))
    })

    test('After an outage of the server that is longer than a lease, hubs do not end one another', async () => {
      await using hubs = await openHubs(1)
      await using one = await hubs.openThroughProxy()
      await using other = await hubs.openThroughProxy()
      const both = [one, other]
      await Promise.all(both.map(({ storage }) => claim(storage)))
      await eventually(async () => expect(await sharesOf(hubs)).toEqual([32, 32]))
      await acceptAll(hubs.first, NAMES)
      const out = await Promise.all(both.map(async (hub) => ({ hub, claims: await untilSome(hub.storage) })))
      for (const { proxy } of both) proxy.shut(true)
      await hubs.untilLeaseIsOver()
      for (const { proxy } of both) proxy.shut(false)
      for (const { hub, claims } of out)
        expect(await eventually(() => settle(hub.storage, claims, DELIVERED, hubs.first.now()))).toBe(true)
    })

    test('A hub that was presumed dead while its outcome waited for a connection does not write it under its new name', async () => {
      await using hubs = await openHubs(1)
      await using slow = await openSlowHub(hubs)
      await acceptAll(hubs.first, ['a'])
      const lost = await eventually(() => claimOne(slow.storage))
      const beat = slow.holdQuestion(BEAT)
      const begin = slow.holdQuestion('begin')
      const settling = slow.storage.settle([settlement(lost, FAILED, slow.storage.now())])
      const own = await eventually(() => claimOne(hubs.first))
      beat.letGo()
      await eventually(async () => expect(await hubs.sql('select 1 from hubs')).toHaveLength(2))
      begin.letGo()
      expect(await settling).toEqual([false])
      expect(await settle(hubs.first, [own], DELIVERED, hubs.first.now())).toBe(true)
    })

    test('What a hub marked for a claim whose answer was lost goes out at the hub that it gives the partition to', async () => {
      await using hubs = await openHubs(1)
      await using slow = await openSlowHub(hubs)
      await claim(slow.storage)
      const { about } = createArrivals({ now: hubs.first.now })
      await hubs.first.accept(NAMES.map((name, index) => about(name, { once: index % 2 === 0 })))
      slow.loseAnswer(MARK)
      await hubs.untilBeaten()
      await expect(claim(slow.storage)).rejects.toThrow(StorageUnavailableError)
      await claim(hubs.first)
      await eventually(async () => expect(await sharesOf(hubs)).toEqual([32, 32]))
      const repeatable = NAMES.filter((_, index) => index % 2 === 1)
      const out = new Set<string | null>()
      await eventually(async () => {
        for (const storage of [hubs.first, slow.storage]) {
          const claims = await claim(storage)
          for (const { delivery } of claims) out.add(delivery.entity)
          await settle(storage, claims, DELIVERED, storage.now())
        }
        expect([...out]).toEqual(expect.arrayContaining(repeatable))
        // Those that have their effect once are in doubt, and due when the claim that was lost would be over.
        const others = await hubs.sql(
          `select state from deliveries d where state <> 'delivered' and not (open and (state = 'waiting' or exists (
            select 1 from in_flight f join partitions p using (hub) where f.delivery_id = d.id and p.id = d.partition)))`,
        )
        expect(others).toEqual([])
      }, 20_000)
    })

    test('A pause counts at a hub that was presumed dead when it began', async () => {
      await using hubs = await openHubs(1)
      await using slow = await openSlowHub(hubs)
      await claim(slow.storage)
      const beat = slow.holdQuestion(BEAT)
      await claim(hubs.first)
      await eventually(async () => expect(await hubs.sql('select 1 from hubs')).toHaveLength(1))
      await hubs.second.pause(SHOP, { until: null, why: 'stocktaking' })
      await acceptAll(hubs.first, NAMES)
      beat.letGo()
      await eventually(async () => expect(await sharesOf(hubs)).toEqual([32, 32]))
      for (let n = 0; n < 10; n += 1) expect(await claim(slow.storage)).toEqual([])
      await hubs.first.resume(SHOP)
      await untilSome(slow.storage)
    })

    test('A pause counts although its hub could not read it at first', async () => {
      await using hubs = await openHubs(1)
      await using slow = await openSlowHub(hubs)
      await acceptAll(hubs.first, ['a'])
      await claim(slow.storage, SHOP, { calls: 0 })
      slow.loseAnswer(PAUSES)
      await hubs.first.pause(SHOP, { until: null, why: 'stocktaking' })
      await hubs.untilBeaten()
      for (let n = 0; n < 3; n += 1) expect(await claim(slow.storage).catch(() => [])).toEqual([])
    })

    test('Nothing begins while the hub that was told of a pause reads it', async () => {
      await using hubs = await openHubs(1)
      await using slow = await openSlowHub(hubs)
      await acceptAll(hubs.first, ['a'])
      await claim(slow.storage, SHOP, { calls: 0 })
      await hubs.untilBeaten()
      const pauses = slow.holdAnswer(PAUSES)
      await hubs.first.pause(SHOP, { until: null, why: 'stocktaking' })
      const one = claim(slow.storage)
      await pauses.isHeld
      const other = claim(slow.storage)
      await Promise.race([other, pauses.isHeldTwice, hubs.untilBeaten()])
      pauses.letGo()
      expect(await Promise.all([one, other])).toEqual([[], []])
    })

    test('A look finds only what is new, also where rows came from a server that counted further', async () => {
      await using hubs = await openHubs(1)
      await using slow = await openSlowHub(hubs)
      await acceptAll(hubs.first, NAMES)
      await hubs.sql(`update deliveries set xid = '9000000000', due_at = due_at + ${HOUR}`)
      await claim(slow.storage)
      await hubs.untilBeaten()
      const rows: unknown[][] = []
      slow.seeAnswers(LOOK, (answer) => rows.push(answer))
      await hubs.untilBeaten()
      await claim(slow.storage)
      expect(rows.at(-1)).toHaveLength(1)
    })
  })

const NAMES = Array.from({ length: 20 }, (_, n) => `e${n}`)

async function acceptAll(storage: Storage, entities: readonly string[]): Promise<void> {
  const { about } = createArrivals({ now: storage.now })
  await storage.accept(entities.map((entity) => about(entity)))
}

const untilSome = (storage: Storage) =>
  eventually(async () => {
    const claims = await claim(storage)
    expect(claims).not.toEqual([])
    return claims
  })

async function sharesOf({ sql }: Awaited<ReturnType<typeof openHubs>>): Promise<number[]> {
  const shares = await sql('select count(*)::int as n from partitions where hub is not null group by hub order by 1')
  return shares.map(({ n }) => n)
}
