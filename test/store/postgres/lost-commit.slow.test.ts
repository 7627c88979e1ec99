import { describe, expect, test } from 'vitest'
import { StoreUnavailableError } from '../../../src/domain/values/errors.ts'
import type { Claim } from '../../../src/store/claim.ts'
import type { Owed } from '../../../src/store/owed.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { eventually } from '../../eventually.ts'
import { claim, claimOne, DAY, DELIVERED, PLENTY, SHOP, settle } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { migratedSchema, NO_SERVER, SERVER } from './schema.ts'

/* A commit that was carried out, and whose answer never came: a failover, a proxy that is started anew, an answer that took too long. */

const HOUR_LONG = 3_600_000

describe.skipIf(SERVER === undefined)(`an answer that is lost (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
  const KINDS: [string, Partial<Owed>][] = [
    ['may be repeated', {}],
    ['has its effect once', { once: true }],
    ['gives way to newer ones', { latestWins: true, digest: 'd' }],
  ]

  test.each(
    KINDS.flatMap(([name, step]) =>
      [true, false].map((arrives) => [name, arrives ? '' : ' does not', step, arrives] as const),
    ),
  )(
    'When a delivery that %s is claimed and the commit%s arrives, but no answer comes, then the same hub hands it out again at once, untouched',
    async (_, __, step, arrives) => {
      await using one = await openThrough()
      const { store, proxy } = one
      await store.accept([createArrivals(store).about('order:1', step)])
      proxy.cutAtCommit(arrives)
      await expect(store.claim(SHOP, PLENTY, HOUR_LONG)).rejects.toThrow(StoreUnavailableError)
      const again = await claimSoon(one)
      expect(again.delivery).toMatchObject({ tries: 0, open: false, firstTriedAt: null })
      expect(await settle(store, [again], DELIVERED, store.now())).toBe(true)
      expect(await claim(store)).toEqual([])
      expect((await store.delivery(again.delivery.id))?.attempts).toHaveLength(1)
    },
  )

  test('When the server is away after that, then nothing is handed out before it is back, and then all is', async () => {
    await using one = await openThrough()
    const { store, proxy } = one
    await store.accept([createArrivals(store).about('order:1')])
    proxy.cutAtCommit(true)
    await expect(store.claim(SHOP, PLENTY, HOUR_LONG)).rejects.toThrow(StoreUnavailableError)
    proxy.shut(true)
    await expect(store.claim(SHOP, PLENTY, HOUR_LONG)).rejects.toThrow(StoreUnavailableError)
    proxy.shut(false)
    await claimSoon(one)
  })

  test('When a claim was lost and its lease is over, and another hub has it, then it is left alone', async () => {
    await using one = await openThrough()
    const { store, proxy, url } = one
    await store.accept([createArrivals(store).about('order:1')])
    proxy.cutAtCommit(true)
    await expect(store.claim(SHOP, PLENTY, 1)).rejects.toThrow(StoreUnavailableError)
    await using other = await openPostgresStore({ url, sameBytesWindow: DAY, connections: 3 })
    const out = await eventually(() => claimOne(other))
    expect(out.delivery).toMatchObject({ tries: 1 })
    expect(await eventually(() => claim(store))).toEqual([])
    expect(await settle(other, [out], DELIVERED, other.now())).toBe(true)
  })
})

type One = Awaited<ReturnType<typeof openThrough>>

/** A hub's store whose way to the server can be cut. */
async function openThrough() {
  await using opened = new AsyncDisposableStack()
  const { url } = opened.use(await migratedSchema())
  const proxy = opened.use(await startCuttingProxy(url))
  const store = opened.use(await openPostgresStore({ url: proxy.through(url), sameBytesWindow: DAY, connections: 3 }))
  const kept = opened.move()
  return { url, proxy, store, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** The only claim that there is, as soon as the store can be asked. */
async function claimSoon({ store }: One): Promise<Claim> {
  return await eventually(() => claimOne(store))
}
