import { expect, test } from 'vitest'
import type { Doctored } from '../../src/admin/health.ts'
import { RetryLaterError } from '../../src/domain/values/errors.ts'
import { asking as commands } from '../cli/run.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { busTo, startTestHub } from '../hub.ts'
import { deliveriesOf, LEVEL, logged, MINUTE, middle, SECOND, saleNo, untilAll, untilOutage } from '../queue/kit/kit.ts'
import { startSink } from '../sink.ts'
import { by, toldBy } from './health-kit.ts'

test('When the doctor asks a hub, then each system is looked at by its own adapter, for so long at most', async () => {
  const clock = createTestClock()
  const asked: string[] = []
  const signals: AbortSignal[] = []
  await using hub = await startTestHub({
    destinations: {
      shop: by({
        ports: {},
        async healthCheck() {
          asked.push('shop')
          return [
            { what: 'credentials', state: 'ok', says: 'Our key is known.' },
            { what: 'location', state: 'problem', says: 'It has no location 12.', todo: 'correct stocks.' },
          ]
        },
      }),
      erp: by({
        ports: {},
        healthCheck({ signal }) {
          asked.push('erp')
          signals.push(signal)
          return new Promise(() => {})
        },
      }),
      bus: by({
        ports: {},
        async healthCheck() {
          asked.push('bus')
          throw new RetryLaterError('bus: connect ECONNREFUSED', { code: 'unreachable', scope: 'destination' })
        },
      }),
      texts: by({ ports: {} }),
    },
    clock,
  })

  const answer = hub.admin<Doctored>('doctor')
  await eventually(() => expect(asked.toSorted()).toEqual(['bus', 'erp', 'shop']))
  clock.advance(10_000)
  const { body } = await answer

  expect(body.systems).toMatchObject([
    {
      destination: 'shop',
      found: [
        { what: 'credentials', state: 'ok' },
        { what: 'location', state: 'problem' },
      ],
    },
    { destination: 'erp', found: [{ state: 'problem', says: 'It did not answer within 10 s.' }] },
    {
      destination: 'bus',
      found: [{ state: 'problem', says: expect.stringContaining('It cannot be reached (connect ECONNREFUSED') }],
    },
    { destination: 'texts', found: null },
  ])
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
  expect(body.items.filter(({ state }) => state !== 'ok')).toEqual([])
})

test('When a destination is not down, then a probe shows what its adapter finds', async () => {
  await using hub = await startTestHub({
    destinations: {
      shop: by({
        ports: {},
        healthCheck: async () => [
          { what: 'credentials', state: 'unknown', says: 'It does not tell.', todo: 'look there.' },
        ],
      }),
    },
  })
  expect(await commands(hub)('probe', 'shop')).toMatchObject({
    code: 2,
    out: expect.stringMatching(
      /^shop is not down.*\nunknown {2}shop, credentials: It does not tell\. To do: look there\./,
    ),
  })
})

test('When a receiver that refused our key takes it again, then a person who probes it knows at once, and all goes out', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) }, clock, random: middle })
  const run = commands(hub)
  sink.play({ status: 401 })
  for (let no = 0; no < 4; no += 1) await hub.post('SaleCreated', saleNo(no))
  await untilOutage(hub, 1)
  for (const failures of [2, 3]) {
    clock.advance(10 * MINUTE)
    await untilOutage(hub, failures)
  }

  // Somebody has to act, so the log says so at once, and once.
  expect(logged(hub, 'credentials.refused')).toMatchObject([{ level: LEVEL.error, system: 'bus', code: 'http-401' }])
  const before = sink.received.length
  const still = await run('probe', 'bus')
  expect(still).toMatchObject({ code: 1, out: expect.stringMatching(/^bus is still down, .*http-401.*Next try in /) })
  expect(still.out).toMatch(/^unknown +bus, credentials: .* answered 401 Unauthorized/m)
  // The call, and the HEAD by which its adapter looks.
  expect(sink.received).toHaveLength(before + 2)
  expect(await toldBy(hub)).toMatchObject([{ area: 'destination', name: 'bus', state: 'problem' }])

  sink.play({ status: 200 })
  expect(await run('probe', 'bus')).toMatchObject({ code: 0, out: expect.stringMatching(/^bus is back\./) })
  expect(logged(hub, 'credentials.accepted')).toMatchObject([{ system: 'bus' }])
  expect(logged(hub, 'destination.probed')).toHaveLength(2)
  await eventually(async () => {
    // In small steps: none is so long that a claim under way comes too late.
    clock.advance(10 * SECOND)
    const states = (await deliveriesOf(hub)).map(({ state }) => state)
    expect(states).toEqual(Array(4).fill('delivered'))
  })
  expect(await run('probe', 'bus')).toMatchObject({ code: 0, out: expect.stringMatching(/^bus is not down/) })
  expect(await run('probe', 'buss')).toMatchObject({ code: 2, err: expect.stringContaining('no destination "buss"') })
})

test('When a destination is paused, then a probe does not say that what waits goes out, and says what lets it go on', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  const run = commands(hub)
  await run('pause', 'bus', '--reason', 'they move house')
  await hub.post('SaleCreated', saleNo(1))
  const probed = await run('probe', 'bus')
  expect(probed.out).toMatch(
    /^bus is not down, but paused by [^:]+: they move house: nothing is sent\. To do: tillbridge resume bus lets it go on\.$/m,
  )
  expect(sink.received.filter(({ id }) => id)).toEqual([])
  await run('resume', 'bus')
  await eventually(async () => expect((await deliveriesOf(hub))[0]?.state).toBe('delivered'))
})

test('When a person resumes or retries what waits for a receiver down, then it is tried at once', async () => {
  const clock = createTestClock()
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) }, clock, random: middle })
  sink.play({ status: 503 })
  await hub.post('SaleCreated', saleNo(1))
  await untilOutage(hub, 1)
  await hub.admin('deliveries/retry', { filter: { destination: 'bus', state: 'waiting' } })
  await untilOutage(hub, 2)
  await hub.admin('destinations/bus/pause', {})
  await hub.admin('destinations/bus/resume', {})
  await untilOutage(hub, 3)
  sink.play({ status: 200 })
  await hub.admin('destinations/bus/resume', {})
  await untilAll(hub, 'delivered', 1)
})
