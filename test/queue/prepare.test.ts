import { describe, expect, test } from 'vitest'
import { placedOrder } from '../../src/flows/context.ts'
import type { Flow, Guarded, Verdict } from '../../src/flows/flow.ts'
import { stillTrue, verifyWithPlatform } from '../../src/flows/guards.ts'
import type { Call, Ports } from '../../src/ports/ports.ts'
import { begin, prepare } from '../../src/queue/call.ts'
import type { Destination } from '../../src/queue/destination.ts'
import type { Claim, ClaimedDelivery } from '../../src/storage/claim.ts'
import { orderUpdate } from '../fixtures/payloads.ts'
import { claimOf, createStillClock, destinationOf, eventOf, flowOf, settled } from './kit/parts.ts'
import { sourcesOf } from './sources.ts'

const FINDS: Ports = { publish: { publish: async () => ({}), find: async () => null } }
const ONCE: Partial<Flow> = { atMostOnce: true, whenInDoubt: 'hold' }

interface Given {
  delivery?: Partial<ClaimedDelivery>
  claim?: Partial<Omit<Claim, 'delivery'>>
  flow?: Partial<Flow>
  to?: Partial<Destination>
  sources?: Parameters<typeof sourcesOf>[0]
}

function prepared({ delivery = {}, claim = {}, flow = {}, to = {}, sources = {} }: Given) {
  const clock = createStillClock()
  const limits = { clock, timeout: 1_000, underWay: new Map<number, AbortController>() }
  const [of, destination, asked] = [flowOf('publish', flow), destinationOf(to), sourcesOf(sources).sources]
  const one = begin(claimOf(delivery, claim), of, destination, asked, clock.now())
  /** The step with its call, or the outcome in its place. */
  const ends = prepare(one, of, destination, asked, limits).then(() => one.outcome ?? one)
  return { clock, ends, one }
}

const endOf = (given: Given) => prepared(given).ends
describe('what goes out', () => {
  test('when nothing keeps it, then its call is ready, of the step that its part names', async () => {
    const parts: string[] = []
    const flow: Partial<Flow> = {
      call(event, { part }) {
        parts.push(part)
        return { port: 'publish', method: 'publish', argument: { kind: event.kind, body: event.body, receivedAt: 0 } }
      },
    }
    const end = await endOf({ delivery: { part: 'shipment-2~again-4' }, flow })
    expect(end).toMatchObject({
      call: { port: 'publish', argument: { kind: 'SaleCreated' } },
      kept: [],
      onlyLook: false,
    })
    expect(parts).toEqual(['shipment-2'])
  })
  test('when a person has a message sent to another address, then it goes there; what is no message does not change', async () => {
    const released = { by: 'Ola', reason: 'a typo', to: 'kari@example.com' }
    const to = async (port: string, more: object = { released }) => {
      const call = { port, method: 'send', argument: { to: 'kari@exmaple.com', name: 'Kari' } } as unknown as Call
      const end = await endOf({ delivery: more, flow: { call: () => call } })
      return 'call' in end ? end.call?.argument : end
    }
    for (const port of ['email', 'texts']) expect(await to(port)).toEqual({ to: 'kari@example.com', name: 'Kari' })
    expect(await to('publish')).toMatchObject({ to: 'kari@exmaple.com' })
    expect(await to('email', {})).toMatchObject({ to: 'kari@exmaple.com' })
    expect(await to('email', { released: { by: 'Ola', reason: 'it is so' } })).toMatchObject({ to: 'kari@exmaple.com' })
  })
})

test('When a destination is run dry, then the note has the call, readable and not endless, and nothing of one to be erased', async () => {
  const noteOf = async (method: string, argument: unknown) => {
    const call = () => ({ port: 'publish', method, argument }) as unknown as Call
    const end = await endOf({ to: { dryRun: true }, flow: { call } })
    return 'note' in end ? end.note : end
  }
  const readable = 'dry run: publish.publish {"body":"{\\"a\\":1}","image":"2 bytes"}'
  expect(await noteOf('publish', { body: Buffer.from('{"a":1}'), image: new Uint8Array([255, 254]) })).toBe(readable)
  expect(await noteOf('erase', { email: 'kari@example.com' })).toBe('dry run: publish.erase')
  expect(await noteOf('publish', 'x'.repeat(3_000))).toHaveLength('dry run: '.length + 2_000)
})

test('When guards tell something, or take something away, then the call is made of what all of them say', async () => {
  const order = { number: 'A1' } as never
  const others = eventOf({ lines: [] })
  const guards = [
    { name: 'undoes', check: async () => ({ known: { prior: ['a'] }, kept: [{ id: 'A1' }] }) },
    { name: 'undoes', check: async () => ({ known: { order } }) },
    { name: 'undoes', check: async () => ({ event: others, without: 'line 1' }) },
  ] as unknown as NonNullable<Flow['guards']>
  const given: unknown[] = []
  const call: Flow['call'] = (event, _, { prior, order }) => {
    given.push(event, prior, order)
    return { port: 'publish', method: 'publish', argument: { kind: event.kind, body: event.body, receivedAt: 0 } }
  }
  expect(await endOf({ flow: { guards, call } })).toMatchObject({ kept: [{ id: 'A1' }], without: ['line 1'] })
  expect(given).toEqual([others, ['a'], order])
})

test('When a guard asks whether there is a call to make, then the flow is asked, with what guards before it told', async () => {
  const asked: boolean[] = []
  const check = async (step: Guarded) => {
    asked.push(step.makesCall())
    return null
  }
  const asking = { name: 'undoes', check }
  const telling = { name: 'undoes', check: async () => ({ known: { prior: ['a'] } }) }
  const guards = [asking, telling, asking] as unknown as NonNullable<Flow['guards']>
  const call: Flow['call'] = ({ kind, body }, _, { prior }) =>
    prior.length > 0 ? null : { port: 'publish', method: 'publish', argument: { kind, body, receivedAt: 0 } }
  expect(await endOf({ flow: { guards, call } })).toMatchObject({ code: 'nothing-left' })
  expect(asked).toEqual([true, false])
})

describe('what cannot go out', () => {
  test.each<[string, string, Given]>([
    ['unchanged', 'unchanged: bus has acknowledged the same', { claim: { unchanged: true } }],
    ['stale', 'stale: bus has acknowledged a newer one', { claim: { stale: true } }],
    ['payload-gone', 'The payload is not kept any more.', { claim: { event: eventOf(null) } }],
    ['nothing-left', 'there is nothing left to do about it', { flow: { call: () => null } }],
  ])('when it is %s, then it says so', async (code, why, given) => {
    expect(await endOf(given)).toEqual({ type: code === 'payload-gone' ? 'dead' : 'superseded', code, why })
  })

  test('when an earlier try may have had its effect, and nobody can look it up, then a person decides', async () => {
    const uncertain = {
      type: 'unknown',
      code: 'uncertain',
      why: 'an earlier try may have had its effect, and nobody can look it up',
    }
    expect(await endOf({ delivery: { open: true }, flow: ONCE })).toEqual(uncertain)
    expect(await endOf({ flow: ONCE })).toMatchObject({ onlyLook: false })
    expect(await endOf({ delivery: { open: true } })).toMatchObject({ onlyLook: false })
    expect(await endOf({ delivery: { open: true }, flow: ONCE, to: { ports: FINDS } })).toMatchObject({
      onlyLook: false,
    })
  })
  test('when its inputs take longer than a call may, then they are given up', async () => {
    const { ends, clock } = prepared({
      flow: { guards: [placedOrder(() => 'A1')] },
      claim: { event: eventOf(orderUpdate()) },
      sources: {
        orders: {
          placed: (_, __, signal) =>
            new Promise((___, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        },
      },
    })
    await settled()
    clock.advance(1_000)
    expect(await ends).toMatchObject({
      type: 'retry',
      code: 'unread',
      why: expect.stringMatching(/no result within 1000 ms/),
    })
  })
})
test('When a guard does not stop when its time is over, then what it says later changes nothing', async () => {
  const late = Promise.withResolvers<Verdict | null>()
  const { ends, clock, one } = prepared({ flow: { guards: [{ name: 'undoes', check: () => late.promise }] } })
  await settled()
  clock.advance(1_000)
  clock.advance(1_000)
  const outcome = { type: 'unknown', why: 'The adapter did not stop when told to.' }
  expect(await ends).toMatchObject(outcome)
  late.resolve({ superseded: 'too late', code: 'nothing-left' })
  await settled()
  expect(one.outcome).toMatchObject(outcome)
})

describe('when an event says that an order is past a step', () => {
  const invalidated: Given = { claim: { event: eventOf(orderUpdate({ id: 'one' })), invalidated: 12 } }
  const event = (async () => ({ body: Buffer.from(JSON.stringify(orderUpdate({ id: 'other' }))) })) as never
  const rule = { orderOf: () => 'A1', status: 'Picked' }
  const asking: Partial<Flow> = { guards: [stillTrue(rule)] }
  const status = (is: string | null) => ({ orders: { status: async () => is } })

  test('then it is not made', async () => {
    const end = { type: 'superseded', code: 'invalidated', why: 'invalidated: event 12 says that it is past that' }
    expect(await endOf(invalidated)).toEqual(end)
    expect(await endOf({ ...invalidated, flow: asking, sources: status('Expired') })).toEqual(end)
    expect(await endOf({ ...invalidated, flow: asking, sources: status(null) })).toEqual(end)
  })

  test('then it is made all the same where the platform says that it still holds, or the event is about another order', async () => {
    expect(await endOf({ ...invalidated, flow: asking, sources: status('Picked') })).toMatchObject({ onlyLook: false })
    expect(await endOf({ ...invalidated, sources: { event } })).toMatchObject({ onlyLook: false })
  })

  test('then an effect that may be there is looked for, and not made', async () => {
    const open = { delivery: { open: true }, to: { ports: FINDS } }
    expect(await endOf({ ...invalidated, ...open, flow: ONCE })).toMatchObject({ onlyLook: true })
    expect(await endOf({ ...invalidated, to: { ports: FINDS }, flow: ONCE })).toMatchObject({ code: 'invalidated' })
    expect(await endOf({ ...invalidated, delivery: { open: true } })).toMatchObject({ code: 'invalidated' })
  })

  test('then a contradiction that the platform cannot settle is held for a person, until that one lets it go', async () => {
    const flow: Partial<Flow> = {
      guards: [stillTrue({ ...rule, contradiction: () => 'it was collected, and is expired' })],
    }
    const held = {
      type: 'held',
      code: 'contradiction',
      why: 'event 12 contradicts it: it was collected, and is expired',
    }
    expect(await endOf({ ...invalidated, flow, sources: status(null) })).toEqual(held)
    expect(await endOf({ ...invalidated, flow, sources: status('Expired') })).toMatchObject({ code: 'invalidated' })
    const delivery = { released: { by: 'Ola', reason: 'I asked' } }
    expect(await endOf({ ...invalidated, delivery, flow, sources: status(null) })).toMatchObject({ onlyLook: false })
    expect(await endOf({ ...invalidated, delivery, flow: asking, sources: status(null) })).toMatchObject({
      code: 'invalidated',
    })
  })
})

describe('when the platform must bear a step out', () => {
  const claiming: Partial<Flow> = { guards: [verifyWithPlatform(() => ({ order: 'A1', is: 'picked' }))] }
  const seen = (status: string) => ({
    orders: {
      verifier: {
        order: async () => ({ status, lines: [], parcels: null, isSent: null }),
        knowsOrders: async () => true,
        sent: async () => [],
      },
    },
  })

  test('then it is asked about the line that its step names, also where a message is sent again', async () => {
    const parts: string[] = []
    const asking = verifyWithPlatform((_, { part }) => {
      parts.push(part)
      return { order: 'A1', is: 'picked' }
    })
    const given = { delivery: { part: 'line-1~again-4' }, flow: { guards: [asking] }, sources: seen('Picked') }
    expect(await endOf(given)).toMatchObject({ onlyLook: false })
    expect(parts).toEqual(['line-1'])
  })

  test('then what may have gone out before is looked for only', async () => {
    const open = { delivery: { open: true }, to: { ports: FINDS } }
    expect(await endOf({ ...open, flow: { ...ONCE, ...claiming }, sources: seen('Expired') })).toMatchObject({
      onlyLook: true,
    })
    expect(await endOf({ ...open, flow: { ...ONCE, ...claiming }, sources: seen('Picked') })).toMatchObject({
      onlyLook: false,
    })
  })
})
