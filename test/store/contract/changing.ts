import { expect } from 'vitest'
import type { DeliveryFilter } from '../../../src/store/screens.ts'
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
import { createArrivals, owed } from '../arrivals.ts'
import type { Check, StoreUnderTest } from '../under-test.ts'

/** Retry, skip and move: by one or by filter, counted first where asked, written down. */
export function changing(check: Check): void {
  retrying(check)
  repeating(check)
  skipping(check)
  moving(check)
  owingAgain(check)
  handingLevelsOn(check)
}

function retrying(check: Check): void {
  check('When one dead delivery is retried, then it goes out again from the start of its schedule', async (the) => {
    const { store, clock } = the
    const [id] = await dead(the, ['a'])
    expect(await store.retry({ id: id ?? 0 }, by(clock.now()), false)).toMatchObject({ matched: 1, changed: 1 })
    const again = await claimOne(store)
    expect(again.delivery).toMatchObject({ id, tries: 0, failingSince: null, urgency: 'prompt', open: false })
    expect(await settle(store, [again], DELIVERED, clock.now())).toBe(true)
    const detail = await store.delivery(id ?? 0)
    expect(detail?.attempts.map(({ outcome }) => outcome)).toEqual(['dead', 'delivered'])
    expect(detail?.audit).toEqual([
      { act: expect.any(Number), at: clock.now(), by: 'kari', action: 'retry', reason: 'asked for it', changed: 1 },
    ])
  })

  check('When one that waits for its next try is retried, then it goes out at once', async ({ store, clock }) => {
    await store.accept([createArrivals(clock).about('a')])
    const one = await claimOne(store)
    await settle(store, [one], FAILED, clock.now())
    await store.retry({ id: one.delivery.id }, by(clock.now()), false)
    expect((await claimOne(store)).delivery).toMatchObject({ id: one.delivery.id, tries: 0, failingSince: null })
  })

  check('When a selection is retried, then it goes out in its lane, oldest first of each entity', async (the) => {
    const { store, clock } = the
    const ids = await dead(the, ['a', 'b', 'a', 'a'])
    const { matched, changed, sample } = await store.retry({ state: 'dead' }, by(clock.now()), false)
    expect([matched, changed, sample.length]).toEqual([4, 4, 4])
    expect(await claim(store, SHOP_BULK)).toEqual([])
    const first = await claim(store, SHOP)
    expect(first.map(({ delivery }) => delivery.id)).toEqual([ids[0], ids[1]])
    await settle(store, first, DELIVERED, clock.now())
    expect((await claimOne(store, SHOP)).delivery.id).toBe(ids[2])
  })

  check('When more is selected than one commit changes, then all of it is changed', async ({ store, clock }) => {
    const { about } = createArrivals(clock)
    const many = 2_500
    await store.accept(Array.from({ length: many }, () => about(null)))
    expect(await store.skip({}, by(clock.now()))).toMatchObject({ matched: many, changed: many })
    expect(await store.retry({ state: 'skipped' }, by(clock.now()), false)).toMatchObject({ changed: many })
    expect(await store.owed()).toEqual([{ destination: 'shop', open: many }])
  })

  check(
    'When a selection is made, then only that is retried, and a dry run counts and changes nothing',
    async (the) => {
      const { store, clock } = the
      const { arrival } = createArrivals(clock)
      const [, second] = await store.accept([
        arrival({ receivedAt: 1_000, deliveries: [owed({ entity: 'a' })] }),
        arrival({
          kind: 'SaleCreated',
          receivedAt: 2_500,
          deliveries: [owed({ flow: 'ship', entity: 'b', destination: 'bus' })],
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
      await settle(store, await claim(store, SHOP), REFUSED, clock.now())
      for (const filter of filters) {
        await settle(store, await claim(store, BUS), REFUSED, clock.now())
        const dry = await store.retry(filter, by(clock.now(), true), false)
        expect(dry).toMatchObject({ matched: 1, changed: 0, sample: [{ event: second?.id, state: 'dead' }] })
        expect(await store.deliveries({ state: 'dead' })).toHaveLength(2)
        expect(await store.retry(filter, by(clock.now()), false)).toMatchObject({ matched: 1, changed: 1 })
        expect(await store.deliveries({ state: 'dead' })).toMatchObject([{ destination: 'shop' }])
      }
      const [ship] = await store.deliveries({ flow: 'ship' })
      expect((await store.delivery(ship?.id ?? 0))?.audit, 'dry runs are not written down').toHaveLength(filters.length)
    },
  )

  check('When all is retried, then what is delivered stays delivered', async ({ store, clock }) => {
    await store.accept([createArrivals(clock).about('a')])
    await deliverAll(store, clock.now())
    expect(await store.retry({}, by(clock.now()), true)).toMatchObject({ matched: 0, changed: 0, sample: [] })
  })

  check(
    'When a selection is retried while one of it is out, then that one is not handed out a second time',
    async (the) => {
      const { store, clock } = the
      const { about } = createArrivals(clock)
      await store.accept([about('a'), about('a')])
      const out = await claimOne(store)
      await store.retry({}, by(clock.now()), false)
      expect(eventsOf(await claim(store))).toEqual([])
      await settle(store, [out], FAILED, clock.now())
      await clock.pass(MINUTE)
      const hands = await claim(store)
      expect(eventsOf(hands)).toEqual([out.event.id])
      await settle(store, hands, DELIVERED, clock.now())
      expect(await deliverAll(store, clock.now())).toHaveLength(1)
    },
  )

  check(
    'When a person changes rows while one is out, and it fails or is given back, then it is there once',
    async (the) => {
      const { store, clock } = the
      const { about } = createArrivals(clock)
      await store.accept([about(null), about('a')])
      const [failed, released] = await claim(store)
      if (!failed || !released) throw new Error('Two were due.')
      await store.retry({ destination: 'nowhere' }, by(clock.now()), false)
      await settle(store, [failed], { ...FAILED, scope: 'destination' }, clock.now())
      await store.returnClaims([released.fence])
      const ids = (await claim(store)).map(({ delivery }) => delivery.id)
      expect(ids.sort()).toEqual([failed.delivery.id, released.delivery.id])
      expect(await claim(store)).toEqual([])
    },
  )
}

/** An uncertain one stays uncertain, unless somebody says that a second effect is acceptable. */
function repeating(check: Check): void {
  for (const again of [false, true])
    check(
      `When a held delivery is retried ${again ? 'again' : 'as it is'}, then it is ${again ? 'certain' : 'still open'}`,
      async ({ store, clock }) => {
        await store.accept([createArrivals(clock).about('a', { once: true })])
        const held = await claimOne(store)
        await settle(store, [held], UNCERTAIN, clock.now())
        await store.retry({ id: held.delivery.id }, by(clock.now()), again)
        const { delivery } = await claimOne(store)
        expect(delivery).toMatchObject({ open: !again, tries: 0, firstTriedAt: clock.now() })
        const [audit] = (await store.delivery(delivery.id))?.audit ?? []
        expect(audit?.action).toBe(again ? 'retry again' : 'retry')
      },
    )

  check('When a once delivery is out, then a retry leaves it alone', async ({ store, clock }) => {
    await store.accept([createArrivals(clock).about('a', { once: true })])
    const out = await claimOne(store)
    expect((await store.retry({}, by(clock.now()), true)).changed).toBe(0)
    expect(await claim(store)).toEqual([])
    expect(await settle(store, [out], DELIVERED, clock.now())).toBe(true)
  })
}

function skipping(check: Check): void {
  check('When a delivery is skipped, then it is not made, and its entity goes on', async ({ store, clock }) => {
    const { about } = createArrivals(clock)
    await store.accept([about('a'), about('a')])
    const held = await claimOne(store)
    await settle(store, [held], UNCERTAIN, clock.now())
    expect(await store.skip({ id: held.delivery.id }, by(clock.now(), true))).toMatchObject({ matched: 1, changed: 0 })
    expect(await claim(store)).toEqual([])
    expect(await store.skip({ id: held.delivery.id }, by(clock.now()))).toMatchObject({ matched: 1, changed: 1 })
    const row = { state: 'skipped', settledAt: clock.now(), why: 'asked for it' }
    expect(await store.delivery(held.delivery.id)).toMatchObject({ ...row, audit: [{ action: 'skip', by: 'kari' }] })
    expect((await claimOne(store)).delivery.id).not.toBe(held.delivery.id)
  })
}

function moving(check: Check): void {
  check('When deliveries are moved, then what is open or dead is owed to the other destination', async (the) => {
    const { store, clock } = the
    const { about } = createArrivals(clock)
    await dead(the, ['dead'])
    await store.accept([about('delivered')])
    await deliverAll(store, clock.now())
    await store.accept([about('waiting')])
    expect(await store.move('shop', 'bus', by(clock.now(), true))).toMatchObject({ matched: 2, changed: 0 })
    expect(await store.move('shop', 'bus', by(clock.now()))).toMatchObject({ matched: 2, changed: 2 })
    expect(await claim(store, SHOP)).toEqual([])
    const moved = await claimOne(store, BUS)
    expect(moved.delivery).toMatchObject({ destination: 'bus', entity: 'waiting' })
    await store.returnClaims([moved.fence])
    const states = (await store.deliveries({ destination: 'bus' })).map(({ state }) => state)
    expect(states.sort()).toEqual(['dead', 'waiting'])
    expect(await store.deliveries({ destination: 'shop' })).toMatchObject([{ state: 'delivered' }])
  })

  check(
    'When the other destination has the same step already, then that one stays where it is',
    async ({ store, clock }) => {
      const { arrival } = createArrivals(clock)
      await store.accept([arrival({ deliveries: [owed(), owed({ destination: 'bus' })] }), arrival()])
      expect(await store.move('shop', 'bus', by(clock.now()))).toMatchObject({ matched: 2, changed: 1 })
      expect(await store.owed()).toEqual(
        expect.arrayContaining([
          { destination: 'bus', open: 2 },
          { destination: 'shop', open: 1 },
        ]),
      )
    },
  )

  check(
    'When a delivery is moved while it is out, then it is not handed out a second time',
    async ({ store, clock }) => {
      await store.accept([createArrivals(clock).about('a')])
      const out = await claimOne(store, SHOP)
      await store.move('shop', 'bus', by(clock.now()))
      expect(await claim(store, BUS)).toEqual([])
      expect(await store.settle([settlement(out, DELIVERED, clock.now())])).toEqual([true])
      expect(await claim(store, BUS)).toEqual([])
      expect(await store.deliveries({ state: 'delivered' })).toHaveLength(1)
    },
  )
}

/** What was moved away is owed to the first destination anew: each of the two has its own turn. */
function owingAgain(check: Check): void {
  for (const entity of [null, 'a'])
    check(
      `When its event owes the first destination the same again (${entity ?? 'without an entity'}), then both go out, and each can be moved on`,
      async ({ store, clock }) => {
        const { about } = createArrivals(clock)
        const [verdict] = await store.accept([about(entity)])
        await store.move('shop', 'bus', by(clock.now()))
        await clock.pass(MINUTE)
        expect(await store.owe(verdict?.id ?? 0, [owed({ entity })])).toBe(1)
        const [anew] = await store.deliveries({ destination: 'shop' })
        expect(anew).toMatchObject({ state: 'waiting', dueAt: clock.now() })
        await store.move('bus', 'erp', by(clock.now()))
        const erp = await claimOne(store, { destination: 'erp', urgency: 'prompt' })
        const shop = await claimOne(store, SHOP)
        expect(await settle(store, [erp, shop], DELIVERED, clock.now())).toBe(true)
        const states = (await store.deliveries({})).map(({ destination, state }) => [destination, state])
        expect(states.sort()).toEqual([
          ['erp', 'delivered'],
          ['shop', 'delivered'],
        ])
      },
    )
}

/** What a destination was told of a level is its successor's, too; what else it knows is its own. */
function handingLevelsOn(check: Check): void {
  const order = { kind: 'order', id: 'A1', theirId: '99' }
  const level = { kind: 'declined', id: 'A1/row-1', theirId: '2' }
  const at = (destination: string, link: typeof order) => ({ ...link, destination })

  check(
    'When deliveries are moved, then what the first one was told of levels counts as told to the other',
    async (the) => {
      const { store, clock } = the
      const { about } = createArrivals(clock)
      const others = { ...level, id: 'A2/row-1' }
      await store.accept([
        { ...about(null, { destination: 'crm' }), links: [{ ...at('crm', others), isLevel: true }] },
        { ...about('order:A1'), links: [{ ...at('shop', { ...level, id: 'A1/row-2' }), isLevel: true }] },
      ])
      const one = await claimOne(store, SHOP)
      const links = [at('shop', order), { ...at('shop', level), isLevel: true as const }]
      await settle(store, [one], { ...DELIVERED, links }, clock.now())
      await store.accept([about('order:A1')])
      await store.move('shop', 'bus', by(clock.now()))

      const told = () => store.links('bus', 'declined', ['A1/row-1', 'A1/row-2', 'A2/row-1'])
      expect(await told()).toEqual([at('bus', level), at('bus', { ...level, id: 'A1/row-2' })])
      expect(await store.links('bus', 'order', ['A1'])).toEqual([])
      expect(await store.links('shop', 'declined', ['A1/row-1'])).toEqual([at('shop', level)])
    },
  )

  check('When they are moved on from there, then it counts as told there, too, and once', async (the) => {
    const { store, clock } = the
    const { about } = createArrivals(clock)
    await store.accept([{ ...about('order:A1'), links: [{ ...at('shop', level), isLevel: true }] }])
    for (const [from, to] of [
      ['shop', 'bus'],
      ['bus', 'shop'],
      ['shop', 'crm'],
    ] as const)
      expect(await store.move(from, to, by(clock.now()))).toMatchObject({ changed: 1 })
    for (const destination of ['shop', 'bus', 'crm'])
      expect(await store.links(destination, 'declined', ['A1/row-1'])).toEqual([at(destination, level)])
  })

  check('When a kind is of a level by its name alone, then it is not handed on', async (the) => {
    const { store, clock } = the
    await store.accept([{ ...createArrivals(clock).about('order:A1'), links: [at('shop', level)] }])
    await store.move('shop', 'bus', by(clock.now()))
    expect(await store.links('bus', 'declined', ['A1/row-1'])).toEqual([])
  })
}

async function dead({ store, clock }: StoreUnderTest, entities: string[]): Promise<number[]> {
  const { about } = createArrivals(clock)
  const ids: number[] = []
  for (const entity of entities) {
    await store.accept([about(entity)])
    const one = await claimOne(store)
    await settle(store, [one], REFUSED, clock.now())
    ids.push(one.delivery.id)
  }
  return ids
}
