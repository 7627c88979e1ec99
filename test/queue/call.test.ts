import { describe, expect, test } from 'vitest'
import type { Link } from '../../src/domain/orders/link.ts'
import {
  PermanentError,
  RefusedTogetherError,
  RetryLaterError,
  UnknownOutcomeError,
} from '../../src/domain/values/errors.ts'
import type { Flow } from '../../src/flows/flow.ts'
import type { Attempt, BatchItem, BatchResult, Call, Effect, Ports, PublishedEvent } from '../../src/ports/ports.ts'
import { begin, type InFlight, makeCall, whenUnknown } from '../../src/queue/call.ts'
import type { Destination } from '../../src/queue/destination.ts'
import type { ClaimedDelivery } from '../../src/storage/claim.ts'
import { claimOf, createStillClock, destinationOf, eventOf, flowOf, NOW, settled } from './kit/parts.ts'
import { sourcesOf } from './sources.ts'

const PUBLISHED: Call = {
  port: 'publish',
  method: 'publish',
  argument: { kind: 'SaleCreated', body: Buffer.from('{}'), receivedAt: 0 },
}
const LEVELS = { port: 'stock', method: 'setLevels', argument: [] } as unknown as Call

function ready(delivery: Partial<ClaimedDelivery> = {}, more: Partial<InFlight> = {}): InFlight {
  const claim = claimOf(delivery, { event: eventOf({}, { identity: 'sale/9' }) })
  return { ...begin(claim, flowOf('publish'), destinationOf(), sourcesOf().sources, NOW), call: PUBLISHED, ...more }
}

/** Makes a call, whose time goes by as the port says. */
async function calling(
  items: InFlight[],
  ports: Ports,
  more: { flow?: Partial<Flow>; own?: number; to?: Partial<Destination>; attempts?: object[] | Error } = {},
) {
  const still = createStillClock()
  const clock = more.own === undefined ? still : { ...still, machineNow: () => more.own ?? 0 }
  const asked: unknown[][] = []
  const links = async (...given: [string, string, readonly string[]]): Promise<Link[]> => {
    asked.push(given)
    return []
  }
  const delivery = async () => {
    if (more.attempts instanceof Error) throw more.attempts
    return { attempts: more.attempts ?? [] } as never
  }
  const tools = { clock, underWay: new Map<number, AbortController>(), links, delivery }
  const flow = flowOf('publish', more.flow)
  for (const one of items) one.way = whenUnknown(flow, ports)
  const ends = makeCall(items, flow, destinationOf({ ports, ...more.to }), tools).then(() =>
    items.map(({ outcome, together }) => ({ outcome, together })),
  )
  return { ends, clock: still, asked, underWay: tools.underWay }
}

const publishing = (publish: (attempt: Attempt) => Promise<Effect>): Ports => ({
  publish: { publish: (_, attempt) => publish(attempt) },
})

async function attemptOf(delivery: Partial<ClaimedDelivery>, own?: number, receivedAt = NOW) {
  let found: Attempt | null = null
  const one = ready(delivery)
  const item = { ...one, event: { ...one.event, receivedAt } }
  const ports = publishing(async (attempt) => {
    found = attempt
    await attempt.links('order', ['A1'])
    return {}
  })
  const { ends, asked } = await calling([item], ports, own === undefined ? {} : { own })
  await ends
  return { attempt: found as unknown as Attempt, asked }
}

describe('what an adapter is told', () => {
  test('when it is called, then by which key, and it may ask for the names of its own system', async () => {
    const { attempt, asked } = await attemptOf({ part: 'shipment-2' })
    expect(attempt.key).toBe('SaleCreated:sale/9:publish:shipment-2')
    expect((await attemptOf({ effect: 'told/A1' })).attempt.key).toBe('told/A1:publish')
    expect(asked).toEqual([['bus', 'order', ['A1']]])
  })

  test('when there were tries before, then how the last one ended', async () => {
    expect((await attemptOf({})).attempt).toMatchObject({ previous: 'none', firstTriedAt: null })
    expect((await attemptOf({ tries: 1 })).attempt.previous).toBe('failed')
    expect((await attemptOf({ tries: 1, open: true })).attempt.previous).toBe('open')
  })

  test('when it was tried first, then that is told by the clock of this machine', async () => {
    expect((await attemptOf({ firstTriedAt: NOW - 60 })).attempt.firstTriedAt).toBe(NOW - 60)
    expect((await attemptOf({ firstTriedAt: NOW - 60 }, 5_000)).attempt.firstTriedAt).toBe(4_940)
  })

  test('when a clock that was ahead has noted when it was tried first, then it is looked for since its event came, or as long as anything is tried', async () => {
    const [hour, days] = [3_600_000, 72 * 3_600_000]
    const tried = { firstTriedAt: NOW + 2 * hour, open: true, tries: 1 }
    const cameAt = async (receivedAt: number) => (await attemptOf(tried, undefined, receivedAt)).attempt.firstTriedAt
    expect([await cameAt(NOW - hour), await cameAt(NOW + hour)]).toEqual([NOW - hour, NOW - days])
  })
})

describe('what came of a call', () => {
  async function endOf(publish: () => Promise<Effect>, item = ready(), flow: Partial<Flow> = {}) {
    const { ends } = await calling([item], publishing(publish), { flow })
    return (await ends)[0]
  }

  test('when it is refused, then that is the outcome; alone, it is to blame itself', async () => {
    const refused = { outcome: { type: 'dead', code: 'http-400', why: 'bad' }, together: false }
    expect(await endOf(() => Promise.reject(new PermanentError('bad', { code: 'http-400' })))).toEqual(refused)
  })

  test.each([
    ['a link without an id', { links: [{ kind: 'order', id: 'A1' }] }],
    ['a link that is a promise', { links: [{ kind: 'order', id: 'A1', theirId: Promise.resolve('99') }] }],
    ['a note that is a function', { note: () => 'done' }],
    ['nothing', undefined],
  ])('when an adapter releases %s, then the effect is uncertain', async (_, effect) => {
    expect(await endOf(async () => effect as unknown as Effect)).toMatchObject({
      outcome: { type: 'unknown', code: 'unexpected-error', why: expect.stringMatching(/^TypeError: /) },
    })
  })

  test('when an adapter gives no text where a link must be one, then the note names what it gave', async () => {
    const effect = { links: [{ kind: 'order', id: 'A1', theirId: 99 }] } as unknown as Effect
    const why = 'TypeError: the adapter gave number where a note or a link must be text'
    expect(await endOf(async () => effect)).toMatchObject({ outcome: { why } })
  })

  test('when a message is sent, then the note tells to whom, so that people know the address again, and no more', async () => {
    const summaryOf = async (port: 'email' | 'texts', to: string, note?: string) => {
      const call = { port, method: 'send', argument: { to } } as unknown as Call
      const send = async () => (note === undefined ? {} : { note })
      const { ends } = await calling([ready({}, { call })], { email: { send }, texts: { send } })
      return (await ends)[0]?.outcome
    }
    expect(await summaryOf('email', 'kari@example.com', '250 OK')).toMatchObject({ note: 'to k…@example.com, 250 OK' })
    expect(await summaryOf('texts', '+4790012345')).toMatchObject({ note: 'to …345' })
    expect(await endOf(async () => ({}))).toMatchObject({ outcome: { note: null } })
  })
})

test('When something was taken away from a call, then its note says so, and it is not all of it', async () => {
  const item = ready(
    {},
    { without: ['line 1', 'its address'], kept: [{ destination: 'bus', kind: 'order', id: 'A1', theirId: '9' }] },
  )
  const { ends } = await calling(
    [item],
    publishing(async () => ({ note: '202' })),
  )
  const note = '202, without line 1, and its address'
  expect((await ends)[0]?.outcome).toEqual({ type: 'delivered', links: item.kept, note, partly: true })
})

describe('a call that may have had its effect', () => {
  const ONCE: Partial<Flow> = { atMostOnce: true, whenInDoubt: 'hold' }
  const cut = { at: NOW - 100, ms: 0, outcome: 'unknown', code: 'no-answer' }

  async function endOf(
    attempts: object[] | Error,
    { inDoubtFor = 60_000, flow = {} as Partial<Flow>, code = '' } = {},
  ) {
    const [made, told]: [string[], (boolean | undefined)[]] = [[], []]
    const find = async ({ mayStillLand }: Attempt) => {
      told.push(mayStillLand)
      if (code !== '') throw new PermanentError('no search', { code })
      return null
    }
    const publish = async ({ kind }: PublishedEvent) => {
      made.push(kind)
      return { note: 'made' }
    }
    const ports: Ports = { publish: { publish, find } }
    const to = { queue: { concurrency: 4, timeout: 1_000, inDoubtFor } }
    const { ends } = await calling([ready({ open: true })], ports, { flow: { ...ONCE, ...flow }, to, attempts })
    return { outcome: (await ends)[0]?.outcome, made, told }
  }

  test('and is not there, then it is looked for again while it may still happen, and made after that', async () => {
    const { outcome, made, told } = await endOf([cut])
    expect(outcome).toMatchObject({
      ...{ type: 'wait', code: 'not-found-yet', until: NOW + 1_000 },
      why: 'nothing is there of an earlier call that went unanswered, and it may still take effect',
    })
    expect([made, told]).toEqual([[], [true]])
    const over = await endOf([cut], { inDoubtFor: 100 })
    expect([over.outcome, over.made, over.told]).toMatchObject([{ note: 'made' }, ['SaleCreated'], [false]])
  })

  test('and its earlier tries cannot be read, then it waits, and nothing is sent', async () => {
    const { outcome, made } = await endOf(new Error('locked'))
    const why = 'what its earlier tries were could not be read: locked'
    expect([outcome, made]).toEqual([{ type: 'wait', code: 'unread', until: NOW + 5_000, why }, []])
  })

  test('and cannot be looked for, then it is held for a person, unless its flow may repeat it or the system says so', async () => {
    const held = { type: 'unknown', code: 'cannot-find', byHand: true, why: expect.stringMatching(/: no search$/) }
    expect(await endOf([], { code: 'cannot-find' })).toMatchObject({ outcome: held, made: [] })
    for (const given of [{ code: 'cannot-find', flow: { whenInDoubt: 'repeat' } as const }, { code: 'may-repeat' }])
      expect(await endOf([cut], given)).toMatchObject({ outcome: { note: 'made' } })
  })
})

describe('a call of several', () => {
  test('when one of them only is uncertain, then that one is looked for, and the others are made', async () => {
    const made: number[] = []
    const port = {
      setLevels: async (batch: readonly BatchItem<unknown>[]) => {
        made.push(batch.length)
        return batch.map(() => ({ note: 'made' }))
      },
      find: async () => ({ note: '99' }),
    }
    const items = [ready({ id: 1 }, { call: LEVELS }), ready({ id: 2, open: true }, { call: LEVELS })]
    const { ends } = await calling(items, { stock: port } as unknown as Ports, {
      flow: { atMostOnce: true, port: 'stock' },
    })
    expect((await ends).map(({ outcome }) => outcome && 'note' in outcome && outcome.note)).toEqual([
      'made',
      'found there: 99',
    ])
    expect(made).toEqual([1])
  })

  /** Ends of a batch, by what its adapter gives. */
  async function endsOf(results: BatchResult | Error, count = 2) {
    const setLevels = async (batch: readonly BatchItem<unknown>[]) => {
      expect(batch).toHaveLength(count)
      if (results instanceof Error) throw results
      return results
    }
    const items = Array.from({ length: count }, (_, no) => ready({ id: no + 1 }, { call: LEVELS }))
    const ports = { stock: { setLevels } } as unknown as Ports
    return (await calling(items, ports)).ends
  }

  test('when each ends by itself, then each has its own outcome', async () => {
    expect(await endsOf([{ note: 'ok' }, new PermanentError('bad', { code: 'http-400' })])).toMatchObject([
      { outcome: { type: 'delivered', note: 'ok' }, together: false },
      { outcome: { type: 'dead', code: 'http-400' }, together: false },
    ])
  })

  test('when it is refused because of something in it, then all of it is, together; but a refusal of us is everybody’s', async () => {
    const refused = { outcome: { type: 'dead', code: 'http-400' }, together: true }
    const error = new RefusedTogetherError('one is bad', { code: 'http-400' })
    expect(await endsOf(error)).toMatchObject([refused, refused])
    expect(await endsOf([{}, error])).toMatchObject([{ together: false }, refused])
    expect(await endsOf(new RefusedTogetherError('who are you', { code: 'http-401' }))).toMatchObject([
      { outcome: { code: 'http-401' }, together: false },
      { together: false },
    ])
  })
})

describe('when the time of a call is over', () => {
  const stops = (error: Error) =>
    publishing((attempt) => new Promise((_, reject) => attempt.signal.addEventListener('abort', () => reject(error))))
  const ONCE: Partial<Flow> = { atMostOnce: true, whenInDoubt: 'hold' }

  async function cutBy(error: Error, flow: Partial<Flow> = {}) {
    const { ends, clock } = await calling([ready()], stops(error), { flow })
    await settled()
    clock.advance(1_000)
    return (await ends)[0]
  }

  test('and nothing of it was sent, then one in it may be what hangs: it is sent again in halves', async () => {
    const end = await cutBy(new RetryLaterError('not sent', { scope: 'destination' }), ONCE)
    expect(end).toMatchObject({ outcome: { type: 'retry', cut: true }, together: true })
  })

  test('and it may have had its effect, then it is sent again only where it may happen twice', async () => {
    const unknown = new UnknownOutcomeError('no answer')
    expect(await cutBy(unknown)).toMatchObject({ outcome: { type: 'unknown', cut: true }, together: true })
    expect(await cutBy(unknown, ONCE)).toMatchObject({ outcome: { type: 'unknown', cut: true }, together: false })
  })

  test('and it says how it stands, then that is so, however long it took', async () => {
    const end = await cutBy(new PermanentError('bad', { code: 'http-400' }))
    expect(end).toEqual({ outcome: { type: 'dead', code: 'http-400', why: 'bad' }, together: false })
    const late = publishing(
      (attempt) => new Promise((resolve) => attempt.signal.addEventListener('abort', () => resolve({ note: 'ok' }))),
    )
    const { ends, clock } = await calling([ready()], late)
    await settled()
    clock.advance(1_000)
    expect(await ends).toMatchObject([{ outcome: { type: 'delivered' }, together: false }])
  })

  test('but not where it failed in time, or the hub stopped it: then it was not cut', async () => {
    const unknown = new UnknownOutcomeError('no answer')
    const early = await (
      await calling(
        [ready()],
        publishing(() => Promise.reject(unknown)),
      )
    ).ends
    expect(early).toEqual([
      { outcome: { type: 'unknown', code: 'unknown-outcome', why: 'no answer' }, together: false },
    ])
    const { ends, underWay } = await calling([ready({ id: 3 })], stops(unknown))
    await settled()
    underWay.get(3)?.abort(new Error('the hub is stopping'))
    expect((await ends)[0]?.outcome).not.toHaveProperty('cut')
  })
})
