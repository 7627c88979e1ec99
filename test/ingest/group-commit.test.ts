import { describe, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../src/domain/values/errors.ts'
import { createCompleting, createGroupCommit, createInbox } from '../../src/ingest/accept.ts'
import type { Arrival, Verdict } from '../../src/storage/arrival.ts'
import { stockMovement } from '../fixtures/payloads.ts'
import { keptAs, keptIn, startTestHub } from '../hub.ts'
import { pending } from '../storage/arrivals.ts'
import { inboxOf, pulled } from './inbox-of.ts'

describe('how commits follow each other', () => {
  const arrival = (id: number) => ({ body: new Uint8Array(1), kind: String(id) }) as Arrival

  /** A store whose commits end when they are told to. */
  function given() {
    const commits: { kinds: string[]; end: PromiseWithResolvers<void> }[] = []
    const commit = createGroupCommit(async (arrivals) => {
      const end = Promise.withResolvers<void>()
      commits.push({ kinds: arrivals.map(({ kind }) => kind), end })
      await end.promise
      return arrivals.map(({ kind }): Verdict => ({ status: 'quarantined', id: Number(kind) }))
    })
    return { commits, commit }
  }

  test('when two are under way, then what comes shares the next, which begins when one of them ends', async () => {
    const { commits, commit } = given()
    const answers: Promise<Verdict>[] = []
    for (const id of [1, 2, 3, 4]) {
      answers.push(commit(arrival(id)))
      for (let n = 0; n < 3; n++) await new Promise(setImmediate)
    }
    expect(commits.map(({ kinds }) => kinds)).toEqual([['1'], ['2']])
    commits[0]?.end.resolve()
    for (let n = 0; n < 3; n++) await new Promise(setImmediate)
    expect(commits.map(({ kinds }) => kinds)).toEqual([['1'], ['2'], ['3', '4']])
    for (const { end } of commits) end.resolve()
    expect(await Promise.all(answers)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }])
    // All is done: the next begins at once, and so does one beside it.
    const after = [commit(arrival(5))]
    for (let n = 0; n < 3; n++) await new Promise(setImmediate)
    after.push(commit(arrival(6)))
    for (let n = 0; n < 3; n++) await new Promise(setImmediate)
    expect(commits.slice(3).map(({ kinds }) => kinds)).toEqual([['5'], ['6']])
    for (const { end } of commits) end.resolve()
    await Promise.all(after)
  })

  test('when the one that fails is alone, then it is not tried again', async () => {
    let tries = 0
    const commit = createGroupCommit(async () => {
      tries += 1
      throw new RangeError('too deep')
    })
    await expect(commit(arrival(1))).rejects.toThrow('too deep')
    expect(tries).toBe(1)
  })
})

describe('more than the disk can take', () => {
  test('when exactly 256 MB wait, then one more is taken, and the next is refused', async () => {
    const disk = Promise.withResolvers<void>()
    const commit = createGroupCommit(async (arrivals) => {
      await disk.promise
      return arrivals.map((_, id): Verdict => ({ status: 'quarantined', id }))
    })
    const sized = (byteLength: number) => ({ body: { byteLength } }) as Arrival
    const waiting = [commit(sized(256 * 1024 * 1024)), commit(sized(1))]
    await expect(commit(sized(0))).rejects.toThrow('More is arriving than the disk can take.')
    disk.resolve()
    await expect(Promise.all(waiting)).resolves.toHaveLength(2)
  })

  test('when 256 MB wait already, then what comes next is refused, until they are through', async () => {
    const disk = Promise.withResolvers<void>()
    const commit = createGroupCommit(async (arrivals) => {
      await disk.promise
      return arrivals.map((_, id): Verdict => ({ status: 'quarantined', id }))
    })
    const large = { body: new Uint8Array(64 * 1024 * 1024 + 1) } as Arrival

    const waiting = [1, 2, 3, 4].map(() => commit(large))
    await expect(commit(large)).rejects.toMatchObject({ name: 'StorageUnavailableError', code: 'store-overloaded' })
    disk.resolve()
    await Promise.all(waiting)

    await expect(commit(large)).resolves.toMatchObject({ status: 'quarantined' })
  })
})

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

const ARRIVAL: Pick<Arrival, 'body'> = { body: Buffer.from('{"richer":true}') }
const COPY = { id: 7, status: 'duplicate', comparable: true } as Verdict

/** `answers`: what each commit comes to; the first event has another body at each look. */
function given(answers: Verdict[], { body = Buffer.from('{}') as Buffer | null, isRicher = true } = {}) {
  const committed: Arrival[] = []
  let looks = 0
  const complete = createCompleting(
    { event: async (id) => ({ id, body, bodyHash: `hash-${++looks}` }) as never },
    { completes: async () => isRicher },
    async (arrival) => {
      committed.push(arrival)
      return answers[committed.length - 1] ?? COPY
    },
  )
  return { complete, committed }
}

test('When a copy is richer, then it is committed over the bytes that it was compared with', async () => {
  const taken = { ...COPY, status: 'completed' } as unknown as Verdict
  const { complete, committed } = given([taken])

  expect(await complete(ARRIVAL as Arrival, COPY)).toBe(taken)
  expect(committed).toEqual([{ ...ARRIVAL, completes: { event: 7, bodyHash: 'hash-1' } }])
})

test('When others complete the same one meanwhile, then it is compared three times at most', async () => {
  const { complete, committed } = given([])

  expect(await complete(ARRIVAL as Arrival, COPY)).toEqual(COPY)
  expect(committed.map(({ completes }) => completes?.bodyHash)).toEqual(['hash-1', 'hash-2', 'hash-3'])
})

test.each([
  ['says no more than the first', {}, { isRicher: false }],
  ['cannot be compared', { comparable: false }, {}],
  ['is no copy', { status: 'accepted' }, {}],
  ['is of one whose body has gone', {}, { body: null }],
])('When it %s, then it stays a copy', async (_what, verdict, first) => {
  const copy = { ...COPY, ...verdict } as Verdict
  const { complete, committed } = given([], first)

  expect(await complete(ARRIVAL as Arrival, copy)).toEqual(copy)
  expect(committed).toEqual([])
})

describe('an event that could not be read', () => {
  const [raw, order] = [pending({ flow: 'publish' }), pending({ flow: 'orders' })]

  async function readAgain({ has = [raw], problem = null as string | null, dryRun = false } = {}) {
    const committed: Arrival[] = []
    const accept = async (arrivals: Arrival[]) => {
      committed.push(...arrivals)
      return [{ status: 'accepted', id: 9 } as Verdict]
    }
    const read = () => ({ ...ARRIVAL, deliveries: [raw, order], problem }) as Arrival
    const inbox = createInbox({ accept, event: async () => null }, { read, completes: () => false })
    const id = await inbox.reread({ ...ARRIVAL, deliveries: has } as never, { now: 5, dryRun })
    return { id, committed, inbox }
  }

  test('and can be by now, then it owes what it did not owe yet; if it owed something, it is not news', async () => {
    expect(await readAgain()).toMatchObject({ id: 9, committed: [{ deliveries: [order], quiet: true }] })
    const { committed } = await readAgain({ has: [] })
    expect(committed).toMatchObject([{ deliveries: [raw, order] }])
    expect(committed[0]).not.toHaveProperty('quiet')
  })

  test('and cannot be yet, or is only counted, then nothing is written', async () => {
    expect(await readAgain({ problem: 'not JSON' })).toMatchObject({ id: null, committed: [] })
    expect(await readAgain({ dryRun: true })).toMatchObject({ id: 0, committed: [] })
  })

  test('because it is too large, then that it came is kept, without its bytes', async () => {
    const { committed, inbox } = await readAgain({ dryRun: true })
    const came = { kind: 'SaleCreated', origin: 'platform', subscription: 'all', receivedAt: 5, headers: {} }
    await inbox.refuse({ ...came, transportKey: 'K' }, 'larger than 1 MB')
    const body = new Uint8Array()
    expect(committed).toMatchObject([{ ...came, transportKey: 'K', body, refused: true, problem: 'larger than 1 MB' }])
  })
})
