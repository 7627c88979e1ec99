import { expect } from 'vitest'
import type { QueueKey } from '../../../src/domain/queue/queue-key.ts'
import { eventually } from '../../eventually.ts'
import {
  BUS,
  claim,
  claimOne,
  DELIVERED,
  deliverAll,
  eventsOf,
  FAILED,
  HOUR,
  LEASE,
  MINUTE,
  PLENTY,
  REFUSED,
  SHOP,
  SHOP_BULK,
  settle,
  settlement,
  UNCERTAIN,
  wakeAt,
} from '../acting.ts'
import { pending } from '../arrivals.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

/** What is handed out, to whom, when, and in which order. */
export function claiming(test: StoreTest): void {
  test('When a delivery is due, then it is handed out with its event', async ({ storage, arrival }) => {
    const invoice = arrival({
      identity: 'A/1',
      transportKey: 'key-of-A1',
      entity: 'order:A1',
      deliveries: [pending({ flow: 'ship', part: 'shipment-2', entity: 'order:A1' })],
    })
    const [verdict] = await storage.accept([invoice])
    const { kind, origin, receivedAt, bodyHash, transportKey } = invoice
    const { event, delivery } = await claimOne(storage)
    const said = { kind, origin, receivedAt, bodyHash, transportKey }
    expect(event).toMatchObject({ id: verdict?.id, ...said, identity: 'A/1', revision: 0 })
    expect(Buffer.from(event.body).equals(invoice.body)).toBe(true)
    expect(delivery).toEqual({
      id: expect.any(Number),
      flow: 'ship',
      part: 'shipment-2',
      destination: 'shop',
      urgency: 'prompt',
      entity: 'order:A1',
      batch: null,
      once: false,
      effect: null,
      tries: 0,
      finds: 0,
      failingSince: null,
      firstTriedAt: null,
      open: false,
      released: null,
      crashes: 0,
    })
  })

  order(test)
  room(test)
  time(test)
  pausing(test)
}

function order(test: StoreTest): void {
  test('When an entity has several, then they go out one after the other, and other entities pass', async (the) => {
    const [a1, a2, a3, b1] = await accept(the, ['a', 'a', 'a', 'b'])
    const first = await claim(the.storage)
    expect(eventsOf(first)).toEqual([a1, b1])
    expect(await claim(the.storage)).toEqual([])
    await settle(the.storage, first, DELIVERED, the.clock.now())
    const second = await claimOne(the.storage)
    expect(second.event.id).toBe(a2)
    await settle(the.storage, [second], DELIVERED, the.clock.now())
    expect((await claimOne(the.storage)).event.id).toBe(a3)
  })

  test('When the same entity has deliveries in two queues, then each queue has its own order', async (the) => {
    const { storage, arrival } = the
    const queueKeys: QueueKey[] = [SHOP, SHOP_BULK, BUS]
    await storage.accept([
      arrival({
        deliveries: queueKeys.map((queueKey) => pending({ ...queueKey, flow: queueKey.urgency, entity: 'a' })),
      }),
    ])
    for (const queueKey of queueKeys) expect((await claimOne(storage, queueKey)).delivery).toMatchObject(queueKey)
  })

  test('When the first of an entity fails or is held, then its next waits; when it is done or dead, it goes out', async (the) => {
    const outcomes = [FAILED, UNCERTAIN, REFUSED, DELIVERED]
    await accept(the, ['failed', 'held', 'dead', 'delivered'])
    const nexts = await accept(the, ['failed', 'held', 'dead', 'delivered'])
    for (const [index, one] of (await claim(the.storage)).entries())
      await settle(the.storage, [one], outcomes[index] ?? DELIVERED, the.clock.now())
    const free = await claim(the.storage)
    expect(eventsOf(free)).toEqual(nexts.slice(2))
    await the.storage.returnClaims(free.map(({ fence }) => fence))
    expect(eventsOf(await claim(await the.reopen()))).toEqual(nexts.slice(2))
  })

  test('When many claim at once, then nothing is handed out twice, and no entity is in two hands', async (the) => {
    const entities = Array.from({ length: 40 }, (_, n) => (n % 4 === 0 ? null : `e${n % 7}`))
    await accept(the, entities)
    const hands = await Promise.all(Array.from({ length: 8 }, () => claim(the.storage, SHOP, { calls: 3 })))
    const claims = hands.flat()
    expect(new Set(claims.map(({ delivery }) => delivery.id)).size).toBe(claims.length)
    expect(new Set(claims.map(({ fence }) => fence)).size).toBe(claims.length)
    const held = claims.flatMap(({ delivery }) => (delivery.entity === null ? [] : [delivery.entity]))
    expect(new Set(held).size).toBe(held.length)
  })
}

function room(test: StoreTest): void {
  test('When there is room for so many items, then so many are handed out, oldest first', async (the) => {
    const ids = await accept(the, [null, null, null])
    expect(eventsOf(await claim(the.storage, SHOP, { calls: 2 }))).toEqual(ids.slice(0, 2))
    expect(eventsOf(await claim(the.storage, SHOP, { calls: 2 }))).toEqual(ids.slice(2))
  })

  test('When there is room for so many bytes, then no more are handed out, but for one that is larger', async (the) => {
    const sized = (bytes: number) => the.arrival({ payload: { text: 'x'.repeat(bytes), random: Math.random() } })
    const [large, small, third] = (await the.storage.accept([sized(5_000), sized(400), sized(400)])).map(({ id }) => id)
    const within = { bytes: 1_000 }
    expect(eventsOf(await claim(the.storage, SHOP, within))).toEqual([large])
    expect(eventsOf(await claim(the.storage, SHOP, within))).toEqual([small, third])
  })
}

function time(test: StoreTest): void {
  test('When a step is not to be made before an instant, then it is handed out from that instant on', async (the) => {
    const notBefore = the.clock.now() + HOUR
    await the.storage.accept([the.about('a', { notBefore })])
    expect(await claim(the.storage)).toEqual([])
    expect(await wakeAt(the.storage)).toBe(notBefore)
    const reopened = await the.reopen()
    expect(await claim(reopened)).toEqual([])
    expect(await wakeAt(reopened)).toBe(notBefore)
    await the.clock.pass(HOUR)
    expect(await claim(reopened)).toHaveLength(1)
  })

  test('When deliveries wait for their time, then the queue says when the first of them is due', async (the) => {
    await accept(the, ['a', 'b'])
    const [a, b] = await claim(the.storage)
    if (!a || !b) throw new Error('Two were due.')
    const now = the.clock.now()
    const later = (dueIn: number, one = a) => {
      const result = settlement(one, FAILED, now)
      return { ...result, next: { ...result.next, dueAt: now + dueIn } }
    }
    await the.storage.settle([later(2 * MINUTE), later(MINUTE, b)])
    expect(await wakeAt(the.storage)).toBe(now + MINUTE)
    await the.clock.pass(MINUTE)
    expect((await claimOne(the.storage)).event.id).toBe(b.event.id)
    expect(await wakeAt(the.storage)).toBe(now + 2 * MINUTE)
  })

  for (const restarts of [false, true])
    test(`When the clock is put back by hours${restarts ? ', and the hub starts anew' : ''}, then what was due goes out all the same, and what stands behind it`, async (the) => {
      const later = the.clock.now() + HOUR
      expect(await claim(the.storage)).toEqual([])
      await the.storage.accept([the.about('a'), the.about('a'), the.about('b', { notBefore: later })])
      await the.clock.pass(-2 * HOUR)
      const storage = restarts ? await the.reopen() : the.storage
      expect(await deliverAll(storage, the.clock.now())).toHaveLength(2)
      expect(await claim(storage)).toEqual([])
      expect(await wakeAt(storage)).toBe(later)
    })

  test('When there may be new work, then listeners are told its queue', async (the) => {
    const reported: QueueKey[] = []
    the.storage.onWork((queueKeys) => reported.push(...queueKeys))
    await claim(the.storage)
    await claim(the.storage, BUS)
    await accept(the, [null])
    await eventually(() => expect(reported).toContainEqual(expect.objectContaining(SHOP)))
  })

  test('When claims are released, then they are due at once, in their order, untouched', async (the) => {
    await accept(the, ['a', 'a', 'b'])
    const before = await claim(the.storage)
    await the.storage.returnClaims(before.map(({ fence }) => fence))
    const after = await claim(the.storage)
    expect(after.map(({ delivery, event }) => ({ delivery, event }))).toEqual(
      before.map(({ delivery, event }) => ({ delivery, event })),
    )
    expect(await the.storage.settle(before.map((one) => settlement(one, DELIVERED, the.clock.now())))).toEqual([
      false,
      false,
    ])
    expect(await settle(the.storage, after, DELIVERED, the.clock.now())).toBe(true)
  })
}

function pausing(test: StoreTest): void {
  test('When a queue is paused, then nothing of it is handed out until it is resumed, through restarts', async (the) => {
    await accept(the, [null])
    await the.storage.pause(SHOP, { until: null, why: 'stock count' })
    expect(await claim(the.storage)).toEqual([])
    const storage = await the.reopen()
    expect(await storage.paused()).toEqual([{ queueKey: SHOP, until: null, why: 'stock count' }])
    await the.clock.pass(1_000 * HOUR)
    expect(await storage.claim(SHOP, PLENTY, LEASE)).toEqual({ calls: [], wakeAt: null })
    await storage.resume(SHOP)
    expect(await storage.paused()).toEqual([])
    expect(await claim(storage)).toHaveLength(1)
    expect(await (await the.reopen()).paused()).toEqual([])
  })

  test('When a queue is paused until an instant, then it goes on at that instant', async (the) => {
    await accept(the, [null])
    const until = the.clock.now() + HOUR
    await the.storage.pause(SHOP, { until, why: 'nightly run' })
    await the.storage.pause(BUS, { until: null, why: 'other' })
    await the.storage.pause(SHOP, { until, why: 'nightly run, again' })
    const storage = await the.reopen()
    expect(await storage.paused()).toContainEqual({ queueKey: SHOP, until, why: 'nightly run, again' })
    expect(await storage.claim(SHOP, PLENTY, LEASE)).toEqual({ calls: [], wakeAt: until })
    await the.clock.pass(HOUR)
    expect(await storage.paused()).toEqual([{ queueKey: BUS, until: null, why: 'other' }])
    expect(await claim(storage)).toHaveLength(1)
  })

  test('When a queue is paused or resumed, then other queues know nothing of it', async (the) => {
    await the.storage.accept([the.about(null, SHOP_BULK), the.about(null, BUS)])
    await the.storage.pause(SHOP, { until: null, why: 'x' })
    expect(await claim(the.storage, SHOP_BULK)).toHaveLength(1)
    expect(await claim(the.storage, BUS)).toHaveLength(1)
  })
}

async function accept({ storage, about }: StoreUnderTest, entities: (string | null)[]): Promise<number[]> {
  return (await storage.accept(entities.map((entity) => about(entity)))).map(({ id }) => id)
}
