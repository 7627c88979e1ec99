import { expect } from 'vitest'
import type { StoreTest } from '../under-test.ts'

const ACT = {
  ...{ at: 1, by: 'kari', role: 'operator', address: '10.0.0.1', action: 'skip', reason: 'a test' },
  selection: { destination: 'bus' },
} as const

/** Acts on all that a filter finds, of which the job does a slice at a time. */
export function bulkActs(test: StoreTest): void {
  test('When acts have begun, then they are known in their order with their entries, through a restart', async (the) => {
    const first = await the.storage.beginBulkAct(ACT, 3)
    const second = await the.storage.beginBulkAct({ ...ACT, by: 'ola' }, 70_000)
    expect(await the.storage.bulkActCameTo(first, 2_000_000_000_000)).toBe(true)
    const begun = { matched: 3, after: 2_000_000_000_000, endedAt: null, outcome: null, problem: null }
    const storage = await the.reopen()
    expect(await storage.bulkAct(first)).toEqual({
      ...ACT,
      ...begun,
      act: first,
      selection: '{"destination":"bus"}',
      changed: 0,
    })
    expect((await storage.runningBulkActs()).map(({ act }) => act)).toEqual([first, second])
    expect((await storage.bulkActs(1)).map(({ act, by }) => [act, by])).toEqual([[second, 'ola']])
    expect(await storage.act(first)).toMatchObject({ action: 'skip', by: 'kari' })
    expect(await storage.bulkAct(999)).toBeNull()
  })

  test('When one has ended, then it goes on no more, and ends once', async ({ storage }) => {
    const act = await storage.beginBulkAct(ACT, 3)
    expect(await storage.endBulkAct(act, 'cancelled', 5, null)).toBe(true)
    expect(await storage.endBulkAct(act, 'done', 6, null)).toBe(false)
    expect(await storage.bulkActCameTo(act, 7)).toBe(false)
    expect(await storage.bulkAct(act)).toMatchObject({ after: 0, endedAt: 5, outcome: 'cancelled' })
    expect(await storage.runningBulkActs()).toEqual([])
  })
}
