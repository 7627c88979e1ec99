import { expect } from 'vitest'
import type { DeliveryFilter } from '../../../src/storage/rows.ts'
import {
  BUS,
  by,
  claim,
  claimOne,
  DELIVERED,
  deliverAll,
  eventsOf,
  FAILED,
  MINUTE,
  REFUSED,
  SHOP,
  SHOP_BULK,
  settle,
  settlement,
  UNCERTAIN,
} from '../acting.ts'
import { pending } from '../arrivals.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

/** Retry, skip and move: by one or by filter, counted first where asked, written down. */
export function changing(test: StoreTest): void {
  retrying(test)
  repeating(test)
  skipping(test)
  moving(test)
  enqueuingAgain(test)
  handingLevelsOn(test)
}

function retrying(test: StoreTest): void {
  test('When one dead delivery is retried, then it goes out again from the start of its schedule', async (the) => {
    const { storage, clock } = the
    const [id] = await dead(the, ['a'])
    expect(await storage.retry({ id: id ?? 0 }, by(clock.now()), false)).toMatchObject({ matched: 1, changed: 1 })
    const again = await claimOne(storage)
    expect(again.delivery).toMatchObject({ id, tries: 0, failingSince: null, urgency: 'prompt', open: false })
    expect(await settle(storage, [again], DELIVERED, clock.now())).toBe(true)
    const detail = await storage.delivery(id ?? 0)
    expect(detail?.attempts.map(({ outcome }) => outcome)).toEqual(['dead', 'delivered'])
    expect(detail?.audit).toEqual([
      { act: expect.any(Number), at: clock.now(), by: 'kari', action: 'retry', reason: 'asked for it', changed: 1 },
    ])
  })

  test('When one that waits for its next try is retried, then it goes out at once', async (the) => {
    const { storage, clock, about } = the
    await storage.accept([about('a')])
    const one = await claimOne(storage)
    await settle(storage, [one], FAILED, clock.now())
    await storage.retry({ id: one.delivery.id }, by(clock.now()), false)
    expect((await claimOne(storage)).delivery).toMatchObject({ id: one.delivery.id, tries: 0, failingSince: null })
  })

  test('When a selection is retried, then it goes out in its queue, oldest first of each entity', async (the) => {
    const { storage, clock } = the
    const ids = await dead(the, ['a', 'b', 'a', 'a'])
    const { matched, changed, sample } = await storage.retry({ state: 'dead' }, by(clock.now()), false)
    expect([matched, changed, sample.length]).toEqual([4, 4, 4])
    expect(await claim(storage, SHOP_BULK)).toEqual([])
    const first = await claim(storage, SHOP)
    expect(first.map(({ delivery }) => delivery.id)).toEqual([ids[0], ids[1]])
    await settle(storage, first, DELIVERED, clock.now())
    expect((await claimOne(storage, SHOP)).delivery.id).toBe(ids[2])
  })

  test('When more is selected than one commit changes, then all of it is changed', async (the) => {
    const { storage, clock, about } = the
    const many = 2_500
    await storage.accept(Array.from({ length: many }, () => about(null)))
    expect(await storage.skip({}, by(clock.now()))).toMatchObject({ matched: many, changed: many })
    expect(await storage.retry({ state: 'skipped' }, by(clock.now()), false)).toMatchObject({ changed: many })
    expect(await storage.pending()).toEqual([{ destination: 'shop', open: many }])
  })

  test('When a selection is made, then only that is retried, and a dry run counts and changes nothing', async (the) => {
    const { storage, clock, arrival } = the
    const [, second] = await storage.accept([
      arrival({ receivedAt: 1_000, deliveries: [pending({ entity: 'a' })] }),
      arrival({
        kind: 'SaleCreated',
        receivedAt: 2_500,
        deliveries: [pending({ flow: 'ship', entity: 'b', destination: 'bus' })],
      }),
    ])
    const filters: DeliveryFilter[] = [
      { destination: 'bus' },
      { flow: 'ship' },
      { kind: 'SaleCreated' },
      { entity: 'b' },
      { event: second?.id ?? 0 },
      { since: 2_000, until: 3_000 },
    ]
    await settle(storage, await claim(storage, SHOP), REFUSED, clock.now())
    for (const filter of filters) {
      await settle(storage, await claim(storage, BUS), REFUSED, clock.now())
      const dry = await storage.retry(filter, by(clock.now(), true), false)
      expect(dry).toMatchObject({ matched: 1, changed: 0, sample: [{ event: second?.id, state: 'dead' }] })
      expect(await storage.deliveries({ state: 'dead' })).toHaveLength(2)
      expect(await storage.retry(filter, by(clock.now()), false)).toMatchObject({ matched: 1, changed: 1 })
      expect(await storage.deliveries({ state: 'dead' })).toMatchObject([{ destination: 'shop' }])
    }
    const [ship] = await storage.deliveries({ flow: 'ship' })
    expect((await storage.delivery(ship?.id ?? 0))?.audit, 'dry runs are not written down').toHaveLength(filters.length)
  })

  test('When all is retried, then what is delivered stays delivered', async ({ storage, clock, about }) => {
    await storage.accept([about('a')])
    await deliverAll(storage, clock.now())
    expect(await storage.retry({}, by(clock.now()), true)).toMatchObject({ matched: 0, changed: 0, sample: [] })
  })

  test('When a selection is retried while one of it is out, then that one is not handed out a second time', async (the) => {
    const { storage, clock, about } = the
    await storage.accept([about('a'), about('a')])
    const out = await claimOne(storage)
    await storage.retry({}, by(clock.now()), false)
    expect(eventsOf(await claim(storage))).toEqual([])
    await settle(storage, [out], FAILED, clock.now())
    await clock.pass(MINUTE)
    const hands = await claim(storage)
    expect(eventsOf(hands)).toEqual([out.event.id])
    await settle(storage, hands, DELIVERED, clock.now())
    expect(await deliverAll(storage, clock.now())).toHaveLength(1)
  })

  test('When a person changes rows while one is out, and it fails or is released, then it is there once', async (the) => {
    const { storage, clock, about } = the
    await storage.accept([about(null), about('a')])
    const [failed, released] = await claim(storage)
    if (!failed || !released) throw new Error('Two were due.')
    await storage.retry({ destination: 'nowhere' }, by(clock.now()), false)
    await settle(storage, [failed], { ...FAILED, scope: 'destination' }, clock.now())
    await storage.returnClaims([released.fence])
    const ids = (await claim(storage)).map(({ delivery }) => delivery.id)
    expect(ids.sort()).toEqual([failed.delivery.id, released.delivery.id])
    expect(await claim(storage)).toEqual([])
  })
}

/** An uncertain one stays uncertain, unless somebody says that a second effect is acceptable. */
function repeating(test: StoreTest): void {
  for (const again of [false, true])
    test(`When a held delivery is retried ${again ? 'again' : 'as it is'}, then it is ${again ? 'certain' : 'still open'}`, async (the) => {
      const { storage, clock, about } = the
      await storage.accept([about('a', { once: true })])
      const held = await claimOne(storage)
      await settle(storage, [held], UNCERTAIN, clock.now())
      await storage.retry({ id: held.delivery.id }, by(clock.now()), again)
      const { delivery } = await claimOne(storage)
      expect(delivery).toMatchObject({ open: !again, tries: 0, firstTriedAt: clock.now() })
      const [audit] = (await storage.delivery(delivery.id))?.audit ?? []
      expect(audit?.action).toBe(again ? 'retry again' : 'retry')
    })

  test('When a once delivery is out, then a retry leaves it alone', async ({ storage, clock, about }) => {
    await storage.accept([about('a', { once: true })])
    const out = await claimOne(storage)
    expect((await storage.retry({}, by(clock.now()), true)).changed).toBe(0)
    expect(await claim(storage)).toEqual([])
    expect(await settle(storage, [out], DELIVERED, clock.now())).toBe(true)
  })
}

function skipping(test: StoreTest): void {
  test('When a delivery is skipped, then it is not made, and its entity goes on', async ({ storage, clock, about }) => {
    await storage.accept([about('a'), about('a')])
    const held = await claimOne(storage)
    await settle(storage, [held], UNCERTAIN, clock.now())
    expect(await storage.skip({ id: held.delivery.id }, by(clock.now(), true))).toMatchObject({
      matched: 1,
      changed: 0,
    })
    expect(await claim(storage)).toEqual([])
    expect(await storage.skip({ id: held.delivery.id }, by(clock.now()))).toMatchObject({ matched: 1, changed: 1 })
    const row = { state: 'skipped', settledAt: clock.now(), why: 'asked for it' }
    expect(await storage.delivery(held.delivery.id)).toMatchObject({
      ...row,
      audit: [{ action: 'skip', by: 'kari' }],
    })
    expect((await claimOne(storage)).delivery.id).not.toBe(held.delivery.id)
  })
}

function moving(test: StoreTest): void {
  test('When deliveries are moved, then what is open or dead is owed to the other destination', async (the) => {
    const { storage, clock, about } = the
    await dead(the, ['dead'])
    await storage.accept([about('delivered')])
    await deliverAll(storage, clock.now())
    await storage.accept([about('waiting')])
    expect(await storage.move('shop', 'bus', by(clock.now(), true))).toMatchObject({ matched: 2, changed: 0 })
    expect(await storage.move('shop', 'bus', by(clock.now()))).toMatchObject({ matched: 2, changed: 2 })
    expect(await claim(storage, SHOP)).toEqual([])
    const moved = await claimOne(storage, BUS)
    expect(moved.delivery).toMatchObject({ destination: 'bus', entity: 'waiting' })
    await storage.returnClaims([moved.fence])
    const states = (await storage.deliveries({ destination: 'bus' })).map(({ state }) => state)
    expect(states.sort()).toEqual(['dead', 'waiting'])
    expect(await storage.deliveries({ destination: 'shop' })).toMatchObject([{ state: 'delivered' }])
  })

  for (const isDelivered of [false, true])
    test(`When the other destination has the same step already${isDelivered ? ', delivered' : ''}, then that one stays where it is`, async (the) => {
      const { storage, clock, arrival } = the
      await storage.accept([arrival({ deliveries: [pending(), pending({ destination: 'bus' })] }), arrival()])
      if (isDelivered) await deliverAll(storage, clock.now(), BUS)
      expect(await storage.move('shop', 'bus', by(clock.now()))).toMatchObject({ matched: 2, changed: 1 })
      expect(await storage.pending()).toEqual(
        expect.arrayContaining([
          { destination: 'bus', open: isDelivered ? 1 : 2 },
          { destination: 'shop', open: 1 },
        ]),
      )
    })

  test('When a delivery is moved while it is out, then it is not handed out a second time', async (the) => {
    const { storage, clock, about } = the
    await storage.accept([about('a')])
    const out = await claimOne(storage, SHOP)
    await storage.move('shop', 'bus', by(clock.now()))
    expect(await claim(storage, BUS)).toEqual([])
    expect(await storage.settle([settlement(out, DELIVERED, clock.now())])).toEqual([true])
    expect(await claim(storage, BUS)).toEqual([])
    expect(await storage.deliveries({ state: 'delivered' })).toHaveLength(1)
  })
}

/** What was moved away is owed to the first destination anew: each of the two has its own turn. */
function enqueuingAgain(test: StoreTest): void {
  for (const entity of [null, 'a'])
    test(`When its event owes the first destination the same again (${entity ?? 'without an entity'}), then both go out, and each can be moved on`, async (the) => {
      const { storage, clock, about } = the
      const [verdict] = await storage.accept([about(entity)])
      await storage.move('shop', 'bus', by(clock.now()))
      await clock.pass(MINUTE)
      expect(await storage.enqueue(verdict?.id ?? 0, [pending({ entity })])).toBe(1)
      const [anew] = await storage.deliveries({ destination: 'shop' })
      expect(anew).toMatchObject({ state: 'waiting', dueAt: clock.now() })
      await storage.move('bus', 'erp', by(clock.now()))
      const erp = await claimOne(storage, { destination: 'erp', urgency: 'prompt' })
      const shop = await claimOne(storage, SHOP)
      expect(await settle(storage, [erp, shop], DELIVERED, clock.now())).toBe(true)
      const states = (await storage.deliveries({})).map(({ destination, state }) => [destination, state])
      expect(states.sort()).toEqual([
        ['erp', 'delivered'],
        ['shop', 'delivered'],
      ])
    })
}

/** What a destination was told of a level is its successor's, too; what else it knows is its own. */
function handingLevelsOn(test: StoreTest): void {
  const order = { kind: 'order', id: 'A1', theirId: '99' }
  const level = { kind: 'declined', id: 'A1/row-1', theirId: '2' }
  const at = (destination: string, link: typeof order) => ({ ...link, destination })

  test('When deliveries are moved, then what the first one was told of levels counts as told to the other', async (the) => {
    const { storage, clock, about } = the
    const others = { ...level, id: 'A2/row-1' }
    await storage.accept([
      { ...about(null, { destination: 'crm' }), links: [{ ...at('crm', others), isLevel: true }] },
      { ...about('order:A1'), links: [{ ...at('shop', { ...level, id: 'A1/row-2' }), isLevel: true }] },
    ])
    const one = await claimOne(storage, SHOP)
    const links = [at('shop', order), { ...at('shop', level), isLevel: true as const }]
    await settle(storage, [one], { ...DELIVERED, links }, clock.now())
    await storage.accept([about('order:A1')])
    await storage.move('shop', 'bus', by(clock.now()))

    const reported = () => storage.links('bus', 'declined', ['A1/row-1', 'A1/row-2', 'A2/row-1'])
    expect(await reported()).toEqual([at('bus', level), at('bus', { ...level, id: 'A1/row-2' })])
    expect(await storage.links('bus', 'order', ['A1'])).toEqual([])
    expect(await storage.links('shop', 'declined', ['A1/row-1'])).toEqual([at('shop', level)])
  })

  test('When they are moved on from there, then it counts as told there, too, and once', async (the) => {
    const { storage, clock, about } = the
    await storage.accept([{ ...about('order:A1'), links: [{ ...at('shop', level), isLevel: true }] }])
    for (const [from, to] of [
      ['shop', 'bus'],
      ['bus', 'shop'],
      ['shop', 'crm'],
    ] as const)
      expect(await storage.move(from, to, by(clock.now()))).toMatchObject({ changed: 1 })
    for (const destination of ['shop', 'bus', 'crm'])
      expect(await storage.links(destination, 'declined', ['A1/row-1'])).toEqual([at(destination, level)])
  })

  test('When a kind is of a level by its name alone, then it is not handed on', async (the) => {
    const { storage, clock, about } = the
    await storage.accept([{ ...about('order:A1'), links: [at('shop', level)] }])
    await storage.move('shop', 'bus', by(clock.now()))
    expect(await storage.links('bus', 'declined', ['A1/row-1'])).toEqual([])
  })
}

async function dead({ storage, clock, about }: StoreUnderTest, entities: string[]): Promise<number[]> {
  const ids: number[] = []
  for (const entity of entities) {
    await storage.accept([about(entity)])
    const one = await claimOne(storage)
    await settle(storage, [one], REFUSED, clock.now())
    ids.push(one.delivery.id)
  }
  return ids
}
