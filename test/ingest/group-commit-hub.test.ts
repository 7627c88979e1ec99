import { expect, test } from 'vitest'
import { StorageUnavailableError } from '../../src/domain/values/errors.ts'
import { stockMovement } from '../fixtures/payloads.ts'
import { keptAs, keptIn, startTestHub } from '../hub.ts'
import { inboxOf, pulled } from './inbox-of.ts'

test('when 1,100 come at once, then they share a few commits, none too large, and each gets the answer that is its own', async () => {
  await using hub = await startTestHub()
  const commits: number[] = []
  const inbox = inboxOf(hub, {
    accept(arrivals) {
      commits.push(arrivals.length)
      return hub.hub.storage.accept(arrivals)
    },
  })

  const verdicts = await Promise.all(Array.from({ length: 1_100 }, (_, n) => inbox.accept(movement(n + 1))))

  expect(commits.reduce((sum, size) => sum + size, 0)).toBe(1_100)
  expect(commits.length).toBeLessThan(10)
  expect(Math.max(...commits)).toBe(512)
  expect(verdicts.every(({ status }) => status === 'accepted')).toBe(true)
  for (const n of [0, 1, 550, 1_099])
    expect(keptAs(hub, verdicts[n]?.id ?? 0)).toMatchObject({ identity: String(n + 1) })
})

test('when a commit fails for the disk, then all of its group are refused, and only those', async () => {
  await using hub = await startTestHub()
  const group: (string | null)[] = []
  const inbox = inboxOf(hub, {
    accept(arrivals) {
      const identities = arrivals.map(({ identity }) => identity)
      if (!identities.includes('7')) return hub.hub.storage.accept(arrivals)
      group.push(...identities)
      return Promise.reject(new StorageUnavailableError('no room'))
    },
  })

  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => inbox.accept(movement(n + 1))))
  const after = await inbox.accept(movement(21))

  const refused = results.flatMap(({ status }, n) => (status === 'rejected' ? [String(n + 1)] : []))
  expect(group.length).toBeGreaterThan(1)
  expect(refused).toEqual(group)
  expect(after.status).toBe('accepted')
  const kept = keptIn(hub).map(({ identity }) => identity)
  expect(kept).toHaveLength(21 - group.length)
  expect(kept.filter((identity) => group.includes(identity))).toEqual([])
})

test('when one of a group is at fault itself, then it alone is refused', async () => {
  await using hub = await startTestHub()
  const inbox = inboxOf(hub, {
    accept(arrivals) {
      const bad = arrivals.some(({ identity }) => identity === '7')
      return bad ? Promise.reject(new RangeError('too deep')) : hub.hub.storage.accept(arrivals)
    },
  })

  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => inbox.accept(movement(n + 1))))

  expect(results.flatMap(({ status }, n) => (status === 'rejected' ? [n + 1] : []))).toEqual([7])
  expect(keptIn(hub)).toHaveLength(19)
})

function movement(n: number) {
  return pulled('StockMovementCreated', stockMovement({ movementId: n }))
}
