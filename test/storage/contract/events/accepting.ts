import { expect } from 'vitest'
import type { Arrival } from '../../../../src/storage/arrival.ts'
import { claim, deliverAll } from '../../acting.ts'
import type { StoreTest } from '../../under-test.ts'

/** What accept keeps, and that it keeps all of a list or nothing. */
export function accepting(test: StoreTest): void {
  test('When an event arrives, then all of it is kept, byte for byte, through a restart', async (the) => {
    const arrival = the.arrival({
      subscription: '101',
      transportKey: 'k-1',
      identity: 'A/1',
      versioned: true,
      entity: 'order:A1',
      body: Buffer.from('{ "æøå": "\\u00e6",\r\n "n": 1.00 }'),
    })
    const [verdict] = await the.storage.accept([arrival])
    const storage = await the.reopen()
    const { body, headers, bodyHash, kind, origin, receivedAt } = arrival
    const event = await storage.event(verdict?.id ?? 0)
    expect(event).toMatchObject({
      kind,
      origin,
      receivedAt,
      headers,
      bodyHash,
      subscription: '101',
      transportKey: 'k-1',
    })
    expect(event).toMatchObject({ identity: 'A/1', revision: 1, entity: 'order:A1', state: 'routed', problem: null })
    expect(Buffer.from(event?.body ?? []).equals(body)).toBe(true)
  })

  test('When a body has several megabytes, then it is kept and handed out as it came', async ({ storage, arrival }) => {
    const body = Buffer.from(JSON.stringify({ text: 'ø'.repeat(2_500_000) }))
    const [verdict] = await storage.accept([arrival({ body })])
    const [event, claims] = await Promise.all([storage.event(verdict?.id ?? 0), claim(storage)])
    expect(Buffer.from(event?.body ?? []).equals(body)).toBe(true)
    expect(Buffer.from(claims[0]?.event.body ?? []).equals(body)).toBe(true)
  })

  test('When nobody wants an event, then it is unrouted, and kept', async ({ storage, arrival }) => {
    const [verdict] = await storage.accept([arrival({ deliveries: [] })])
    expect(verdict).toMatchObject({ status: 'accepted', unrouted: true })
    expect(await storage.events({ state: 'unrouted' })).toMatchObject([{ id: verdict?.id }])
  })

  test('When an event cannot be read, then it is quarantined with its bytes', async ({ storage, arrival }) => {
    const body = Buffer.from([0xff, 0xfe, 0x00, 0x7b])
    const broken = arrival({ body, problem: 'not JSON', deliveries: [] })
    const [verdict, copy] = await storage.accept([broken, broken])
    expect(verdict).toEqual({ status: 'quarantined', id: expect.any(Number) })
    expect(copy).toEqual({
      status: 'duplicate',
      id: verdict?.id,
      completed: false,
      otherBytes: false,
      submission: null,
    })
    const event = await storage.event(verdict?.id ?? 0)
    expect(event).toMatchObject({ state: 'quarantined', problem: 'not JSON' })
    expect(Buffer.from(event?.body ?? []).equals(body)).toBe(true)
  })

  test('When a whole body follows a broken one under the same transport key, then it is taken, once', async (the) => {
    const broken = the.arrival({ transportKey: 'k-1', body: Buffer.from('{'), problem: 'not JSON', deliveries: [] })
    const whole = the.arrival({ transportKey: 'k-1' })
    const [first, copy, second, again] = await the.storage.accept([broken, broken, whole, whole])
    expect([first?.status, second?.status]).toEqual(['quarantined', 'accepted'])
    expect(copy).toMatchObject({ status: 'duplicate', id: first?.id, otherBytes: false })
    expect(again).toMatchObject({ status: 'duplicate', id: second?.id, otherBytes: false })
  })

  test('When a body was refused for its size, then a trace is kept, and what comes later is news', async (the) => {
    const tooLarge: Arrival = {
      ...the.arrival({ transportKey: 'k-1', body: new Uint8Array(), problem: 'too large', deliveries: [] }),
      bodyHash: '',
      refused: true,
    }
    const [first, second] = await the.storage.accept([tooLarge, tooLarge])
    expect([first?.status, second?.status]).toEqual(['quarantined', 'quarantined'])
    expect(second?.id).not.toBe(first?.id)
    expect(await the.storage.event(first?.id ?? 0)).toMatchObject({
      problem: 'too large',
      transportKey: 'k-1',
      body: null,
    })
    expect((await the.storage.accept([the.arrival({ transportKey: 'k-1' })]))[0]?.status).toBe('accepted')
  })

  test('When an arrival proves links, then they are known, and a copy adds none', async ({ storage, arrival }) => {
    const link = { kind: 'order', id: 'A1', destination: 'shop', theirId: '99' }
    const other = { ...link, theirId: '100' }
    const invoice = arrival({ transportKey: 'k-1', links: [link] })
    await storage.accept([invoice, { ...invoice, links: [other] }])
    expect(await storage.links('shop', 'order', ['A1', 'A2'])).toEqual([link])
    expect(await storage.links('shop', 'product', ['A1'])).toEqual([])
    expect(await storage.links('bus', 'order', ['A1'])).toEqual([])
    expect(await storage.linksTo(['bus', 'shop'], 'order', ['0', link.theirId])).toEqual([link])
    for (const [destinations, kind, theirIds] of [
      [['bus'], 'order', [link.theirId]],
      [['shop'], 'product', [link.theirId]],
      [['shop'], 'order', ['A1']],
      [[], 'order', [link.theirId]],
      [['shop'], 'order', []],
    ] as const)
      expect(await storage.linksTo([...destinations], kind, [...theirIds])).toEqual([])
  })

  test('When one of a list cannot be kept, then none of it is, and calls beside it are not harmed', async (the) => {
    const impossible = the.arrival({ kind: null as never })
    const [before, bad, after] = await Promise.allSettled([
      the.storage.accept([the.arrival({ identity: 'before' })]),
      the.storage.accept([the.arrival({ identity: 'good' }), impossible]),
      the.storage.accept([the.arrival({ identity: 'after' })]),
    ])
    expect([before.status, bad.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await the.storage.events({})).map(({ identity }) => identity).sort()).toEqual(['after', 'before'])
    expect(await deliverAll(the.storage, the.clock.now())).toHaveLength(2)
    expect(await the.storage.accept([the.arrival({ identity: 'good' })])).toMatchObject([{ status: 'accepted' }])
  })
}
