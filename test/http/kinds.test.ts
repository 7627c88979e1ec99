import { describe, expect, test } from 'vitest'
import { KINDS } from '../../src/platform/payloads/kinds.ts'
import { busTo, keptAs, shareHub, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { startSink } from '../sink.ts'
import { connectTo } from './raw.ts'

describe('any kind', () => {
  const hub = shareHub()

  test('when each kind of the spec comes with a body that says next to nothing, then each is answered 2xx', async () => {
    for (const { name, identity } of KINDS) {
      const { status, body } = await hub().post(name, { note: 'thin' })
      expect({ name, status, said: body.status }).toEqual({
        name,
        status: 202,
        said: identity ? 'quarantined' : 'accepted',
      })
    }
  })

  test.each([
    ['OmniChannelOrderUpdated', { order: { id: 'O-1' } }],
    ['OmniChannelOrderRefundUpdated', { refund: { id: 'R-1' } }],
    ['CustomerUpdated', { customerId: 1 }],
    ['DeliveryUpdated', { orderId: 1 }],
    ['POSSettlementCreated', { settlementId: 1 }],
    ['StockMovementCreated', { movementId: 1 }],
    ['SaleCreated', { receiptNo: 1, createdDateTime: '2026-11-20T00:00:00', store: { posId: 1 } }],
  ])('when %s is thin but says which one it is, then it is accepted', async (kind, thin) => {
    expect(await hub().post(kind, thin)).toMatchObject({ status: 202, body: { status: 'accepted' } })
  })
})

describe('a kind that the hub does not know', () => {
  const hub = shareHub()

  test.each([
    ['unknown', 'LoyaltyPointsGranted', 'LoyaltyPointsGranted'],
    ['of other case', 'saleCREATED', 'saleCREATED'],
    ['with a slash', 'Sale%2FCreated', 'Sale/Created'],
    ['of 300 characters, of which 200 are kept', 'K'.repeat(300), 'K'.repeat(200)],
    ['not ASCII', 'Verkauf%C3%9F%F0%9F%8E%81', 'Verkaufß🎁'],
    ['with a line break', 'Sale%0d%0aCreated', 'Sale\r\nCreated'],
    ['with NUL', 'Sale%00', 'Sale\0'],
    ['__proto__', '__proto__', '__proto__'],
    ['constructor', 'constructor', 'constructor'],
    ['a path upwards', '..%2f..%2fadmin', '../../admin'],
  ])('when it is %s, then it is an ordinary event', async (_, path, kind) => {
    const { status, body } = await hub().post(path, { a: 1 })
    expect({ status, said: body.status }).toEqual({ status: 202, said: 'accepted' })
    expect((await hub().post(path, { a: 1 })).body).toEqual({ status: 'duplicate', id: body.id })
    expect(keptAs(hub(), body.id)).toMatchObject({ kind, identity: null })
    const found = await hub().admin(`events?kind=${encodeURIComponent(kind)}`)
    expect(found.body).toMatchObject({ events: [{ id: body.id, kind }] })
  })

  test('when a destination wants all, then it goes there under its name, as far as a header can say it', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    for (const kind of ['Verkauf%C3%9F', 'Sale%0d%0aX-Evil%3A%201']) await hub.post(kind, { a: 1 })
    await sink.until(2)
    expect(sink.received.map(({ kind }) => decodeURIComponent(kind)).sort()).toEqual(['Sale\r\nX-Evil: 1', 'Verkaufß'])
    expect(sink.received.some(({ headers }) => 'x-evil' in headers)).toBe(false)
  })
})

test('when a subscription is named, then it is kept with the event', async () => {
  await using hub = await startTestHub()
  await hub.post('SaleCreated', {}, { subscription: '101' })
  await hub.post('StockCountReconciled', {})
  expect(keptAs(hub, 1)).toMatchObject({ subscription: '101' })
  expect(keptAs(hub, 2)).toMatchObject({ subscription: null })
})

describe('a callback URL that is written otherwise', () => {
  const hub = shareHub()
  const query = `?token=${WEBHOOK_TOKEN}`

  for (const [form, url, kind, subscription] of [
    ['a slash at its end', `/webhooks/SaleRead/101/${query}`, 'SaleRead', '101'],
    ['a slash at its end, and no subscription', `/webhooks/SaleRead/${query}`, 'SaleRead', null],
    ['capitals', `/WebHooks/SaleRead/101${query}`, 'SaleRead', '101'],
    ['a scheme and a host', `http://hub.example.com/webhooks/SaleRead/101${query}`, 'SaleRead', '101'],
    ['a fragment', `/webhooks/SaleRead/101${query}#all`, 'SaleRead', '101'],
    ['other parameters', `/webhooks/SaleRead/101?a=%E0&b&token=${WEBHOOK_TOKEN}&c=1`, 'SaleRead', '101'],
    ['an encoded token', `/webhooks/SaleRead/101?token=${WEBHOOK_TOKEN.replaceAll('-', '%2D')}`, 'SaleRead', '101'],
    ['encoded names', `/webhooks/Sale%2FRead/%31%C3%B8${query}`, 'Sale/Read', '1ø'],
    ['a percent sign that encodes nothing', `/webhooks/100%25/50%${query}`, '100%25', '50%'],
    ['the name of what is pulled', `/webhooks/SaleRead/pulled${query}`, 'SaleRead', null],
  ] as const)
    test(`when it has ${form}, then its event is of that kind and subscription, twice`, async () => {
      using socket = await connectTo(hub().url)
      for (const nth of [1, 2]) {
        const body = JSON.stringify({ form, nth })
        const head = `POST ${url} HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
        await socket.write(head + body)
        const answer = await socket.answer(new RegExp(`(?:"id":\\d+\\}.*){${nth}}`, 's'))
        const [id] = /(?<="id":)\d+(?=\}$)/.exec(answer) ?? []
        expect(answer).toMatch(/^HTTP\/1.1 202 /)
        expect(keptAs(hub(), Number(id))).toMatchObject({ kind, subscription })
      }
    })

  test.each([
    ['no kind', '/webhooks/'],
    ['more than a subscription', '/webhooks/SaleRead/101/102'],
    ['another beginning', '/hub/webhooks/SaleRead'],
  ])('when it has %s, then it is no callback URL', async (_, path) => {
    expect(await hub().ask(path + query, { method: 'POST', body: '{}' })).toMatchObject({ status: 404 })
  })
})
