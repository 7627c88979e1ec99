import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { deliveriesOf, keptAs, keptIn, startTestHub } from '../../hub.ts'
import { openCounter, shareCounter } from '../submissions/given.ts'
import { cancelItem, OWN_SHOP, orderItem, push, pushBytes, saleItem } from './given.ts'

const counter = shareCounter({
  destinations: {
    shop: { adapter: OWN_SHOP, intake: { stores: { Bergen: '102' }, country: 'NO', reservationHours: 48 } },
    catalogue: { adapter: OWN_SHOP, silent: true },
  },
})
const hub = () => counter().hub

/** The events of an order, oldest first: its kind and its payload. */
function eventsOf(orderNo: string) {
  return keptIn(hub())
    .filter(({ identity }) => identity === orderNo)
    .map(({ kind, body }) => ({ kind, payload: JSON.parse(body.toString()) }))
}

describe('An order that the shop hands over', () => {
  test('When its place is a store, then it is submitted to it; what says the same is nothing, what differs a change', async () => {
    const first = await push(hub(), [orderItem('P-1')])
    expect(first).toMatchObject({ status: 202, body: { status: 'accepted', ids: [expect.any(Number)] } })
    expect(eventsOf('P-1')).toMatchObject([
      {
        kind: 'OrderSubmitted',
        payload: { orderNo: 'P-1', storeId: '43', stockId: '13', reservationLengthInHours: 48 },
      },
    ])
    expect(await hub().hub.storage.links('shop', 'order', ['P-1'])).toMatchObject([{ id: 'P-1', theirId: 'id-P-1' }])

    // Its state changed in the shop, and nothing that the store needs to know.
    expect((await push(hub(), [orderItem('P-1')])).body).toEqual({ status: 'nothing', ids: [] })
    const other = { receiptUrl: 'https://shop.example/receipts/1' }
    expect((await push(hub(), [orderItem('P-1', other)])).body.status).toBe('accepted')
    expect((await push(hub(), [orderItem('P-1', other)])).body.status).toBe('nothing')
    // Changed back: that is a change too.
    expect((await push(hub(), [orderItem('P-1')])).body.status).toBe('accepted')
    expect(eventsOf('P-1').map(({ kind }) => kind)).toEqual([
      'OrderSubmitted',
      'OrderChangeSubmitted',
      'OrderChangeSubmitted',
    ])
  })

  test('When it is cancelled, then that is submitted once, and only where a store has it', async () => {
    await push(hub(), [orderItem('P-2')])
    expect((await push(hub(), [cancelItem('P-2')])).body.status).toBe('accepted')
    expect((await push(hub(), [cancelItem('P-2')])).body.status).toBe('nothing')
    expect((await push(hub(), [cancelItem('P-never')])).body).toEqual({ status: 'nothing', ids: [] })
    expect(eventsOf('P-2')).toMatchObject([
      { kind: 'OrderSubmitted' },
      { kind: 'OrderCancelSubmitted', payload: { orderNo: 'P-2', storeId: '43', stockId: '13' } },
    ])
    const { body } = await push(hub(), [orderItem('P-2')])
    expect(keptAs(hub(), body.ids[0] ?? 0).problem).toContain('order P-2 was cancelled before')
  })

  test('When it is cancelled before the older word comes that it was placed, then no store gets it; one that is newer, does', async () => {
    const at = (minute: number) => `2026-03-02T10:0${minute}:00Z`
    const off = await push(hub(), [{ ...cancelItem('P-late'), changedAt: at(2) }])
    expect(off.body.status).toBe('accepted')
    expect(keptAs(hub(), off.body.ids[0] ?? 0).state).toBe('routed')
    expect((await push(hub(), [orderItem('P-late', {}, { changedAt: at(1) })])).body.status).toBe('nothing')
    expect(eventsOf('P-late')).toMatchObject([{ kind: 'OrderCalledOff' }])

    // Paid after all, and cancelled once more.
    expect((await push(hub(), [orderItem('P-late', {}, { key: 'paid', changedAt: at(3) })])).body.status).toBe(
      'accepted',
    )
    const again = { ...cancelItem('P-late'), key: 'off-again', changedAt: at(4) }
    expect((await push(hub(), [again])).body.status).toBe('accepted')
    expect(eventsOf('P-late').map(({ kind }) => kind)).toEqual([
      'OrderCalledOff',
      'OrderSubmitted',
      'OrderCancelSubmitted',
    ])
  })

  test('an older word of the shop after its cancellation is nothing, in either order of the two', async () => {
    const at = (minute: number) => `2026-03-02T10:0${minute}:00Z`
    const states = [2, 3, 4].map((minute) =>
      orderItem(
        'P-stale',
        { receiptUrl: `https://shop.example/${minute}` },
        { key: `at-${minute}`, changedAt: at(minute) },
      ),
    )
    await push(hub(), [orderItem('P-stale', {}, { changedAt: at(1) })])
    await push(hub(), [{ ...cancelItem('P-stale'), changedAt: at(4) }])
    for (const state of [...states, ...states.toReversed()])
      expect((await push(hub(), [state])).body).toEqual({ status: 'nothing', ids: [] })
    const { body } = await push(hub(), [orderItem('P-stale', {}, { key: 'on again', changedAt: at(5) })])
    expect(keptAs(hub(), body.ids[0] ?? 0).problem).toContain('order P-stale was cancelled before')
  })

  test('When the same request comes again and again at once, then there is one event, and no conflict', async () => {
    const states = [orderItem('P-3'), orderItem('P-3', { receiptUrl: 'https://shop.example/3' })]
    const answers = await Promise.all([...states, ...states, ...states].map((item) => push(hub(), [item])))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(202))
    expect(eventsOf('P-3').map(({ kind }) => kind)).toEqual(['OrderSubmitted', 'OrderChangeSubmitted'])
    expect(hub().lines.filter(({ msg }) => msg === 'event.conflict')).toEqual([])
  })

  test('When it has no place, then it is for no store; unless it names one itself, or its place is a number', async () => {
    expect((await push(hub(), [orderItem('P-4', {}, { place: null })])).body.status).toBe('nothing')
    await push(hub(), [orderItem('P-5', { storeNo: '101' }, { place: null })])
    await push(hub(), [orderItem('P-6', {}, { place: '201' })])
    expect([eventsOf('P-5'), eventsOf('P-6')]).toMatchObject([
      [{ payload: { storeId: '42' } }],
      [{ payload: { storeId: '51' } }],
    ])
  })

  test('When it moves to another store, then it is shown to a person, and stays where it is', async () => {
    await push(hub(), [orderItem('P-7')])
    const { status, body } = await push(hub(), [orderItem('P-7', {}, { place: '101' })])
    expect([status, body.status]).toEqual([202, 'quarantined'])
    expect(keptAs(hub(), body.ids[0] ?? 0).problem).toContain('cancel it, and submit it to the other store')
  })
})

describe('A completed order that the shop hands over', () => {
  test('When it was for no store, then it is submitted as a sale of the country, once', async () => {
    const item = saleItem('S-1')
    expect((await push(hub(), [item])).body.status).toBe('accepted')
    expect((await push(hub(), [item])).body.status).toBe('duplicate')
    expect((await push(hub(), [{ ...item, key: 'later' }])).body.status).toBe('duplicate')
    const [event] = keptIn(hub()).filter(({ kind }) => kind === 'SaleSubmitted')
    expect(JSON.parse(String(event?.body))).toMatchObject({
      orderNo: 'S-1',
      storeId: '42',
      lines: [{ stockId: '-1', price: '399.5', quantity: '2' }],
    })
  })

  test('When it began at a POS, or went through a store, then the platform has its sale: nothing', async () => {
    const store = { storeExtId: '101', posId: 1 }
    const payload = { receiptNo: '77', orderNo: 'S-2', createdDateTime: '2026-11-20T10:00:00', store, total: 799 }
    await hub().post('OmniChannelEndlessAisleOrderCreated', payload)
    await push(hub(), [orderItem('S-3')])
    const items = [saleItem('S-2'), saleItem('S-3'), saleItem('S-4', { endlessAisle: true })]
    expect((await push(hub(), items)).body).toEqual({ status: 'nothing', ids: [] })
  })
})

test('When customers come with an order, under one key, then each is taken', async () => {
  const item = orderItem('C-1')
  const value = { extId: 'C-1', email: 'ola@example.com' }
  const { body } = await push(hub(), [item, { ...item, resource: 'customers', value }])
  expect(body.ids.map((id) => keptAs(hub(), id).kind)).toEqual(['OrderSubmitted', 'CustomerSubmitted'])
})

describe('What is wrong', () => {
  test('When items have faults, then they are kept and shown, the others are taken, and the shop gets 2xx', async () => {
    const items = [
      orderItem('W-1', {}, { place: 'Tromsø' }),
      orderItem('W-2', { orderLines: [{ gtin: '1', price: 'free', quantity: 1 }] }),
      { ...orderItem('W-3'), value: { orderNo: 3 } },
      orderItem('W-4'),
    ]
    const raw = Buffer.from(JSON.stringify({ items }))
    const { status, body } = await pushBytes(hub(), raw)
    expect([status, body.status]).toEqual([202, 'accepted'])
    const kept = body.ids.map((id) => keptAs(hub(), id))
    expect(kept.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'OrderSubmitted quarantined',
      'OrderSubmitted quarantined',
      'OrderSubmitted quarantined',
      'OrderSubmitted routed',
    ])
    expect(kept[0]?.problem).toMatch(
      /storeNo: found "?Tromsø"?, expected one of 101.*destinations\.shop\.intake\.stores/,
    )
    expect(kept[1]?.problem).toContain('orderLines[0].price: found "free"')
    expect(kept[2]?.problem).toContain('orderNo: found 3')
    expect(kept[0]?.body).toEqual(raw)
    // Put right, it counts, under the same key.
    expect((await push(hub(), [{ ...(items[0] as (typeof items)[0]), place: 'Bergen' }])).body.status).toBe('accepted')
  })

  test('When a signed request cannot be read at all, then it is kept', async () => {
    const { status, body } = await pushBytes(hub(), Buffer.from('{"hello": "there"}'))
    expect([status, body.status]).toEqual([202, 'quarantined'])
    const { kind, problem, body: raw } = keptAs(hub(), body.ids[0] ?? 0)
    expect([kind, problem, raw.toString()]).toEqual([
      'IntakeReceived',
      'not readable: it lists no items',
      '{"hello": "there"}',
    ])
    expect((await pushBytes(hub(), Buffer.from('{"items": []}'))).body).toEqual({ status: 'nothing', ids: [] })
  })

  test('When it is not signed by the shop, or nothing is taken there, then nothing is kept', async () => {
    const before = keptIn(hub()).length
    const forged = { 'x-signature': 'as if' }
    expect((await pushBytes(hub(), Buffer.from('{}'), forged)).body.code).toBe('wrong-token')
    for (const name of ['none', 'catalogue', 'platform']) {
      const answer = await push(hub(), [orderItem('X-1')], name)
      expect([answer.status, answer.body.code]).toEqual([404, 'no-intake'])
    }
    expect(await hub().ask('/intake/shop')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect((await pushBytes(hub(), Buffer.from('{}'), { 'content-encoding': 'gzip' })).status).toBe(415)
    expect((await pushBytes(hub(), Buffer.alloc(8_000_001))).status).toBe(413)
    expect(keptIn(hub())).toHaveLength(before)
  })

  test.each(['Identity', '', 'none'])('When its Content-Encoding is "%s", then it is taken', async (encoding) => {
    const item = Buffer.from(JSON.stringify({ items: [orderItem(`E-${encoding}`)] }))
    expect((await pushBytes(hub(), item, { 'content-encoding': encoding })).status).toBe(202)
  })

  test('When the signature is over bytes with a mark and spaces, then these very bytes are checked', async () => {
    const { value, ...item } = orderItem('B-1')
    const raw = Buffer.from(`\uFEFF ${JSON.stringify({ items: [{ ...item, value }] }, null, 3)}\n`)
    expect((await pushBytes(hub(), raw)).status).toBe(202)
  })

  test('When somebody guesses signatures, then he is told to wait, and the shop is not', async () => {
    const guess = async () => (await pushBytes(hub(), Buffer.from('{}'), { 'x-signature': 'a guess' })).status
    const statuses = await Promise.all(Array.from({ length: 40 }, guess))
    expect(statuses).toContain(429)
    expect((await push(hub(), [orderItem('G-1')])).status).toBe(202)
  })
})

test('When the hub cannot write, then the shop is told to come again, and then it is taken', async () => {
  await using own = await openCounter({ destinations: { shop: { adapter: OWN_SHOP } } })
  const other = new Database(own.hub.file)
  other.exec('begin exclusive')
  const item = orderItem('U-1', {}, { place: '102' })
  const refused = await push(own.hub, [item])
  other.close()
  expect([refused.status, refused.headers['retry-after'], refused.body.code]).toEqual([503, '5', 'store-unavailable'])
  await eventually(async () => expect((await push(own.hub, [item])).body.status).toBe('accepted'))
  await eventually(async () => expect(await deliveriesOf(own.hub)).toMatchObject([{ state: 'delivered' }]))
})

test('When the stores are not known yet, then the shop is told to come again', async () => {
  await using own = await startTestHub({ destinations: { shop: { adapter: OWN_SHOP } } })
  const answer = await push(own, [orderItem('N-1')])
  expect([answer.status, answer.headers['retry-after'], answer.body.code]).toEqual([503, '60', 'stores-unknown'])
})
