import { expect, test } from 'vitest'
import type { EventDetail } from '../../../src/storage/rows.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { sale, saleLine } from '../../fixtures/payloads.ts'
import { createFolder, deliveriesOf, startTestHub, type TestHub } from '../../hub.ts'
import { startSink } from '../../sink.ts'
import { openErp } from './erp-given.ts'

/* What contradicts what came before, and happened besides it all the same: an operator accepts it, and it is posted once. */

const DAY = 24 * 3_600_000

const worth = (price: number) =>
  sale({
    total: price,
    orderLines: [saleLine({ price })],
    paymentLines: [{ type: 'Card', subType: 'Visa', text: '', amount: price }],
  })

interface Shown extends EventDetail {
  amount?: string | null
  other?: string | null
}

for (const again of ['first', 'second'] as const)
  test(`a second receipt of one number shows what is missing, and is posted once when it is accepted; the ${again} comes again`, async () => {
    await using erp = await openErp()
    const ask = asking(erp.hub)
    await erp.tell('SaleCreated', [worth(349)])
    const { status, body } = await erp.hub.post('SaleCreated', worth(199), { eventId: 'second' })
    expect([status, body.status]).toEqual([202, 'conflict'])
    const { id } = body
    expect(await erp.booked('sale')).toHaveLength(1)
    expect((await erp.hub.admin<Shown>(`events/${id}`)).body).toMatchObject({ amount: '199', other: '349' })
    expect((await ask('events', 'show', `${id}`)).out).toContain('199 is posted nowhere, that one is 349')

    const dry = await ask('events', 'accept', `${id}`, '--dry-run')
    expect(dry.out).toContain(`Event ${id} (199, beside 349) would be accepted beside event 1, and enqueue 1 delivery`)
    expect((await ask('events', 'accept', `${id}`)).err).toContain('say why (--reason)')
    expect(await erp.booked('sale')).toHaveLength(1)
    const accepted = await ask('events', 'accept', `${id}`, '--reason', 'the terminal was replaced')
    expect(accepted).toMatchObject({ code: 0, out: expect.stringContaining('1 new delivery (act ') })
    await eventually(async () => expect(await erp.booked('sale')).toHaveLength(2))

    // Nothing is left to decide on, and neither is posted again.
    const { out } = await ask('events', 'list', '--conflict', '--no-dismissed')
    expect(out).toContain('No such events.')
    expect((await ask('events', 'accept', `${id}`, '--reason', 'once more')).err).toContain('was decided on by')
    expect((await ask('events', 'accept', '1', '--reason', 'a slip')).err).toContain('event 1 contradicts nothing')
    await erp.hub.post('SaleCreated', worth(again === 'first' ? 349 : 199), { eventId: 'again' })
    expect(await erp.booked('sale')).toHaveLength(2)
    const { audit } = (await erp.hub.admin<Shown>(`events/${id}`)).body
    expect(new Set(audit.map(({ action, reason }) => `${action}: ${reason}`))).toEqual(
      new Set([
        'accept: the terminal was replaced',
        `dismiss: accepted as one of its own (act ${audit[0]?.act} of the audit): the terminal was replaced`,
      ]),
    )
  })

test('a receipt that comes two days after the Z report of its day is posted, and contradicts nothing', async () => {
  await using erp = await openErp()
  await erp.tell('SaleCreated', [worth(349)])
  const late = { ...worth(199), receiptNo: '1002', createdDateTime: '2026-11-18T14:03:27' }
  await erp.tell('SaleCreated', [late])
  expect((await erp.hub.post('SaleCreated', late, { eventId: 'again' })).body.status).toBe('duplicate')
  await eventually(async () => expect(await erp.booked('sale')).toHaveLength(2))
  expect((await asking(erp.hub)('events', 'list', '--conflict')).out).toContain('No such events.')
})

async function beginOld(folder: string, url: string, clock: ReturnType<typeof createTestClock>): Promise<TestHub> {
  const retention = { keys: '7d', events: '7d', payloads: '1d', attempts: '1d' }
  return await startTestHub({
    folder,
    clock,
    config: { retention },
    destinations: { bus: { adapter: 'http', url, publish: 'all' } },
  })
}

test('an event that is older than what is remembered is held, also after a restart, and is sent on once when it is accepted', async () => {
  await using folder = await createFolder()
  await using sink = await startSink()
  const clock = createTestClock()
  const at = (days: number) => new Date(clock.now() + days * DAY).toISOString().slice(0, 19)
  const old = sale({ createdDateTime: at(-1) })
  {
    await using hub = await beginOld(folder.path, sink.url, clock)
    await hub.post('SaleCreated', old, { eventId: 'one' })
    // A new hub has erased nothing: what is older than its memory is news.
    await hub.post('SaleCreated', sale({ receiptNo: '7', createdDateTime: at(-30) }), { eventId: 'before' })
    await eventually(async () =>
      expect((await deliveriesOf(hub)).map(({ state }) => state)).toEqual(['delivered', 'delivered']),
    )
    clock.advance(9 * DAY)
    for (const _ of [1, 2]) expect((await hub.admin('jobs/retention/run', {})).body).toMatchObject({ problem: null })
    expect((await hub.admin('events/1')).status).toBe(404)
  }
  await using hub = await beginOld(folder.path, sink.url, clock)
  const { body } = await hub.post('SaleCreated', old, { eventId: 'one' })
  expect(body.status).toBe('conflict')
  expect((await hub.post('SaleCreated', old, { eventId: 'two' })).body).toMatchObject({
    status: 'duplicate',
    id: body.id,
  })
  const fresh = await hub.post('SaleCreated', sale({ receiptNo: '9', createdDateTime: at(0) }), { eventId: 'fresh' })
  expect(fresh.body.status).toBe('accepted')
  const ask = asking(hub)
  expect((await ask('events', 'list', '--conflict')).out).toContain('older than what is remembered')
  await ask('events', 'accept', `${body.id}`, '--reason', 'the ERP does not have it')
  await eventually(async () => {
    const sent = (await deliveriesOf(hub)).filter(({ event }) => event === body.id)
    expect(sent.map(({ state }) => state)).toEqual(['delivered'])
  })
})
