import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import {
  HeldError,
  PermanentError,
  RetryLaterError,
  UnknownOutcomeError,
  WaitError,
} from '../../src/domain/values/errors.ts'
import { readOrRetry as ask, placedOrder, priorEffects } from '../../src/flows/context.ts'
import { EMPTY_CONTEXT, type Flow, type Guard } from '../../src/flows/flow.ts'
import { retryWhilePending } from '../../src/flows/guards.ts'
import type { Mappings } from '../../src/platform/payloads/mapping/mapping.ts'
import { UNREAD } from '../../src/platform/payloads/unread.ts'
import type { Effect, Ports, PublishedEvent } from '../../src/ports/ports.ts'
import type { Destination } from '../../src/queue/destination.ts'
import { afterRefusal, createExecutor, createPending, leaseOf } from '../../src/queue/execute.ts'
import type { Claim, ClaimedDelivery } from '../../src/storage/claim.ts'
import { orderUpdate } from '../fixtures/payloads.ts'
import { claimOf, createStillClock, createTestLog, destinationOf, eventOf, flowOf, NOW } from './kit/parts.ts'
import { placedOf, sourcesOf } from './sources.ts'

interface Given {
  deliveries?: Partial<ClaimedDelivery>[]
  claim?: Partial<Omit<Claim, 'delivery'>>
  flow?: Partial<Flow>
  /** What the destination does with the body that it is sent. */
  publish?: (event: PublishedEvent) => Promise<Effect>
  find?: () => Promise<Effect | null>
  to?: Partial<Destination>
  mappings?: Mappings
  /** Whether what the flow follows is owed there; an error: the store cannot tell. */
  hasPending?: boolean | Error
  hasTakenSince?: (since: number | null) => boolean
  /** The event loop, during one call after the other. */
  stalls?: boolean[]
  late?: number
  own?: number
  /** How far the clock goes during the call. */
  takes?: number
}

/** Carries out deliveries of a flow called `step`. */
async function executed(given: Given = {}) {
  const {
    deliveries = [{}],
    claim = {},
    flow = {},
    publish = async () => ({}),
    find,
    to = {},
    mappings,
    hasPending = false,
  } = given
  const { hasTakenSince = () => false, stalls = [], late = 0, own, takes = 0 } = given
  const still = createStillClock()
  const clock = own === undefined ? still : { ...still, machineNow: () => own }
  const { logger, said } = createTestLog()
  const { sources } = sourcesOf()
  const asked: unknown[] = []
  const arePending = async (...question: unknown[]) => {
    asked.push(question)
    if (hasPending instanceof Error) throw hasPending
    return hasPending
  }
  const execute = createExecutor({
    ...sources,
    storage: { ...sources, arePending },
    flows: [flowOf('other'), flowOf('step', flow)],
    clock,
    random: () => 0.5,
    logger,
    underWay: new Map<number, AbortController>(),
    isRunning: () => true,
    eventLoop: { hasStalledSince: () => stalls.shift() ?? false },
    ...(mappings && { mappings }),
  })
  const timed = (event: PublishedEvent) => {
    still.advance(takes)
    return publish(event)
  }
  const ports: Ports = { publish: { publish: timed, ...(find && { find }) } }
  const claims = deliveries.map((one) => claimOf({ flow: 'step', ...one }, claim))
  const destination = destinationOf({ ports, ...to })
  const evidenceOn = ({ failingSince }: { failingSince: number | null }) => ({
    own: hasTakenSince(failingSince),
    alone: null,
  })
  const { results, at, mostTelling, several } = await execute(claims, destination, NOW + 2_000 - late, evidenceOn)
  return { results, at, mostTelling, several, said, asked, next: results[0]?.next, attempt: results[0]?.attempt }
}

const fails = (error: Error) => ({ publish: () => Promise.reject(error) })

test('When something is claimed for a call, then its lease is twice its time; of bulk, five times more for halves', () => {
  expect(leaseOf(destinationOf(), 'prompt')).toBe(2_000)
  expect(leaseOf(destinationOf(), 'bulk')).toBe(7_000)
})

describe('what becomes of a delivery', () => {
  test('when it is done, then the result says so, with its links and its note', async () => {
    const publish = async () => ({ note: '202', links: [{ kind: 'order', id: 'A1', theirId: '99' }] })
    const { results, mostTelling, at, said } = await executed({ publish })
    expect(results).toEqual([
      {
        fence: 7,
        delivery: 7,
        next: { state: 'delivered', dueAt: NOW, why: null, tries: 0, finds: 0, failingSince: null, open: false },
        attempt: { at: NOW, ms: 0, outcome: 'delivered', code: 'delivered', note: '202' },
        links: [{ destination: 'bus', kind: 'order', id: 'A1', theirId: '99' }],
      },
    ])
    expect([mostTelling?.type, at]).toEqual(['delivered', NOW])
    expect(said).toMatchObject([{ msg: 'delivery.attempted', delivery: 7, state: 'delivered' }])
  })
  test('when it went out once more after a try that was cut off, then the note says that it may be there twice', async () => {
    const summaryOf = async (open: boolean, effect: Effect, more: Given = {}) =>
      (await executed({ deliveries: [{ open }], publish: async () => effect, ...more })).attempt?.note
    const twice = 'maybe for the second time: an earlier try was cut off before its answer'
    expect(await summaryOf(true, {})).toBe(twice)
    expect(await summaryOf(true, { note: '202' })).toBe(`202; ${twice}`)
    expect(await summaryOf(false, { note: '202' })).toBe('202')
    const found = { flow: { atMostOnce: true }, find: async () => ({ note: '99' }) } as const
    expect(await summaryOf(true, {}, found)).toBe('found there: 99')
    expect((await executed({ deliveries: [{ open: true }], ...fails(new PermanentError('bad')) })).attempt?.note).toBe(
      'bad',
    )
  })
})

test.each([
  [0, 0],
  [250, 250],
  [-5_000, 0],
  [30 * 3_600_000, 24 * 3_600_000],
])(
  'When the clock goes on by %i ms during a call, then its try took %i ms: a clock that is set may go anywhere',
  async (takes, ms) => {
    expect((await executed({ takes })).attempt).toMatchObject({ at: NOW, ms })
  },
)

test('When only a person can find out whether an earlier try had its effect, then it is held; else it is looked for again', async () => {
  const lookingFor = async (byHand: boolean) => {
    const find = () => Promise.reject(new UnknownOutcomeError('two of them', { byHand, code: 'no-answer' }))
    const { next } = await executed({ deliveries: [{ open: true, tries: 1 }], flow: { atMostOnce: true }, find })
    return next
  }
  expect(await lookingFor(true)).toMatchObject({ state: 'held', open: true, why: 'uncertain: two of them' })
  expect(await lookingFor(false)).toMatchObject({ state: 'waiting', open: true })
})

test('When config says where a field is, then a step reads it there; what is passed on is as it came; what cannot be read names the config', async () => {
  const mappings = { SaleCreated: { posId: 'store.register' } }
  const claim = { event: eventOf({ store: { register: 3 } }) }
  const bodies: unknown[] = []
  const call: Flow['call'] = ({ body }) => {
    bodies.push(JSON.parse(Buffer.from(body).toString()))
    throw new HeldError('no POS', { code: UNREAD })
  }
  const { attempt } = await executed({ claim, mappings, flow: { port: 'stock', call } })
  expect(attempt?.note).toBe('no POS (config says: posId is store.register)')
  await executed({ claim, mappings, flow: { call } })
  expect(bodies).toEqual([{ store: { register: 3, posId: 3 } }, { store: { register: 3 } }])
  const other = () => {
    throw new HeldError('look', { code: 'other' })
  }
  expect((await executed({ claim, mappings, flow: { port: 'stock', call: other } })).attempt?.note).toBe('look')
})

test('When a delivery is of a flow that there is no more, then it is dead by that name, and uncertain where it may have gone out', async () => {
  const why = 'there is no flow "former" any more'
  const gone = async (open: boolean) => (await executed({ deliveries: [{ flow: 'former', open }] })).attempt
  expect(await gone(false)).toMatchObject({ outcome: 'dead', code: 'flow-gone', note: why })
  expect(await gone(true)).toMatchObject({ outcome: 'unknown', code: 'flow-gone', note: why })
})

describe('when a failure may be everybody’s', () => {
  test('then it counts against it alone where others of its call got through', async () => {
    const setLevels = async () => [{}, new UnknownOutcomeError('no answer')]
    const levels: Partial<Flow> = {
      port: 'stock',
      call: () => ({ port: 'stock', method: 'setLevels', argument: [] }) as never,
    }
    const deliveries = [{ id: 1 }, { id: 2, urgency: 'bulk' as const, tries: 5, failingSince: NOW - 5 }]
    const { results } = await executed({
      deliveries,
      flow: levels,
      to: { ports: { stock: { setLevels } } as unknown as Ports },
    })
    expect(results.map(({ next }) => next.tries)).toEqual([0, 6])
    expect(results[1]?.next.failingSince).toBe(NOW - 5)
  })
})

describe('when deliveries are claimed together', () => {
  const levels: Partial<Flow> = {
    port: 'stock',
    call: () => ({ port: 'stock', method: 'setLevels', argument: [] }) as never,
  }

  async function sizesOf(deliveries: Partial<ClaimedDelivery>[], refusal: Error | null = null) {
    const sizes: number[] = []
    const setLevels = async (batch: readonly unknown[]) => {
      sizes.push(batch.length)
      if (refusal) throw refusal
      return batch.map(() => ({}))
    }
    const to = { ports: { stock: { setLevels } } as unknown as Ports }
    const { results, said } = await executed({ deliveries, flow: levels, to })
    return { sizes, codes: results.map(({ attempt }) => attempt.code), said: said.map(({ msg }) => msg) }
  }
  const bulk = { urgency: 'bulk' } as const

  test('then those that failed before go out apart, and alone once one of them failed three times; bulk that surely failed goes with the others', async () => {
    const [fresh, again] = [{ id: 1 }, { id: 2, tries: 1 }]
    expect((await sizesOf([fresh, fresh, again, again])).sizes).toEqual([2, 1, 1])
    expect((await sizesOf([fresh, { ...again, ...bulk }])).sizes).toEqual([2])
    expect((await sizesOf([fresh, { ...again, ...bulk, open: true }])).sizes).toEqual([1, 1])
    const many = Array.from({ length: 32 }, () => again)
    expect((await sizesOf(many)).sizes).toEqual(Array(16).fill(2))
    expect((await sizesOf([...many, { ...again, tries: 3 }])).sizes).toEqual(Array(33).fill(1))
  })

  test('then that is told, as what refuses them all is hardly to blame on one', async () => {
    expect((await executed()).several).toBe(false)
    expect((await executed({ deliveries: [{ id: 1 }, { id: 2 }] })).several).toBe(true)
  })

  test('and many fail, then the log has one line for all, and one each for twenty', async () => {
    const many = Array.from({ length: 22 }, (_, no) => ({ id: no + 1 }))
    const { said } = await sizesOf(many, new PermanentError('bad', { code: 'http-400' }))
    expect(said).toEqual(['delivery.batch-attempted', ...Array(20).fill('delivery.attempted')])
  })

  test('and the destination is away, then the rest does not go out, and is not charged', async () => {
    const away = new RetryLaterError('away', { scope: 'destination', code: 'unreachable' })
    const { sizes, codes } = await sizesOf([{ id: 1 }, { id: 2, tries: 1 }, { id: 3, tries: 1 }], away)
    expect([sizes, codes]).toEqual([[1], ['unreachable', 'not-its-turn', 'not-its-turn']])
  })
})

describe('when what a step is about may be on its way', () => {
  test('by what it follows, then it waits for that; a store that cannot tell changes nothing', async () => {
    const given = {
      ...fails(new PermanentError('There is no product.', { code: 'http-404' })),
      flow: { guards: [retryWhilePending('create-products')] },
    }
    const { next, asked } = await executed({ ...given, hasPending: true })
    expect(next).toMatchObject({ state: 'waiting', why: expect.stringMatching(/on its way there/) })
    expect(asked).toEqual([['bus', ['create-products']]])
    expect((await executed({ ...given, hasPending: false })).next).toMatchObject({ state: 'dead' })
    expect((await executed({ ...given, hasPending: new Error('locked') })).next).toMatchObject({ state: 'dead' })
  })
})

test('When several guards of a flow say what a refusal means, then the first that says something else than it holds', async () => {
  const refusal: Outcome = { type: 'dead', code: 'http-404', why: 'no' }
  const later: Outcome = { type: 'wait', until: NOW, code: 'later', why: 'it comes' }
  const after = (...says: (Outcome | undefined | Error)[]) => {
    const guards = says.map((one): Guard => {
      const onRefusal = async () => {
        if (one instanceof Error) throw one
        return one ?? refusal
      }
      return { name: 'retryWhilePending', ...(one !== undefined && { onRefusal }) } as unknown as Guard
    })
    return afterRefusal(refusal, { event: eventOf({}) }, flowOf('step', { guards }), NOW, async () => false)
  }
  expect(await after(undefined, refusal, new Error('locked'), later, { ...later, code: 'other' })).toBe(later)
  expect(await after(undefined, refusal, new Error('locked'))).toBe(refusal)
  expect(await after()).toBe(refusal)
})

test('What a destination has under way is asked once a second, for each list of flows and each destination; what ended meanwhile counts', async () => {
  const clock = createStillClock()
  const asked: string[] = []
  const pending = createPending(async (destination, flows) => {
    asked.push(`${flows.join(' and ')} to ${destination}`)
    if (destination === 'away') throw new Error('locked')
    return destination === 'bus'
  }, clock.now)
  const ask = (destination: string, ...flows: string[]) => pending.isPending(destination, flows, NOW)
  expect([await ask('bus', 'a'), await ask('bus', 'a'), await ask('shop', 'a')]).toEqual([true, true, false])
  expect(await ask('shop', 'a', 'b')).toBe(false)
  expect(asked).toEqual(['a to bus', 'a to shop', 'a and b to shop'])
  clock.advance(999)
  await ask('bus', 'a')
  clock.advance(1)
  await ask('bus', 'a')
  expect(asked.slice(3)).toEqual(['a to bus'])
  for (const _ of [1, 2]) await expect(ask('away', 'a')).rejects.toThrow('locked')
  expect(asked.slice(4)).toEqual(['a to away', 'a to away'])
  pending.ended('shop', 'b')
  expect([await ask('shop', 'a', 'b'), await ask('shop', 'a')]).toEqual([true, false])
})

describe('a delivery that was in flight when the process died or stalled', () => {
  const away = new RetryLaterError('away', { scope: 'destination', code: 'unreachable' })

  test('is held by name at the third time, and not tried', async () => {
    const { next, results, said, mostTelling } = await executed({
      deliveries: [{ crashes: 3 }],
      ...fails(new Error('called')),
    })
    expect(next).toMatchObject({
      state: 'held',
      why: 'it was in flight 3 times when the hub died or stalled, the last time alone (flow step to bus): look at it with "events show 1"; release it with "deliveries retry 7"',
    })
    // Let go by an operator it runs isolated, and one more crash holds it again.
    expect(results[0]?.crashes).toBe(2)
    expect(mostTelling).toBe(null)
    expect(said).toMatchObject([{ level: 50, msg: 'delivery.attempted', delivery: 7, code: 'poison-message' }])
  })

  test('keeps its doubt when it is held: its effect may have happened', async () => {
    const { next } = await executed({ deliveries: [{ crashes: 3, open: true, once: true }] })
    expect(next).toMatchObject({ state: 'held', open: true })
  })

  test.each([
    ['is delivered', {}, undefined],
    ['is refused', fails(new PermanentError('bad')), undefined],
    ['fails on its own', fails(new RetryLaterError('later')), undefined],
    ['is held for another reason', fails(new HeldError('look')), undefined],
    ['waits for its turn', fails(new WaitError('later', { code: 'later', until: NOW + 1 })), 2],
    ['did not reach its destination', fails(away), 2],
  ])('and now %s, is cleared by an outcome of its own alone', async (_, how, crashes) => {
    const { results } = await executed({ deliveries: [{ crashes: 2 }], ...how })
    expect(results[0]?.crashes).toBe(crashes)
  })

  test.each([
    [0, 1],
    [2, 3],
  ])('counted %i times, counts once more when the loop stalls during its call', async (crashes, after) => {
    const { results } = await executed({
      deliveries: [{ crashes }],
      stalls: [true],
      ...fails(new RetryLaterError('later')),
    })
    expect(results[0]?.crashes).toBe(after)
  })

  test('counts no stall of the calls before and after', async () => {
    const { results } = await executed({
      deliveries: [{ id: 1, crashes: 2 }, { id: 2 }, { id: 3, crashes: 2 }],
      stalls: [true, false, false],
    })
    expect(results.map(({ crashes = 0 }) => crashes)).toEqual([0, 1, 0])
  })
})

describe('when a destination names an instant before which it takes nothing', () => {
  const later = fails(new RetryLaterError('later', { notBefore: 60_000, code: 'http-503' }))

  test('then that is meant by this machine’s clock, and kept by the one that hubs agree on', async () => {
    const { next, mostTelling } = await executed({ ...later, own: 10_000 })
    expect(next?.dueAt).toBe(NOW + 50_000)
    expect(mostTelling).toMatchObject({ notBefore: NOW + 50_000 })
    expect((await executed({ ...fails(new RetryLaterError('later')), own: 10_000 })).mostTelling).toMatchObject({
      notBefore: null,
    })
  })
})

for (const [late, state] of [
  [999, 'delivered'],
  [1_000, 'waiting'],
] as const)
  test(`When a call begins ${late} ms after its claim, then it is ${state}: it must end within the lease, and be written down`, async () => {
    expect((await executed({ late })).next).toMatchObject({ state })
  })

const TEE = '7090012340011'
const { signal } = new AbortController()
const update = claimOf(
  { destination: 'shop', part: 'line-1~again-4' },
  { event: eventOf(orderUpdate(), { receivedAt: NOW - 5 }) },
)

describe('what a call must know besides its event', () => {
  const learnt = async ({ check }: Guard, given: Parameters<typeof sourcesOf>[0] = {}) => {
    const { sources } = sourcesOf(given)
    const known = { ...EMPTY_CONTEXT, storeOf: sources.storeOf }
    const step = { ...update, part: 'line-1', now: NOW, onlyLook: false, known, makesCall: () => false }
    const verdict = await check?.(step, sources, signal)
    return verdict && 'known' in verdict ? verdict.known : null
  }
  test('when what was done before may contradict it, then all effects that begin so are known', async () => {
    const effectsOf = async (how: string, beginning: string) => [`${how} ${beginning}1`, `${how} ${beginning}2`]
    const known = await learnt(
      priorEffects(() => ['a/', 'b/']),
      { effectsOf },
    )
    expect(known?.prior).toEqual(['delivered a/1', 'delivered a/2', 'delivered b/1', 'delivered b/2'])
  })

  describe('when it needs the order', () => {
    const needs = placedOrder(() => 'A1')

    test('then it is read by its number and its goods, as of the event or later', async () => {
      const order = placedOf()
      const placed = async (...given: unknown[]) => {
        expect(given).toEqual([{ number: 'A1', lines: [expect.objectContaining({ gtin: TEE })] }, NOW - 5, signal])
        return order
      }
      expect((await learnt(needs, { orders: { placed } }))?.order).toBe(order)
    })
    test('and it cannot be read now, then the step is tried later, and why is told', async () => {
      const placed = () => Promise.reject(new RetryLaterError('the platform is away', { scope: 'destination' }))
      await expect(learnt(needs, { orders: { placed } })).rejects.toMatchObject({
        code: 'unread',
        scope: 'item',
        message: 'the order could not be read first: the platform is away',
      })
    })
  })
})

test('When what a person must look at is asked for, then that is the outcome; everything else is tried later', async () => {
  const held = new HeldError('look')
  await expect(ask('the order', () => Promise.reject(held))).rejects.toBe(held)
  const cause = new TypeError('oops')
  await expect(ask('the order', () => Promise.reject(cause))).rejects.toMatchObject({
    name: 'RetryLaterError',
    message: 'the order could not be read first: TypeError: oops',
    code: 'unread',
    cause,
  })
})
