import { describe, expect, test } from 'vitest'
import { notFoundText } from '../../src/domain/values/text.ts'
import type { DeliveryDetail } from '../../src/storage/rows.ts'
import { asking } from '../cli/run.ts'
import { eventually } from '../eventually.ts'
import { sale, stockMovement } from '../fixtures/payloads.ts'
import { allDelivered, busTo, createFolder, deliveriesOf, startTestHub, type TestHub } from '../hub.ts'
import { type Sink, startSink } from '../sink.ts'

const BY_KARI = { 'x-operator': 'Kari' }

describe('retry', () => {
  test('when letters are dead, then a dry run counts them, and a retry by filter delivers them', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await leaveDead(hub, sink, 3)
    const filter = { destination: 'bus', state: 'dead' }
    const dry = await hub.admin<{ sample: object[] }>('deliveries/retry', { filter, dryRun: true })
    expect(dry).toMatchObject({ status: 200, body: { matched: 3, changed: 0 } })
    expect(dry.body.sample).toHaveLength(3)
    expect(await statesOf(hub)).toEqual(['dead', 'dead', 'dead'])
    expect((await shown(hub, 1)).audit).toEqual([])
    sink.play({ status: 200 })
    const done = await hub.admin('deliveries/retry', { filter, reason: 'it is repaired' }, BY_KARI)
    expect(done.body).toMatchObject({ matched: 3, changed: 3 })
    await allDelivered(hub, 3)
    expect((await deliveriesOf(hub)).every(({ urgency, yields }) => urgency === 'prompt' && yields)).toBe(true)
    expect(sink.received.slice(3).map(({ id }) => id)).toEqual(sink.received.slice(0, 3).map(({ id }) => id))
  })

  test('when one is retried by its id, then the audit says who, when and why', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await leaveDead(hub, sink, 1)
    sink.play({ status: 200 })
    await hub.admin('deliveries/retry', { filter: { id: 1 }, reason: 'it is repaired' }, BY_KARI)
    await allDelivered(hub, 1)
    expect(await shown(hub, 1)).toMatchObject({
      urgency: 'prompt',
      yields: false,
      audit: [{ at: expect.any(Number), by: 'admin (says Kari)', action: 'retry', reason: 'it is repaired' }],
    })
  })
})

describe('skip', () => {
  test('when a dead or waiting one is skipped, then it stays undone, and a retry can bring it back', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await leaveDead(hub, sink, 1)
    await hub.admin('destinations/bus/pause', {})
    await hub.post('StockMovementCreated', stockMovement({ movementId: 2 }))
    const filter = { destination: 'bus' }
    expect((await hub.admin('deliveries/skip', { filter, dryRun: true })).body).toMatchObject({
      matched: 2,
      changed: 0,
    })
    expect(await statesOf(hub)).toEqual(['waiting', 'dead'])
    await hub.admin('deliveries/skip', { filter: { id: 2 }, reason: 'a test' }, BY_KARI)
    await hub.admin('deliveries/skip', { filter, reason: 'both' })
    expect(await statesOf(hub)).toEqual(['skipped', 'skipped'])
    expect(await shown(hub, 2)).toMatchObject({
      why: 'a test',
      audit: [{ by: 'admin (says Kari)', action: 'skip', reason: 'a test' }],
    })
    sink.play({ status: 200 })
    await hub.admin('destinations/bus/resume', {})
    await hub.admin('deliveries/retry', { filter: { id: 2 } })
    await eventually(async () => expect(await statesOf(hub)).toEqual(['delivered', 'skipped']))
    expect(sink.received.map(({ body }) => JSON.parse(body).movementId)).toEqual([1, 2])
  })

  test('when the first of an entity is skipped, then the next one goes out', async () => {
    await using sink = await startSink()
    sink.play((_, nth) => ({ status: nth === 0 ? 500 : 200 }))
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await hub.post('StockMovementCreated', stockMovement({ movementId: 1 }))
    await hub.post('StockMovementCreated', stockMovement({ movementId: 2 }))
    await eventually(async () => expect((await shown(hub, 1)).attempts).toHaveLength(1))
    await hub.admin('deliveries/skip', { filter: { id: 1 }, reason: 'in the way' })
    await eventually(async () => expect(await statesOf(hub)).toEqual(['delivered', 'skipped']))
  })
})

test('a selection: when it cannot be read, or only names a page of a list, then each key that is wrong is named', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  await leaveDead(hub, sink, 2)
  const wrong: [string, object, RegExp][] = [
    ['keys', {}, /^system: expected text; may: expected text$/],
    ['keys', { system: 5, may: 'products' }, /^system: expected text, in quotes$/],
    ['deliveries/retry', {}, /^filter: expected an object$/],
    ['deliveries/retry', [], /^request: expected an object$/],
    ...['deliveries/retry', 'deliveries/skip', 'events/reroute'].map((path): [string, object, RegExp] => [
      path,
      { filter: {} },
      /^filter: say which: an id, or at least one of/,
    ]),
    ['deliveries/retry', { filter: { limit: 1 } }, /limit/],
    ['deliveries/skip', { filter: { before: 2 } }, /before/],
    ['deliveries/skip', { filter: { state: 'deed' } }, /^filter\.state: /],
    ['deliveries/retry', { filter: { id: 1 }, dryrun: true }, /^dryrun: no such field; did you mean "dryRun"\?$/],
    ['deliveries/retry', { filter: { id: 1 }, dryRun: 'yes' }, /^dryRun: /],
    ['deliveries/skip', { filter: { id: 1 }, reason: 'x'.repeat(501) }, /^reason: /],
    ['events/reroute', { filter: { limit: 1 } }, /limit/],
    ['events/reroute', { filter: { destination: 'bus' } }, /destination/],
    ['deliveries/move', { from: 'bus' }, /^to: /],
    ['destinations/bus/pause', { reason: 'x'.repeat(501) }, /^reason: expected at most 500 characters$/],
  ]
  for (const [path, body, detail] of wrong) {
    const answer = await hub.admin(path, body)
    expect([path, body, answer.status, answer.body.code]).toEqual([path, body, 400, 'bad-request'])
    expect(answer.body.detail).toMatch(detail)
  }
  expect(await statesOf(hub)).toEqual(['dead', 'dead'])
})

test('when a destination is paused, then nothing is answered, and log and status say by whom, until it is resumed', async () => {
  await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:1/') } })
  const bus = async () => (await hub.admin<{ destinations: object[] }>('status')).body.destinations[0]
  expect(await hub.admin('destinations/bus/pause', {}, BY_KARI)).toMatchObject({ status: 204, text: '' })
  expect(await bus()).toMatchObject({ name: 'bus', paused: { until: null, why: 'paused by admin (says Kari)' } })
  expect(hub.lines.filter(({ msg }) => msg === 'destination.paused')).toMatchObject([
    { destination: 'bus', by: 'admin (says Kari)' },
  ])
  await hub.admin('destinations/bus/resume', {})
  expect(await bus()).toMatchObject({ paused: null })
})

test('when a destination is gone from config, then what is pending for it can be moved to one of config, in its order', async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  {
    await using hub = await startTestHub({ folder: folder.path, destinations: { old: busTo('http://127.0.0.1:1/') } })
    await hub.admin('destinations/old/pause', {})
    for (const movementId of [1, 2, 3]) await hub.post('StockMovementCreated', stockMovement({ movementId }))
  }
  await using hub = await startTestHub({ folder: folder.path, destinations: { bus: busTo(sink.url) } })

  const move = { from: 'old', to: 'bus', reason: 'renamed' }
  expect((await hub.admin('deliveries/move', { ...move, to: 'none' })).body).toMatchObject({
    status: 400,
    detail: 'to: config has no destination "none"; it has bus.',
  })
  expect((await hub.admin('deliveries/move', { ...move, dryRun: true })).body).toMatchObject({ matched: 3, changed: 0 })
  expect(sink.received).toEqual([])

  expect((await hub.admin('deliveries/move', move, BY_KARI)).body).toMatchObject({ matched: 3, changed: 3 })

  await allDelivered(hub, 3)
  expect(sink.received.map(({ body }) => JSON.parse(body).movementId)).toEqual([1, 2, 3])
  expect((await hub.admin('status')).body).toMatchObject({ destinations: [{ name: 'bus', waiting: 0 }] })
})

/** So many movements that the sink has refused for good. */
async function leaveDead(hub: TestHub, sink: Sink, count: number): Promise<void> {
  sink.play({ status: 400 })
  for (let n = 1; n <= count; n++) await hub.post('StockMovementCreated', stockMovement({ movementId: n }))
  await eventually(async () => expect(await statesOf(hub)).toEqual(Array(count).fill('dead')))
}

async function statesOf(hub: TestHub): Promise<string[]> {
  return (await deliveriesOf(hub)).map(({ state }) => state)
}

async function shown(hub: TestHub, id: number): Promise<DeliveryDetail> {
  return (await hub.admin<DeliveryDetail>(`deliveries/${id}`)).body
}

test('When events are unrouted, quarantined and in conflict, then a person dismisses them, and nothing needs a person', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  await hub.post('BrandNewKind', { what: 'is this' })
  await hub.post('BrandNewKind', 'no JSON')
  await hub.post('SaleCreated', sale())
  await hub.post('SaleCreated', sale({ total: 350 }))

  const before = await run('status')
  expect(before.code).toBe(1)
  for (const name of ['unrouted', 'quarantined', 'conflict']) expect(before.out).toContain(`problem  event ${name}: `)
  expect(before.out).toContain('Events: 2 unrouted, 1 quarantined, 1 in conflict.')

  // What nobody wanted is one thing, and what contradicts another: they are counted apart, and a list shows what is counted.
  const conflicting = 'contradicts event 3'
  const unrouted = await run('events', 'list', '--state', 'unrouted')
  expect(unrouted.out.trim().split('\n')).toHaveLength(3)
  expect(unrouted.out).not.toContain(conflicting)
  expect((await run('events', 'list', '--conflict')).out).toContain(conflicting)
  const nobodyWants = await run('events', 'dismiss', '--state', 'unrouted', '--dry-run')
  expect(nobodyWants.out).toContain('dismiss would touch 2 events.')
  const rerouted = await run('reroute', '--kind', 'SaleCreated', '--dry-run')
  expect(rerouted.out).toContain('1 event left, in conflict: compare ("tillbridge events list --conflict")')

  const noReason = await run('events', 'dismiss', '--state', 'unrouted')
  expect(noReason).toMatchObject({ code: 2, err: expect.stringContaining('reason: say why (--reason)') })
  const why = ['--reason', 'nobody wants that kind']
  const everything = await run('events', 'dismiss', ...why)
  expect(everything).toMatchObject({ code: 2, err: expect.stringContaining('filter: say which') })
  const dry = await run('events', 'dismiss', '--kind', 'BrandNewKind', '--dry-run', ...why)
  expect(dry.out).toContain('dismiss would touch 2 events. Nothing was changed.')
  const done = await run('events', 'dismiss', '--kind', 'BrandNewKind', ...why)
  expect(done.out).toContain('dismiss: 2 of 2 events (audit entry 3).')
  expect((await run('events', 'dismiss', '3', ...why)).out).toContain('1 of 1')
  expect((await run('events', 'dismiss', '--conflict', ...why)).out).toContain('1 of 1')

  // Said once more, of one that is dismissed, of one that nothing is wrong with, and of one that is not there.
  expect((await run('events', 'dismiss', '3', ...why)).out).toMatch(
    /^dismiss: no event is one that it changes .*\nEvent 3 is \w+: dismiss changes nothing of that\.$/m,
  )
  expect(await run('events', 'dismiss', '99', ...why)).toMatchObject({ code: 2, err: `${notFoundText('event', 99)}\n` })

  const after = await run('status')
  expect(after).toMatchObject({ code: 0, out: expect.stringMatching(/^Nothing needs a person\./) })
  expect((await run('events', 'list', '--state', 'unrouted', '--no-dismissed')).out).toBe('No such events.\n')
  expect((await run('events', 'list', '--dismissed')).out).toMatch(/dismissed by .+: nobody wants that kind/)
})

const texts = { adapter: 'sms-http', url: 'http://127.0.0.1:1/', body: '{"to": "{{to}}", "text": "{{text}}"}' }

test('When a destination cannot execute what is moved to it, then that stays where it is, and is named', async () => {
  await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:1/'), texts } })
  await enqueuing(hub, 'bus')
  const run = asking(hub)
  const dry = await run('deliveries', 'move', '--from', 'bus', '--to', 'texts', '--dry-run')
  expect(dry.out).toMatch(/^move would touch 0 deliveries\. Nothing was changed\.$/m)
  expect(dry.out).toMatch(/^texts cannot execute publish: 3 deliveries stay with bus\.$/m)
  const done = await run('deliveries', 'move', '--from', 'bus', '--to', 'texts', '--reason', 'renamed')
  expect(done.out).toMatch(/^texts cannot execute publish: 3 deliveries stay with bus\.$/m)
  expect((await deliveriesOf(hub)).map(({ destination, state }) => [destination, state])).toEqual(
    Array(3).fill(['bus', 'waiting']),
  )
  expect([dry.code, done.code]).toEqual([2, 2])
})

test('When the other destination is owed the same of its own, then that stays, and a person is told why, and what ends it', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:1/'), other: busTo(sink.url) } })
  await enqueuing(hub, 'bus')
  const run = asking(hub)
  const done = await run('deliveries', 'move', '--from', 'bus', '--to', 'other', '--reason', 'renamed')
  expect([done.code, done.out]).toEqual([
    1,
    expect.stringMatching(
      /^other has the same of its own already: 3 deliveries stay with bus\. To do: tillbridge deliveries list --destination bus /m,
    ),
  ])
  await run('deliveries', 'skip', '--destination', 'bus', '--reason', 'other has it')
  expect((await deliveriesOf(hub)).filter(({ state }) => state === 'skipped')).toHaveLength(3)
})

test('When only a kind or a flow is moved, then the others stay', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({
    destinations: { bus: busTo('http://127.0.0.1:1/'), other: busTo(sink.url, { publish: ['InvoiceCreated'] }) },
  })
  await enqueuing(hub, 'bus')
  const run = asking(hub)

  const none = await run('deliveries', 'move', '--from', 'bus', '--to', 'other', '--flow', 'email-receipt', '--dry-run')
  expect(none.out).toMatch(/^move would touch 0 deliveries\./m)
  const sales = [...'deliveries move --from bus --to other --kind SaleCreated --reason'.split(' '), 'only these']
  expect((await run(...sales, '--dry-run')).out).toMatch(/^move would touch 1 delivery\./m)
  expect(await run(...sales)).toMatchObject({ code: 0, out: expect.stringMatching(/^move: 1 of 1 delivery \(/m) })
  await sink.until(1)
  expect((await deliveriesOf(hub)).filter(({ destination }) => destination === 'bus')).toHaveLength(2)
  const { out } = await run('audit', 'list', '--action', 'move')
  expect(out).toContain('{"from":"bus","to":"other","kind":"SaleCreated"}')
})

test('When from is a slip, or the same as to, then it is refused', async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  {
    await using hub = await startTestHub({ folder: folder.path, destinations: { old: busTo('http://127.0.0.1:1/') } })
    await enqueuing(hub, 'old')
  }
  await using hub = await startTestHub({ folder: folder.path, destinations: { bus: busTo(sink.url) } })
  const run = asking(hub)
  const wrong = async (from: string) => {
    const { code, err } = await run('deliveries', 'move', '--from', from, '--to', 'bus', '--dry-run')
    return [code, err]
  }
  expect(await wrong('nope')).toEqual([
    2,
    expect.stringMatching(/^from: config has no destination "nope", and nothing is pending/),
  ])
  expect(await wrong('bus')).toEqual([2, expect.stringMatching(/^from: it is the same as to/)])
  expect(await run('deliveries', 'move', '--from', 'old', '--to', 'bus')).toMatchObject({ code: 0 })
  await allDelivered(hub, 3)
  // All has been moved: config does not name it, and nothing is pending for it.
  expect(await wrong('old')).toEqual([2, expect.stringMatching(/nothing is pending/)])
})

/** Three deliveries that wait for a destination: two movements and a sale. */
async function enqueuing(hub: TestHub, name: string): Promise<void> {
  await hub.admin(`destinations/${name}/pause`, {})
  for (const movementId of [1, 2]) await hub.post('StockMovementCreated', stockMovement({ movementId }))
  await hub.post('SaleCreated', sale())
}
