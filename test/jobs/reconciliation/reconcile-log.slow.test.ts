import { describe, expect, test } from 'vitest'
import { PermanentError, RetryLaterError } from '../../../src/domain/values/errors.ts'
import { sale } from '../../fixtures/payloads.ts'
import { keptIn, startTestHub, type TestHub } from '../../hub.ts'
import { DAY, HOUR, MINUTE } from '../kit.ts'
import { beside } from './log-kit.ts'

const LAG = 15 * MINUTE

test('when all has come, then a scan proves it up to the bound, and the next one goes on from there', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, until, gaps } = beside(hub)
  for (const n of [1, 2, 3]) await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - n * HOUR)

  expect(await job.run()).toBe('1 subscription, 3 records')
  expect(await until()).toBe(clock.now() - LAG)

  clock.pass(30 * MINUTE)
  expect(await job.run()).toBe('1 subscription, 1 record')
  expect(await until()).toBe(clock.now() - LAG)
  expect(await gaps()).toEqual([])
})

test('when somebody has limited subscriptions of one name to a store each, then what one brings is not missed in the log of the other', async () => {
  await using hub = await startTestHub()
  // The hub's own clock says when a webhook came.
  const { platform, clock, job, gaps, subscribe } = beside(hub, { start: new Date().toISOString() })
  subscribe('SaleCreated', 'of another store')
  for (const [nth, one] of platform.subscribed.entries()) one.storeId = `${12 + nth}`
  const sell = async (nth: number, at: number) => {
    const webhookEventId = `e-${nth}`
    const payload = sale({ receiptNo: `${nth}` })
    await hub.post('SaleCreated', payload, { eventId: webhookEventId, subscription: 'all' })
    const webhookId = platform.subscribed[nth % 2]?.id ?? ''
    const said = { status: null, statusCode: 200, success: true, runsCounter: 1, record: {}, payload }
    platform.log.push({ webhookId, webhookEventId, createdAt: at, ...said })
  }
  for (const nth of [1, 2]) await sell(nth, clock.now() - 5 * HOUR)
  await job.run()
  // One of them sells, and the other does not.
  for (const nth of [3, 5, 7, 9]) await sell(nth, clock.now())
  clock.pass(3 * HOUR)
  await job.run()
  expect(await gaps()).toEqual([])
})

test('when the log writes by the clock of the shop, two hours ahead, then nothing is proven two hours too early', async () => {
  await using hub = await startTestHub()
  // The hub's own clock says when a webhook came.
  const start = new Date(Date.now() - 6 * HOUR).toISOString()
  const { platform, clock, job, until, gaps } = beside(hub, { start })
  const AHEAD = 2 * HOUR
  const list = platform.events.list
  platform.events.list = async (query, signal) => {
    const { rows, ...rest } = await list(query, signal)
    return { ...rest, rows: rows.filter(({ createdAt }) => createdAt <= clock.now() + AHEAD) }
  }
  await job.run()
  clock.pass(6 * HOUR)
  for (const n of [1, 2, 3, 4]) await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() + AHEAD)
  for (const _ of [1, 2, 3, 4, 5, 6]) {
    await job.run()
    clock.pass(30 * MINUTE)
  }
  expect(await job.run()).toContain('its clock 120 minutes ahead')
  expect(await until()).toBe(clock.now() - LAG - AHEAD)
  expect(await gaps()).toEqual([])
})

test('when the 2xx was lost on the way, then that is noted, and nothing is missing', async () => {
  await using hub = await startTestHub()
  const { platform, clock, line, job, gaps } = beside(hub)
  line.losesAnswers = true
  await platform.emit('SaleCreated', sale(), clock.now() - HOUR)

  expect(await job.run()).toBe('1 subscription, 1 record, 1 here though the platform says they failed')
  expect(await gaps()).toEqual([])
})

for (const [name, written] of [
  ['in capitals and braces', (id: string) => `{${id.toUpperCase()}}`],
  ['without dashes', (id: string) => id.replaceAll('-', '')],
  ['twice', (id: string) => `${id}, ${id}`],
] as const)
  test(`when the header writes ids ${name}, and the log does not, then they are the same, and nothing is taken once more`, async () => {
    await using hub = await startTestHub()
    const { platform, clock, line, job, gaps, subscribe } = beside(hub, { written })
    subscribe('CustomerUpdated')
    line.losesAnswers = true
    await platform.emit('CustomerUpdated', { customerId: 7, firstName: 'Kari' }, clock.now() - HOUR)

    expect(await job.run()).toBe('2 subscriptions, 1 record, 1 here though the platform says they failed')
    clock.pass(HOUR)
    await job.run()
    expect(await gaps()).toEqual([])
    expect(keptIn(hub)).toMatchObject([{ transportKey: platform.log[0]?.webhookEventId }])
  })

test('when a scan fails, then it covers nothing, and the watermark stands', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, until } = beside(hub)
  await platform.emit('SaleCreated', sale(), clock.now() - 3 * HOUR)
  await job.run()
  const current = await until()

  clock.pass(HOUR)
  platform.faults.before = (call) => {
    if (call === 'events') throw new RetryLaterError('it says 500', { code: 'http-500' })
  }
  await expect(job.run()).rejects.toThrow()
  expect(await until()).toBe(current)
  platform.faults.before = () => {}
  await job.run()
  expect(await until()).toBe(clock.now() - LAG)
})

test('when a record is written to the log after its time was called proven, then the watermark goes back, aloud', async () => {
  await using hub = await startTestHub()
  const { platform, clock, line, job, until, lines } = beside(hub)
  await platform.emit('SaleCreated', sale(), clock.now() - 3 * HOUR)
  await job.run()
  clock.pass(10 * MINUTE)
  line.down = true
  const lateAt = clock.now() - 40 * MINUTE
  await platform.emit('SaleCreated', sale({ receiptNo: '2' }), lateAt)

  await job.run()
  expect(await until()).toBe(lateAt)
  expect(lines.filter(({ msg }) => msg === 'watermark.went-back')).toMatchObject([{ kind: 'SaleCreated', to: lateAt }])
})

test('when a record is written to the log many hours late, then it is found within a day', async () => {
  await using hub = await startTestHub()
  const { platform, clock, line, job, until, gaps } = beside(hub)
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), clock.now() - 3 * HOUR)
  await job.run()
  const lateAt = clock.now()
  clock.pass(10 * HOUR)
  await job.run()
  line.down = true
  await platform.emit('SaleCreated', sale({ receiptNo: '2' }), lateAt)
  clock.pass(HOUR)
  await job.run()
  expect(await gaps()).toEqual([])

  clock.pass(13 * HOUR)
  await job.run()
  expect(await gaps()).toMatchObject([{ cause: 'failed', at: lateAt }])
  expect(await until()).toBe(lateAt)
})

test('when the log answers 200 with nothing at all, and nothing has arisen, as at night, then that is proven', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, until, gaps } = beside(hub)
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), clock.now() - 3 * HOUR)
  await job.run()
  for (const _ of [1, 2, 3, 4]) {
    clock.pass(9 * HOUR)
    await job.run()
    expect(await until()).toBe(clock.now() - LAG)
  }
  expect(await gaps()).toEqual([])
})

describe('when a record of the log cannot be read', () => {
  async function unreadable(hub: TestHub) {
    const given = beside(hub)
    const { platform, clock, job, until } = given
    const { list } = platform.events
    const unreadableAt = clock.now() - 30 * HOUR
    const log = { isReadable: false }
    platform.events.list = async (query, signal) => {
      const answer = await list(query, signal)
      const isAside = !log.isReadable && query.from <= unreadableAt && query.to >= unreadableAt
      return isAside ? { ...answer, rejected: [{ row: 1, why: 'has no id', record: {} }] } : answer
    }
    await platform.emit('SaleCreated', sale({ receiptNo: '1' }), clock.now() - 60 * HOUR)
    await platform.emit('SaleCreated', sale({ receiptNo: '2' }), clock.now() - HOUR)
    await expect(job.run()).rejects.toThrow('cannot be read')
    const current = (await until()) ?? 0
    expect(current).toBeLessThan(unreadableAt)
    return { ...given, current, log }
  }

  test('and a person says why nothing has to be done, then the proof goes on', async () => {
    await using hub = await startTestHub()
    const { clock, job, until, storage } = await unreadable(hub)
    await storage.explainGaps(
      { cause: 'not-looked-at' },
      { by: 'kari', reason: 'closed', at: clock.now(), dryRun: false },
    )
    await expect(job.run()).rejects.toThrow('cannot be read')
    expect(await until()).toBe(clock.now() - LAG)
  })

  test('until the log has lost it, then its stretch is a gap, and not proven', async () => {
    await using hub = await startTestHub()
    const { platform, clock, job, until, gaps, log, current } = await unreadable(hub)
    clock.pass(2 * DAY)
    await platform.emit('SaleCreated', sale({ receiptNo: '3' }), clock.now() - 2 * HOUR)
    platform.log.shift()
    log.isReadable = true
    await job.run()
    expect(await gaps()).toMatchObject([{ cause: 'not-looked-at', state: 'open', at: current }])
    expect(await until()).toBe(current)
  })
})

test('when a page of the log holds no more than a hundred, then no record behind it is taken for absent', async () => {
  await using hub = await startTestHub()
  const { platform, clock, line, job, gaps, until } = beside(hub, { page: 100 })
  for (let n = 0; n < 450; n++) {
    line.down = n === 449
    await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - 20 * HOUR + n * MINUTE)
  }
  expect(await job.run()).toBe('1 subscription, 450 records, 1 not here')
  expect(await gaps()).toMatchObject([{ cause: 'failed' }])
  expect(await until()).toBe(clock.now() - 20 * HOUR + 449 * MINUTE)
})

test('when a log that is asked by the day holds a round number of a day, then that day is proven all the same', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, until } = beside(hub)
  const { list } = platform.events
  platform.events.list = ({ from, to, ...query }, signal) =>
    list({ ...query, from: Math.floor(from / DAY) * DAY, to: Math.ceil(to / DAY) * DAY }, signal)
  await platform.emit('SaleCreated', sale({ receiptNo: 'before' }), clock.now() - 50 * HOUR)
  for (let n = 0; n < 100; n++)
    await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - 6 * HOUR + n * MINUTE)

  await job.run()
  expect(await until()).toBe(clock.now() - LAG)
})

test.each([
  ['by the clock that it writes by', 0, 3],
  ['by a clock that is two hours ahead', 2 * HOUR, 30],
])('when the log reads what it is asked %s, then so many hours are asked for', async (_, ahead, hours) => {
  await using hub = await startTestHub()
  const { platform, clock, job, gaps } = beside(hub)
  const { list } = platform.events
  const asked: number[] = []
  platform.events.list = async ({ sameClock, from, to, ...query }, signal) => {
    // As the public API does it: where nothing is known of the clock, half a day more on both sides.
    const zone = sameClock ? { from, to } : { from: from - 12 * HOUR, to: to + 14 * HOUR }
    asked.push(zone.to - zone.from)
    return await list({ ...query, from: zone.from + ahead, to: zone.to + ahead }, signal)
  }
  for (const minutes of [20, 40, 300])
    await platform.emit('SaleCreated', sale({ receiptNo: `${minutes}` }), clock.now() - minutes * MINUTE)

  expect(await job.run()).toMatch(/^1 subscription, 3 records/)
  clock.pass(20 * MINUTE)
  asked.length = 0
  expect(await job.run()).toMatch(/^1 subscription, 2 records/)
  expect(Math.floor(Math.max(...asked) / HOUR)).toBe(hours)
  expect(await gaps()).toEqual([])
})

test('when no header names events, then nothing is proven by the log, and the job says what to do', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, gaps, until } = beside(hub, { keyed: false })
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), clock.now() - 3 * HOUR)
  expect(await job.run()).toContain('platform.webhooks.eventIdHeader')
  expect([await gaps(), await until()]).toEqual([[], null])
})

test('when a header is named after events came without one, then what may be here is neither taken again nor called proven, until a person explains it', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, gaps, until, storage } = beside(hub)
  const payload = { orderId: 7, stockId: 12, products: [], updatedDateTime: '2026-11-20T09:00:00' }
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), clock.now() - 40 * HOUR)
  const [sold] = platform.subscribed
  Object.assign(sold ?? {}, { event: 'DeliveryUpdated', url: sold?.url.replace('SaleCreated', 'DeliveryUpdated') })
  platform.log.length = 0
  await hub.post('DeliveryUpdated', { ...payload, products: [], comment: 'by the webhook' })
  const said = { status: null, statusCode: 200, success: true, runsCounter: 1, record: {}, payload }
  platform.log.push({ webhookId: 'SaleCreated', webhookEventId: 'e-9', createdAt: clock.now() - 30 * HOUR, ...said })
  await expect(job.run()).rejects.toThrow('without an event id')
  expect(keptIn(hub).filter(({ kind }) => kind === 'DeliveryUpdated')).toHaveLength(1)
  expect(await gaps()).toMatchObject([{ cause: 'not-looked-at', state: 'open' }])
  await storage.explainGaps(
    { cause: 'not-looked-at' },
    { by: 'kari', reason: 'looked at', at: clock.now(), dryRun: false },
  )
  await job.run().catch(() => {})
  expect(await until('DeliveryUpdated')).toBe(clock.now() - LAG)
})

test('when somebody bends the address of a subscription, then its log is read until another stands, and what went astray is taken', async () => {
  await using hub = await startTestHub()
  const { platform, clock, line, job, gaps, until, subscribe } = beside(hub)
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), clock.now() - 3 * HOUR)
  await job.run()
  const [bent] = platform.subscribed
  Object.assign(bent ?? {}, { url: 'https://elsewhere.example/hook' })
  line.foreign = true
  await platform.emit('SaleCreated', sale({ receiptNo: '2' }), clock.now())
  line.foreign = false
  clock.pass(HOUR)
  expect(await job.run()).toBe('1 subscription, 1 record, 1 not here, 1 taken from the log')
  subscribe('SaleCreated', 'new')
  for (const n of [3, 4, 5]) {
    clock.pass(HOUR)
    await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - 30 * MINUTE)
    await job.run()
  }
  expect(keptIn(hub).map(({ kind }) => kind)).toHaveLength(5)
  expect((await gaps()).filter(({ state }) => state === 'open')).toEqual([])
  expect(await until()).toBe(clock.now() - LAG)
  expect(await job.run()).toMatch(/^1 subscription/)
})

test('when ten records arose within a second, and the log has answered with more before, then they are no page', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, until } = beside(hub)
  for (let n = 0; n < 33; n++)
    await platform.emit('SaleCreated', sale({ receiptNo: `a${n}` }), clock.now() - 3 * HOUR + n * MINUTE)
  await job.run()
  clock.pass(30 * HOUR)
  for (let n = 0; n < 10; n++) await platform.emit('SaleCreated', sale({ receiptNo: `b${n}` }), clock.now() - HOUR + n)
  await job.run()
  expect(await until()).toBe(clock.now() - LAG)
})

test('when the log of one kind could never be looked through, then nobody says that all is here', async () => {
  await using hub = await startTestHub()
  const { platform, clock, job, storage, subscribe } = beside(hub)
  subscribe('CustomerCreated')
  await platform.emit('SaleCreated', sale(), clock.now() - HOUR)
  let asked = 0
  platform.faults.before = (call) => {
    // The other subscription is asked after the sales.
    if (call === 'events' && ++asked > 8) throw new RetryLaterError('it says 500', { code: 'http-500', scope: 'item' })
  }
  await expect(job.run()).rejects.toThrow('CustomerCreated')
  const marks = await storage.watermarks()
  expect(marks).toMatchObject([{ kind: 'CustomerCreated', from: 0, until: 0 }, { kind: 'SaleCreated' }])
  const { body } = await hub.admin<{ verdict: string; watermarks: { kind: string; neverScanned: boolean }[] }>(
    'completeness',
  )
  expect(body.verdict).toBe('unknown')
  expect(body.watermarks.find(({ kind }) => kind === 'CustomerCreated')).toMatchObject({
    neverScanned: true,
    verdict: 'unknown',
  })

  platform.faults.before = () => {}
  await job.run()
  expect((await storage.watermarks()).find(({ kind }) => kind === 'CustomerCreated')?.until).toBeGreaterThan(0)

  // Nobody subscribes to it any more.
  subscribe('CustomerUpdated')
  platform.faults.before = (call) => {
    if (call === 'events') throw new RetryLaterError('it says 500', { code: 'http-500', scope: 'item' })
  }
  await expect(job.run()).rejects.toThrow()
  expect((await storage.watermarks()).map(({ kind }) => kind)).toContain('CustomerUpdated')
  platform.subscribed.pop()
  await expect(job.run()).rejects.toThrow()
  expect((await storage.watermarks()).map(({ kind }) => kind)).not.toContain('CustomerUpdated')
})

test.each([
  ['is more than can be read', new PermanentError('it answered too much', { code: 'answer-too-large' })],
  ['breaks off for its length', new RetryLaterError('the answer broke off', { code: 'half-answer' })],
])('when an hour of the log %s, then less is asked for at once, and all of it is proven', async (_, outage) => {
  await using hub = await startTestHub()
  const { platform, clock, job, until } = beside(hub)
  for (let n = 1; n <= 41; n++)
    await platform.emit('SaleCreated', sale({ receiptNo: `${n}` }), clock.now() - 2 * HOUR - n * MINUTE)
  // By it the job learns that the log answers for just what it is asked.
  await platform.emit('SaleCreated', sale({ receiptNo: 'now' }), clock.now() - LAG - MINUTE)
  const { list } = platform.events
  platform.events.list = async (query, signal) => {
    const answer = await list(query, signal)
    if (answer.answered > 10) throw outage
    return answer
  }

  expect(await job.run()).toBe('1 subscription, 42 records')
  expect(await until()).toBe(clock.now() - LAG)
  expect(keptIn(hub)).toHaveLength(42)
})

test('when the clock was ahead for a scan, then what it had not seen is looked through once it is put back', async () => {
  await using hub = await startTestHub()
  const { platform, line, clock, job, until, gaps } = beside(hub)
  const soldAt = clock.now() - HOUR
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), soldAt)
  await job.run()
  clock.set(2 * DAY)
  await job.run()
  clock.set(-2 * DAY)

  line.down = true
  clock.pass(3 * HOUR)
  const lostAt = clock.now() - HOUR
  await platform.emit('SaleCreated', sale({ receiptNo: '2' }), lostAt)
  expect(await job.run()).toBe('1 subscription, 2 records, 1 not here')
  expect(await gaps()).toMatchObject([{ cause: 'failed', state: 'open', at: lostAt }])
  expect(await until()).toBe(lostAt)
})

/** A log that reads what it is asked by a clock that may be put forward, and writes by one that is not. */
function withClock(hub: TestHub) {
  const given = beside(hub)
  const { platform } = given
  const { list } = platform.events
  const clocks = { ahead: 0 }
  platform.events.list = async ({ sameClock, from, to, ...query }, signal) => {
    const zone = sameClock ? { from, to } : { from: from - 12 * HOUR, to: to + 14 * HOUR }
    return await list({ ...query, from: zone.from - clocks.ahead, to: zone.to - clocks.ahead }, signal)
  }
  return { ...given, clocks }
}

for (const ahead of [HOUR, -HOUR] as const)
  test(`when the clock that the log is asked by is put ${ahead} ms ahead, then nothing lost is called proven`, async () => {
    await using hub = await startTestHub()
    const { platform, clock, clocks, line, job, until, gaps } = withClock(hub)
    const sell = async (at: number) => {
      await platform.emit('SaleCreated', sale({ receiptNo: `${at}` }), at)
    }
    for (const minutes of [180, 120, 60, 20]) await sell(clock.now() - minutes * MINUTE)
    await job.run()
    expect(await until()).toBe(clock.now() - 15 * MINUTE)

    clocks.ahead = ahead
    for (let minutes = 0; minutes < 90; minutes += 10) await sell(clock.now() + minutes * MINUTE)
    clock.pass(2 * HOUR)
    line.down = true
    const lostAt = clock.now() - 40 * MINUTE
    await sell(lostAt)
    await job.run().catch(() => undefined)
    expect(await until()).toBeLessThanOrEqual(lostAt)

    clock.pass(30 * MINUTE)
    await job.run()
    clock.pass(30 * MINUTE)
    await job.run()
    expect(await gaps()).toMatchObject([{ state: 'repaired', at: lostAt }])
    expect(await until()).toBe(clock.now() - 15 * MINUTE)
  })

test('when clocks were put forward, and nobody had sold an hour before, then what was lost since is found all the same', async () => {
  await using hub = await startTestHub()
  const { platform, clock, clocks, line, job, until } = withClock(hub)
  await platform.emit('SaleCreated', sale({ receiptNo: '1' }), clock.now() - 20 * MINUTE)
  await job.run()

  clocks.ahead = HOUR
  clock.pass(4 * HOUR)
  await job.run()
  line.down = true
  clock.pass(30 * MINUTE)
  const lostAt = clock.now() - 20 * MINUTE
  await platform.emit('SaleCreated', sale({ receiptNo: '2' }), lostAt)
  await job.run().catch(() => undefined)
  expect(await until()).toBeLessThanOrEqual(lostAt)
})
