import { expect } from 'vitest'
import { JobLostError } from '../../../src/domain/values/errors.ts'
import type { JobClaim } from '../../../src/storage/rows.ts'
import { MINUTE, SECOND } from '../acting.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

/** How long runs of these stories are their hub's alone. */
export const LEASE = MINUTE

/** One run of a job at a time, also where several hubs look after it. */
export function jobLeases(test: StoreTest): void {
  test('When a run is under way, then nobody else begins one, and nothing changes', async (the) => {
    const { row } = await begun(the)
    await the.clock.pass(LEASE - 1)
    expect(await begin(the)).toBeNull()
    expect(await begin(the, { after: row.lastStartedAt })).toBeNull()
    expect(await the.storage.jobs()).toEqual([row])
    expect(await the.storage.jobRuns('stores', 10)).toHaveLength(1)
    expect(await begin(the, {}, 'subscriptions')).not.toBeNull()
  })

  test('When a lease is over, then another takes over, and the run that was cut off has no end', async (the) => {
    const { storage, clock } = the
    const first = await begun(the)
    await storage.saveJob('stores', first.fence, '"half"')
    await clock.pass(LEASE)
    const second = await begun(the, { after: first.row.lastStartedAt })
    expect(second.row).toMatchObject({ lastStartedAt: clock.now(), leaseUntil: clock.now() + LEASE, state: '"half"' })
    await storage.endJob('stores', second.fence, { at: clock.now(), note: 'done' })
    expect(await storage.jobRuns('stores', 10)).toMatchObject([
      { startedAt: clock.now(), endedAt: clock.now(), note: 'done' },
      { startedAt: clock.now() - LEASE, endedAt: null },
    ])
  })

  test('When a run was taken over, then it can neither be renewed, nor leave state, nor end', async (the) => {
    const { storage, clock } = the
    const first = await begun(the)
    await clock.pass(LEASE)
    const second = await begun(the)
    const at = clock.now()
    const tookOver = 'Another hub has taken over the run of the job stores.'
    expect(await storage.renewJob('stores', first.fence, { now: at, lease: LEASE })).toBe(false)
    await expect(storage.saveJob('stores', first.fence, '"late"')).rejects.toThrow(tookOver)
    for (const end of [{ note: 'late' }, { problem: 'late' }])
      await expect(storage.endJob('stores', first.fence, { at, ...end })).rejects.toThrow(JobLostError)
    expect(await storage.jobs()).toEqual([second.row])
    expect(await storage.jobRuns('stores', 10)).toMatchObject([{ endedAt: null }, { endedAt: null }])
    expect(await storage.endJob('stores', second.fence, { at, note: 'done' })).toMatchObject({
      note: 'done',
      state: null,
    })
  })

  test('When a lease is renewed, then it lasts longer', async (the) => {
    const { storage, clock } = the
    const { fence } = await begun(the)
    for (let n = 0; n < 3; n++) {
      await clock.pass(LEASE - SECOND)
      expect(await storage.renewJob('stores', fence, { now: clock.now(), lease: LEASE })).toBe(true)
    }
    await clock.pass(LEASE - 1)
    expect(await begin(the)).toBeNull()
    expect(await storage.jobs()).toMatchObject([{ leaseUntil: clock.now() + 1 }])
    await clock.pass(1)
    expect(await begin(the)).not.toBeNull()
  })

  test('When a lease is over and nobody has come, then the run is still its own, and can end', async (the) => {
    const { storage, clock } = the
    const { fence } = await begun(the)
    await clock.pass(2 * LEASE)
    expect(await storage.renewJob('stores', fence, { now: clock.now(), lease: LEASE })).toBe(true)
    expect(await begin(the)).toBeNull()
    await clock.pass(2 * LEASE)
    await storage.saveJob('stores', fence, '1')
    expect(await storage.endJob('stores', fence, { at: clock.now(), note: 'slow' })).toMatchObject({ note: 'slow' })
  })

  test('When a run is released, then another begins at once', async (the) => {
    const { storage, clock } = the
    const { fence } = await begun(the)
    await clock.pass(SECOND)
    expect(await storage.renewJob('stores', fence, { now: clock.now(), lease: 0 })).toBe(true)
    expect(await storage.jobs()).toMatchObject([{ underWay: true }])
    expect(await begin(the)).not.toBeNull()
  })

  test('When another hub has run a job since somebody looked, then he does not run it again', async (the) => {
    const { storage, clock } = the
    // He saw that it had never run.
    const first = await begun(the, { after: null })
    const ended = await storage.endJob('stores', first.fence, { at: clock.now(), note: 'done' })
    await clock.pass(MINUTE)
    expect(await begin(the, { after: null })).toBeNull()
    expect(await begin(the, { after: clock.now() })).toBeNull()
    expect(await storage.jobs()).toEqual([ended])
    expect(await begin(the, { after: ended.lastStartedAt })).not.toBeNull()
  })

  test('When several begin at once, then one does', async (the) => {
    const claims = await Promise.all(Array.from({ length: 5 }, () => begin(the, { after: null })))
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1)
    expect(await the.storage.jobRuns('stores', 10)).toHaveLength(1)
  })
}

/** Begins a run of now; null where it may not. */
export function begin(
  { storage, clock }: StoreUnderTest,
  only: { after?: number | null } = {},
  name = 'stores',
): Promise<JobClaim | null> {
  return storage.beginJob(name, { now: clock.now(), lease: LEASE, ...only })
}

/** Begins a run that nothing stands in the way of. */
export async function begun(the: StoreUnderTest, only: { after?: number | null } = {}): Promise<JobClaim> {
  const claim = await begin(the, only)
  if (claim === null) throw new Error('Nothing stands in the way of this run, but it was refused.')
  return claim
}
