import { describe, expect, test } from 'vitest'
import type { JobRow } from '../../../src/domain/health/health.ts'
import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import { type Job, runJob } from '../../../src/jobs/engine/job.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createLogger } from '../../../src/lib/logger.ts'
import type { NewDelivery } from '../../../src/storage/arrival.ts'
import type { Claim } from '../../../src/storage/claim.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import { eventually } from '../../eventually.ts'
import {
  by,
  claim,
  claimOne,
  DAY,
  DELIVERED,
  FAILED,
  PLENTY,
  REFUSED,
  SHOP,
  settle,
  settlement,
  UNCERTAIN,
} from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { migratedSchema, NO_SERVER, SERVER } from './schema.ts'

/* A commit that was executed, and whose answer never came: a failover, a proxy that is started anew, an answer that took too long. */

const HOUR_LONG = 3_600_000

describe.skipIf(SERVER === undefined)(`an answer that is lost (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
  const KINDS: [string, Partial<NewDelivery>][] = [
    ['may be repeated', {}],
    ['has its effect once', { once: true }],
    ['gives way to newer ones', { latestWins: true, digest: 'd' }],
  ]

  for (const [name, step, arrives] of KINDS.flatMap((kind) =>
    [true, false].map((arrives) => [...kind, arrives] as const),
  ))
    test(`When a delivery that ${name} is claimed and the commit${arrives ? '' : ' does not'} arrives, but no answer comes, then the same hub hands it out again at once, untouched`, async () => {
      await using one = await openThrough()
      const { storage, proxy } = one
      await storage.accept([createArrivals(storage).about('order:1', step)])
      proxy.cutAtCommit(arrives)
      await expect(storage.claim(SHOP, PLENTY, HOUR_LONG)).rejects.toThrow(StorageUnavailableError)
      const again = await claimSoon(one)
      expect(again.delivery).toMatchObject({ tries: 0, open: false, firstTriedAt: null })
      expect(await settle(storage, [again], DELIVERED, storage.now())).toBe(true)
      expect(await claim(storage)).toEqual([])
      expect((await storage.delivery(again.delivery.id))?.attempts).toHaveLength(1)
    })

  const RESULTS: [string, Outcome][] = [
    ['was delivered', DELIVERED],
    ['is to be tried again', FAILED],
    ['was refused', REFUSED],
    ['is uncertain', UNCERTAIN],
  ]

  for (const [name, outcome] of RESULTS)
    test(`When the result of a delivery that ${name} is written, and no answer comes, then written again it counts as written, once`, async () => {
      await using one = await openThrough()
      const { storage, proxy } = one
      await storage.accept([createArrivals(storage).about('order:1')])
      const results = [settlement(await claimOne(storage), outcome, storage.now())]
      proxy.cutAtCommit(true)
      await expect(storage.settle(results)).rejects.toThrow(StorageUnavailableError)
      expect(await eventually(() => storage.settle(results))).toEqual([true])
      expect((await storage.delivery(results[0]?.delivery ?? 0))?.attempts).toHaveLength(1)
    })

  for (const arrives of [true, false] as const)
    test(`When a person has decided about a delivery before the answer to its result was lost (the commit arrives: ${arrives}), then it does not count as written`, async () => {
      await using one = await openThrough()
      const { storage, proxy } = one
      await storage.accept([createArrivals(storage).about('order:1')])
      const results = [settlement(await claimOne(storage), FAILED, storage.now())]
      await storage.skip({}, by(storage.now()))
      proxy.cutAtCommit(arrives)
      await expect(storage.settle(results)).rejects.toThrow(StorageUnavailableError)
      expect(await eventually(() => storage.settle(results))).toEqual([false])
      expect((await storage.delivery(results[0]?.delivery ?? 0))?.state).toBe('skipped')
    })

  test('When a job ends and no answer comes, then it has ended, and is not told of as another hub’s', async () => {
    await using one = await openThrough()
    const { storage, proxy } = one
    const job = { name: 'stores', schedule: 'never', run: async () => ({ note: 'all seen' }) } as unknown as Job
    const lines: string[] = []
    const logger = createLogger('debug', { write: (line: string) => void lines.push(line) })
    const unseen: JobRow = {
      ...{ name: 'stores', state: null, lastStartedAt: null, lastSucceededAt: null, lastFailedAt: null, problem: null },
      ...{ note: null, failures: 0, underWay: false, leaseUntil: null },
    }
    const ran = await runJob(
      job,
      { row: unseen, unkept: null },
      {
        ...{ storage, clock: systemClock, logger, stopping: new AbortController().signal },
        begun: () => proxy.cutAtCommit(true),
      },
    )
    expect(ran).toMatchObject({
      type: 'ended',
      code: null,
      row: { note: 'all seen', problem: null, failures: 0, underWay: false },
    })
    expect(lines.join()).not.toContain('job.lost')
    expect(await storage.jobRuns('stores', 10)).toMatchObject([{ note: 'all seen', problem: null }])
  })

  for (const arrives of [true, false] as const)
    test(`When a job begins and no answer comes (the commit arrives: ${arrives}), then the hub that asked begins it when it asks again, once, and no other`, async () => {
      await using one = await openThrough()
      const { storage, proxy, url } = one
      await using other = await openPostgresStorage({ url, sameBytesWindow: DAY, connections: 3 })
      const start = { now: storage.now(), lease: HOUR_LONG, after: null }
      proxy.cutAtCommit(arrives)
      await expect(storage.beginJob('stores', start)).rejects.toThrow(StorageUnavailableError)
      if (arrives) await eventually(async () => expect(await other.jobRuns('stores', 10)).toHaveLength(1))
      if (arrives) expect(await other.beginJob('stores', start)).toBeNull()
      const begun = await eventually(() => storage.beginJob('stores', { ...start, now: start.now + 1_000 }))
      expect(begun?.row).toMatchObject({ underWay: true, lastStartedAt: start.now + (arrives ? 0 : 1_000) })
      expect(await storage.beginJob('stores', start)).toBeNull()
      expect(await other.beginJob('stores', start)).toBeNull()
      await storage.endJob('stores', begun?.fence ?? 0, { at: start.now, note: 'all seen' })
      expect(await storage.jobRuns('stores', 10)).toMatchObject([{ note: 'all seen' }])
    })

  test('When the server is away after that, then nothing is handed out before it is back, and then all is', async () => {
    await using one = await openThrough()
    const { storage, proxy } = one
    await storage.accept([createArrivals(storage).about('order:1')])
    proxy.cutAtCommit(true)
    await expect(storage.claim(SHOP, PLENTY, HOUR_LONG)).rejects.toThrow(StorageUnavailableError)
    proxy.shut(true)
    await expect(storage.claim(SHOP, PLENTY, HOUR_LONG)).rejects.toThrow(StorageUnavailableError)
    proxy.shut(false)
    await claimSoon(one)
  })

  test('When a claim was lost and its lease is over, and another hub has it, then it is left alone', async () => {
    await using one = await openThrough()
    const { storage, proxy, url } = one
    await storage.accept([createArrivals(storage).about('order:1')])
    proxy.cutAtCommit(true)
    await expect(storage.claim(SHOP, PLENTY, 1)).rejects.toThrow(StorageUnavailableError)
    proxy.shut(true)
    await using other = await openPostgresStorage({ url, sameBytesWindow: DAY, connections: 3 })
    const out = await eventually(() => claimOne(other))
    expect(out.delivery).toMatchObject({ crashes: 1 })
    proxy.shut(false)
    expect(await eventually(() => claim(storage))).toEqual([])
    expect(await settle(other, [out], DELIVERED, other.now())).toBe(true)
  })
})

type One = Awaited<ReturnType<typeof openThrough>>

/** A hub's store whose way to the server can be cut. */
async function openThrough() {
  await using opened = new AsyncDisposableStack()
  const { url } = opened.use(await migratedSchema())
  const proxy = opened.use(await startCuttingProxy(url))
  const storage = opened.use(
    await openPostgresStorage({ url: proxy.through(url), sameBytesWindow: DAY, connections: 3 }),
  )
  const kept = opened.move()
  return { url, proxy, storage, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** The only claim that there is, as soon as the store can be asked. */
async function claimSoon({ storage }: One): Promise<Claim> {
  return await eventually(() => claimOne(storage))
}
