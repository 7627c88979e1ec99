import { describe, expect, test } from 'vitest'
import type { Urgency } from '../../src/domain/queue/queue-key.ts'
import {
  PermanentError,
  RetryLaterError,
  StorageUnavailableError,
  UnknownOutcomeError,
} from '../../src/domain/values/errors.ts'
import { activeSpan, type Tracing } from '../../src/lib/tracing.ts'
import type { Attempt, Effect, Ports } from '../../src/ports/ports.ts'
import type { Destination } from '../../src/queue/destination.ts'
import { createWorker } from '../../src/queue/worker.ts'
import { createFakeStore } from './kit/fake-store.ts'
import { createStillClock, createTestLog, destinationOf, flowOf, NOW, settled } from './kit/parts.ts'
import { sourcesOf } from './sources.ts'

const SECOND = 1_000
const AWAY = new RetryLaterError('away', { scope: 'destination', code: 'unreachable' })

/** Calls of a destination that are under way: each ends when the test says so, unless it ends by itself. */
function createCalls() {
  const calls: { attempt: Attempt; done: (effect: Effect) => void; fail: (error: Error) => void }[] = []
  const ends: ('hang' | Error | 'done')[] = []
  const publish = (_: unknown, attempt: Attempt): Promise<Effect> => {
    const end = ends.shift() ?? 'done'
    const { promise, resolve, reject } = Promise.withResolvers<Effect>()
    calls.push({ attempt, done: resolve, fail: reject })
    if (end === 'done') resolve({})
    if (end instanceof Error) reject(end)
    return promise
  }
  return { calls, ends, ports: { publish: { publish } } satisfies Ports }
}

interface Given {
  to?: Partial<Destination>
  waits?: (urgency: Urgency) => boolean
  others?: Destination[]
  tracing?: Tracing
}

function working({ to = {}, waits, others = [], tracing }: Given = {}) {
  const clock = createStillClock()
  const fake = createFakeStore()
  const shop = createCalls()
  const { logger, said, about } = createTestLog()
  const attempted: unknown[][] = []
  const worker = createWorker({
    ...sourcesOf().sources,
    storage: fake.storage,
    destinations: [destinationOf({ ports: shop.ports, ...to }), ...others],
    flows: [flowOf('publish')],
    clock,
    random: () => 0.5,
    logger,
    eventLoop: { hasStalledSince: () => false },
    attempted: (...told) => attempted.push(told),
    ...(waits && { waits }),
    ...(tracing && { tracing }),
  })
  const later = async (ms: number) => {
    clock.advance(ms)
    await atRest()
  }
  return { ...shop, fake, clock, worker, said, about, attempted, later }
}

async function atRest() {
  for (let round = 0; round < 5; round += 1) await settled()
}

async function started(given: Given = {}, prepare: (parts: ReturnType<typeof working>) => void = () => {}) {
  const parts = working(given)
  prepare(parts)
  parts.worker.start()
  await atRest()
  return parts
}

describe('a worker that begins', () => {
  test('then it claims what is due of both queues, as much as there is room for, and executes it', async () => {
    const batch = { items: 10, bytes: 500, linger: 20 }
    const { fake, calls, said } = await started({ to: { batch } }, ({ fake }) => {
      fake.enqueue('prompt', 2)
      fake.enqueue('bulk', 1)
    })
    const room = { calls: 4, yielding: 3, ignorePriority: false, bytes: 16 * 1024 * 1024, batch }
    expect(fake.claims.slice(0, 2)).toEqual([
      { queue: { destination: 'bus', urgency: 'prompt' }, room, lease: 2_000 },
      { queue: { destination: 'bus', urgency: 'bulk' }, room: { ...room, calls: 1, yielding: 1 }, lease: 7_000 },
    ])
    expect(calls).toHaveLength(3)
    expect(fake.results.map(({ delivery, next }) => [delivery, next.state])).toEqual([
      [1, 'delivered'],
      [2, 'delivered'],
      [3, 'delivered'],
    ])
    expect(said).toHaveLength(3)
  })

  test('and has nothing to do, then it claims once, and nothing until it is told of work', async () => {
    const { fake, calls, later } = await started()
    expect(fake.claimed()).toEqual(['prompt 4', 'bulk 3'])
    await later(60 * SECOND)
    fake.enqueue('bulk', 1)
    fake.tell('bulk')
    fake.tell('prompt', 'elsewhere')
    await atRest()
    expect(fake.claimed()).toEqual(['prompt 4', 'bulk 3', 'bulk 3'])
    expect(calls).toHaveLength(1)
  })

  test('after another whose calls are still out, then these take slots until they are over', async () => {
    const parts = working()
    const before = Promise.withResolvers<void>()
    const begun = (urgency: Urgency) => ({ urgency, over: before.promise })
    parts.fake.enqueue('prompt', 5)
    parts.worker.start({ callsTo: (name) => (name === 'bus' ? (['bulk', 'bulk', 'prompt'] as const) : []).map(begun) })
    expect(parts.worker.status()[0]?.inFlight).toEqual({ prompt: 1, bulk: 2 })
    parts.ends.push('hang')
    await atRest()
    expect(parts.fake.claimed()[0]).toBe('prompt 1')
    before.resolve()
    await atRest()
    expect(parts.fake.claimed()).toContain('prompt 3')
    expect(parts.worker.status()[0]?.inFlight).toEqual({ prompt: 1, bulk: 0 })
  })
})

describe('when all slots are taken', () => {
  test('then a call that ends makes room for the next; bulk leaves one to what is prompt', async () => {
    const parts = working()
    parts.ends.push(...Array.from({ length: 9 }, () => 'hang' as const))
    parts.fake.enqueue('bulk', 9)
    parts.worker.start()
    await atRest()
    expect(parts.calls).toHaveLength(3)
    parts.calls[0]?.done({})
    await atRest()
    expect(parts.calls).toHaveLength(4)
    const inFlight = { prompt: 0, bulk: 3 }
    expect(parts.worker.status()).toEqual([
      { destination: 'bus', inFlight, outage: null, failing: null, tookAt: NOW, callsPerSecond: null },
    ])
    parts.fake.enqueue('prompt', 3)
    parts.fake.tell('prompt')
    await atRest()
    expect(parts.calls).toHaveLength(5)
  })

  test('and results of calls that others would see are not written yet, then these take slots, too', async () => {
    const disk = Promise.withResolvers<void>()
    const { ports } = createCalls()
    const parts = await started(
      { to: { ports: { ...ports, stock: {} } as Ports, queue: { concurrency: 1, timeout: 1_000, inDoubtFor: 0 } } },
      ({ fake }) => {
        fake.writeAfter = disk.promise
        fake.enqueue('prompt', 2)
      },
    )
    expect(parts.fake.results).toEqual([])
    expect(parts.fake.claimed().filter((one) => one === 'prompt 1')).toHaveLength(1)
    disk.resolve()
    await atRest()
    expect(parts.fake.results).toHaveLength(2)
  })

  test('and the disk is so slow that many results wait, then that queue claims nothing, and the other does', async () => {
    const disk = Promise.withResolvers<void>()
    const parts = await started({}, ({ fake }) => {
      fake.writeAfter = disk.promise
      fake.enqueue('bulk', 1, 512)
    })
    const before = parts.fake.claims.length
    parts.fake.enqueue('bulk', 1)
    parts.fake.tell('bulk')
    parts.fake.tell('prompt')
    await atRest()
    expect(parts.fake.claimed().slice(before)).toEqual(['prompt 4'])
    disk.resolve()
    await atRest()
    expect(parts.fake.results).toHaveLength(513)
  })
})

describe('when something is due later', () => {
  test('then it is claimed at the first of these instants, of both queues', async () => {
    const { fake, later } = await started({}, ({ fake }) => {
      fake.wakeAt = { prompt: NOW + 900, bulk: NOW + 500 }
    })
    fake.wakeAt = { prompt: NOW + 900, bulk: null }
    await later(499)
    expect(fake.claims).toHaveLength(2)
    await later(1)
    expect(fake.claims).toHaveLength(4)
    fake.wakeAt.prompt = null
    await later(400)
    expect(fake.claims).toHaveLength(6)
    await later(60 * SECOND)
    expect(fake.claims).toHaveLength(6)
  })
})

describe('when the store, or the disk, has a hard time', () => {
  test('and it is unavailable, then it is asked again a second later, and nobody is told: it tells of itself', async () => {
    const { fake, later, said } = await started({}, ({ fake }) => {
      fake.enqueue('prompt', 1)
      fake.failing.push(new StorageUnavailableError('locked'))
    })
    await later(999)
    expect(fake.claims).toHaveLength(1)
    await later(1)
    expect(fake.results).toHaveLength(1)
    expect(said.map(({ msg }) => msg)).toEqual(['delivery.attempted'])
  })

  test('and a claim fails by a fault, then the log says so, and it is tried again a second later', async () => {
    const { fake, later, about } = await started({}, ({ fake }) => {
      fake.enqueue('prompt', 1)
      fake.failing.push(new TypeError('a fault'))
    })
    expect(about('delivery.claim-failed')).toMatchObject([{ level: 50, err: { message: 'a fault' } }])
    await later(1_000)
    expect(fake.results).toHaveLength(1)
  })

  test('and there is no room on the disk, then bulk waits, and is looked at again after two seconds', async () => {
    let isFull = true
    const { fake, later } = await started({ waits: (urgency) => isFull && urgency === 'bulk' }, ({ fake }) =>
      fake.enqueue('bulk', 1),
    )
    expect(fake.claimed()).toEqual(['prompt 4'])
    isFull = false
    await later(1_999)
    expect(fake.claimed()).toEqual(['prompt 4'])
    await later(1)
    expect(fake.results).toHaveLength(1)
  })
})

describe('when a destination is down', () => {
  const inOutage = () =>
    started({}, ({ fake, ends }) => {
      ends.push(AWAY)
      fake.enqueue('prompt', 1)
    })
  test('and a person probes it, then one goes out at once, and that resolves when its call has ended', async () => {
    const { fake, worker, ends, calls } = await inOutage()
    ends.push('hang')
    fake.enqueue('prompt', 1)
    let isOver = false
    const probe = worker.probe('bus').then(() => {
      isOver = true
    })
    await atRest()
    expect([calls.length, isOver]).toEqual([2, false])
    calls[1]?.done({})
    await probe
    expect(worker.status()[0]?.outage).toBe(null)
  })
})
describe('when a destination is down, and a job or a lookup reaches it', () => {
  const inOutage = (notBefore: number | null) =>
    started({}, ({ fake, ends }) => {
      ends.push(new RetryLaterError('away', { scope: 'destination', code: 'unreachable', notBefore }))
      fake.enqueue('prompt', 1)
    })

  test('then it is tried at once, but not before the instant that it named, and another destination is not', async () => {
    const { fake, worker, calls } = await inOutage(null)
    fake.enqueue('prompt', 1)
    worker.reached('elsewhere')
    await atRest()
    expect(calls).toHaveLength(1)
    worker.reached('bus')
    await atRest()
    expect(calls).toHaveLength(2)
    const asked = await inOutage(NOW + 60 * SECOND)
    asked.fake.enqueue('prompt', 1)
    asked.worker.reached('bus')
    await atRest()
    expect(asked.calls).toHaveLength(1)
  })

  test('and the clock was set, then no pause of the old clock is waited for', async () => {
    const { fake, worker, calls } = await inOutage(NOW + 3_600 * SECOND)
    fake.enqueue('prompt', 1)
    worker.clockWasSet()
    await atRest()
    expect(calls).toHaveLength(2)
  })

  test('and nothing is due, then a probe ends without a call', async () => {
    const { worker, calls } = await inOutage(null)
    await worker.probe('bus')
    expect(calls).toHaveLength(1)
  })
})

test('When a destination refuses many calls as too many, then it is called more slowly, the log and status say so, and again when it takes all', async () => {
  const many = new RetryLaterError('too many', { scope: 'destination', code: 'http-429' })
  const { fake, worker, about, ends, later } = await started()
  for (let second = 0; second < 60; second += 1) {
    ends.push(...Array.from({ length: 4 }, () => many))
    fake.enqueue('prompt', 4)
    fake.tell('prompt')
    await later(SECOND)
    if (about('destination.slowed').length > 0) break
  }
  const [slowed] = about('destination.slowed')
  expect(slowed).toMatchObject({ level: 40, destination: 'bus', callsPerSecond: worker.status()[0]?.callsPerSecond })
  expect(slowed?.callsPerSecond).toBeGreaterThan(0)
  ends.length = 0
  for (let minute = 0; minute < 30 && about('destination.as-fast-as-before').length === 0; minute += 1) {
    fake.enqueue('prompt', 1)
    fake.tell('prompt')
    await later(60 * SECOND)
  }
  expect(about('destination.as-fast-as-before')).toMatchObject([
    { level: 30, destination: 'bus', callsPerSecond: null },
  ])
})

test('When a call is traced, then it is part of the trace of its event, and its span says what came of it', async () => {
  const spans: unknown[][] = []
  const within: unknown[] = []
  const tracing = {
    begin(...told: unknown[]) {
      spans.push(told)
      return { traceparent: 'child', end: (...end: unknown[]) => spans.push(end) }
    },
  } as unknown as Tracing
  const publish = async (): Promise<Effect> => {
    within.push(activeSpan.getStore()?.traceparent)
    if (within.length === 2) throw new PermanentError('bad', { code: 'http-400' })
    if (within.length === 3) throw new UnknownOutcomeError('no answer')
    return {}
  }
  const { fake, attempted } = await started({ tracing, to: { ports: { publish: { publish } } } }, ({ fake }) => {
    Object.assign(fake, { event: async () => ({ headers: { traceparent: 'parent' } }) })
    fake.enqueue('prompt', 1)
  })
  const about = { 'tillbridge.destination': 'bus', 'tillbridge.flow': 'publish' }
  expect(spans.splice(0)).toEqual([
    ['deliver', 'consumer', 'parent', { ...about, 'tillbridge.deliveries': [1] }],
    [{ 'tillbridge.outcome': 'delivered' }, false],
  ])
  Object.assign(fake, { event: () => Promise.reject(new Error('locked')) })
  fake.enqueue('prompt', 1)
  fake.tell('prompt')
  await atRest()
  fake.enqueue('prompt', 1)
  fake.tell('prompt')
  await atRest()
  expect(spans).toEqual([
    ['deliver', 'consumer', undefined, { ...about, 'tillbridge.deliveries': [2] }],
    [{ 'tillbridge.outcome': 'dead' }, true],
    ['deliver', 'consumer', undefined, { ...about, 'tillbridge.deliveries': [3] }],
    [{ 'tillbridge.outcome': 'unknown' }, true],
  ])
  expect(within).toEqual(['child', 'child', 'child'])
  expect(attempted).toEqual([
    ['bus', { outcome: 'delivered', ms: 0, age: 0 }],
    ['bus', { outcome: 'dead', ms: 0, age: 0 }],
    ['bus', { outcome: 'unknown', ms: 0, age: 0 }],
  ])
})

describe('a worker that stops', () => {
  test('when calls are under way, then it lets them finish, writes what came of them, and begins nothing new', async () => {
    const { worker, fake, calls, clock } = await started({}, ({ fake, ends }) => {
      ends.push('hang', 'hang')
      fake.enqueue('prompt', 2)
      fake.wakeAt.prompt = NOW + 50
    })
    expect(worker.callsTo('bus')).toHaveLength(2)
    expect(worker.callsTo('elsewhere')).toEqual([])
    let isOver = false
    const stopped = worker.stop(5_000).then(() => {
      isOver = true
    })
    clock.advance(100)
    await atRest()
    expect([isOver, calls[0]?.attempt.signal.aborted]).toEqual([false, false])
    fake.enqueue('prompt', 1)
    calls[0]?.done({})
    await atRest()
    expect(isOver).toBe(false)
    calls[1]?.done({})
    await stopped
    expect(fake.results.map(({ next }) => next.state)).toEqual(['delivered', 'delivered'])
    expect([calls.length, worker.callsTo('bus'), clock.waiting()]).toEqual([2, [], 0])
  })

  test('when they take longer than its patience, then they are told to stop', async () => {
    const { worker, calls, clock } = await started(
      { to: { queue: { concurrency: 4, timeout: 60_000, inDoubtFor: 0 } } },
      ({ fake, ends }) => {
        ends.push('hang')
        fake.enqueue('prompt', 1)
      },
    )
    const stopped = worker.stop(5_000)
    clock.advance(4_999)
    expect(calls[0]?.attempt.signal.aborted).toBe(false)
    clock.advance(1)
    expect(calls[0]?.attempt.signal.reason).toEqual(new Error('the hub is stopping'))
    calls[0]?.fail(new PermanentError('stopped'))
    await stopped
  })

  test('when claims come back only then, then they are released untouched', async () => {
    const claimed = Promise.withResolvers<void>()
    const { worker, fake, calls } = await started({}, ({ fake }) => {
      fake.enqueue('prompt', 2, 2)
      fake.claimAfter = claimed.promise
    })
    let isOver = false
    const stopped = worker.stop(5_000).then(() => {
      isOver = true
    })
    await atRest()
    expect(isOver).toBe(false)
    claimed.resolve()
    await stopped
    expect([fake.returned, calls]).toEqual([[1, 2, 3, 4], []])
  })

  test('when it is told of work in that moment, then it claims nothing more', async () => {
    const { worker, fake } = await started()
    const before = fake.claimed()
    fake.enqueue('prompt', 1)
    fake.tell('prompt')
    await worker.stop(5_000)
    expect([fake.claimed(), fake.returned]).toEqual([before, []])
  })

  test('when the store takes its time to take back what it claimed too late, then it ends after that', async () => {
    const claimed = Promise.withResolvers<void>()
    const taken = Promise.withResolvers<void>()
    const { worker } = await started({}, ({ fake }) => {
      fake.claimAfter = claimed.promise
      fake.returnClaims = () => taken.promise
      fake.enqueue('prompt', 1)
    })
    let isOver = false
    const stopped = worker.stop(5_000).then(() => {
      isOver = true
    })
    claimed.resolve()
    await atRest()
    expect(isOver).toBe(false)
    taken.resolve()
    await stopped
  })

  test('when the store does not take back what it claimed too late, then it ends, and they are released until they are taken', async () => {
    const claimed = Promise.withResolvers<void>()
    const { worker, fake, later, about } = await started({}, ({ fake }) => {
      fake.claimAfter = claimed.promise
      fake.notTaking = [new StorageUnavailableError('away'), new Error('a fault'), new StorageUnavailableError('away')]
      fake.enqueue('prompt', 2)
    })
    const stopped = worker.stop(5_000)
    claimed.resolve()
    await atRest()
    await later(1_000)
    await stopped
    expect(fake.returned).toEqual([])
    await later(1_000)
    await later(1_000)
    expect(fake.returned).toEqual([1, 2])
    expect(about('delivery.claims-not-returned')).toMatchObject([{ level: 50, err: { message: 'a fault' } }])
    expect(fake.notTaking).toEqual([])
  })

  test('when its last results cannot be written within a second, then it ends, and the log says how many', async () => {
    const { worker, fake, later, about } = await started({}, ({ fake }) => {
      fake.writeAfter = new Promise(() => {})
      fake.enqueue('prompt', 2)
      fake.enqueue('bulk', 1)
    })
    const stopped = worker.stop(5_000)
    await atRest()
    await later(1_000)
    await stopped
    expect(about('delivery.results-not-written')).toMatchObject([{ level: 50, results: 3 }])
    expect(fake.results).toEqual([])
  })
})
