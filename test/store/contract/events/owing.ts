import { expect } from 'vitest'
import { BUS, claimOne, DELIVERED, deliverAll, SHOP, settle } from '../../acting.ts'
import { createArrivals, owed } from '../../arrivals.ts'
import type { Check } from '../../under-test.ts'

/** Owing more for an event that is there already (reroute). */
export function owing(check: Check): void {
  check('When an event is planned again, then only what it does not owe yet is added', async ({ store, clock }) => {
    const [verdict] = await store.accept([createArrivals(clock).arrival()])
    const id = verdict?.id ?? 0
    await settle(store, [await claimOne(store)], DELIVERED, clock.now())
    const wanted = [owed(), owed({ destination: 'bus' }), owed({ part: 'second' })]
    expect(await store.owe(id, wanted)).toBe(2)
    expect(await store.owe(id, wanted)).toBe(0)
    expect(await deliverAll(store, clock.now(), BUS)).toEqual([id])
    expect((await claimOne(store, SHOP)).delivery.part).toBe('second')
  })

  check(
    'When an unrouted event is owed, then it is routed, and its delivery has its body',
    async ({ store, clock }) => {
      const arrival = createArrivals(clock).arrival({
        deliveries: [],
        entity: 'order:A1',
        identity: 'A1',
        versioned: true,
      })
      const [verdict] = await store.accept([arrival])
      expect(await store.owe(verdict?.id ?? 0, [owed({ entity: 'order:A1' })])).toBe(1)
      expect((await store.event(verdict?.id ?? 0))?.state).toBe('routed')
      const { event } = await claimOne(store)
      expect(event).toMatchObject({ id: verdict?.id, identity: 'A1', revision: 1, entity: 'order:A1' })
      expect(Buffer.from(event.body).equals(arrival.body)).toBe(true)
    },
  )

  check(
    'When an event is dropped in the moment in which it is to owe more, then it owes that, or it is said to be gone',
    async (the) => {
      const { store, clock } = the
      const { arrival } = createArrivals(clock)
      for (let no = 0; no < 30; no += 1) {
        const [verdict] = await store.accept([arrival({ deliveries: [], quiet: true }), arrival()])
        const id = verdict?.id ?? 0
        const owe = () => store.owe(id, [owed({ destination: 'bus' })])
        const drop = () => store.dropEvents([id])
        const said =
          no % 2 === 0
            ? await Promise.allSettled([owe(), drop()])
            : (await Promise.allSettled([drop(), owe()])).reverse()
        const isThere = (await store.event(id)) !== null
        expect(said[0]).toMatchObject(
          isThere
            ? { value: 1 }
            : { reason: { name: 'UserError', message: expect.stringMatching(`^There is no event ${id}[.:]`) } },
        )
        expect(said[1]).toMatchObject({ value: { events: isThere ? 0 : 1 } })
      }
      const open = (await store.owed()).find(({ destination }) => destination === 'bus')?.open ?? 0
      expect(await deliverAll(store, clock.now(), BUS)).toHaveLength(open)
    },
  )

  check(
    'When an event is dropped in the moment in which a fuller body comes for it, then nothing of it is owed',
    async (the) => {
      const { store, clock } = the
      const { arrival } = createArrivals(clock)
      for (let no = 0; no < 30; no += 1) {
        const thin = arrival({ identity: `i${no}`, deliveries: [], quiet: true })
        const [verdict] = await store.accept([thin, arrival()])
        const id = verdict?.id ?? 0
        const completes = { event: id, bodyHash: thin.bodyHash }
        const fuller = arrival({ identity: `i${no}`, deliveries: [owed({ destination: 'bus' })], completes })
        const [[said]] = await Promise.all([store.accept([fuller]), store.dropEvents([id])])
        expect(said).toMatchObject({ status: 'duplicate', id, completed: (await store.event(id)) !== null })
      }
      const open = (await store.owed()).find(({ destination }) => destination === 'bus')?.open ?? 0
      expect(await deliverAll(store, clock.now(), BUS)).toHaveLength(open)
    },
  )

  check('When a once effect was ever owed, then it is never owed again, to nobody, through a restart', async (the) => {
    const once = (destination: string) => owed({ flow: 'create', once: true, destination })
    const [verdict] = await the.store.accept([createArrivals(the.clock).arrival({ deliveries: [once('shop')] })])
    const id = verdict?.id ?? 0
    expect(await the.store.owe(id, [once('bus'), once('shop')])).toBe(0)
    await settle(the.store, [await claimOne(the.store)], DELIVERED, the.clock.now())
    const store = await the.reopen()
    expect(await store.owe(id, [once('bus'), owed({ ...once('bus'), part: 'other' })])).toBe(1)
    expect(await deliverAll(store, the.clock.now(), BUS)).toEqual([id])
  })

  check('When an event owes one once effect to two destinations at the door, then the first has it', async (the) => {
    const once = (destination: string) => owed({ flow: 'create', once: true, destination })
    await the.store.accept([createArrivals(the.clock).arrival({ deliveries: [once('shop'), once('bus')] })])
    expect((await the.store.deliveries({})).map(({ destination }) => destination)).toEqual(['shop'])
  })

  check('When an effect is once to each, then every destination is owed it, once', async (the) => {
    const each = (destination: string) => owed({ flow: 'book', once: true, each: true, destination })
    const arrival = createArrivals(the.clock).arrival({ deliveries: [each('shop'), each('bus'), each('shop')] })
    const [verdict] = await the.store.accept([arrival])
    const id = verdict?.id ?? 0
    const owedTo = async () => (await the.store.deliveries({})).map(({ destination }) => destination).sort()
    expect(await owedTo()).toEqual(['bus', 'shop'])
    expect(await the.store.owe(id, [each('shop'), each('bus')])).toBe(0)
    for (const lane of [SHOP, BUS]) expect(await deliverAll(the.store, the.clock.now(), lane)).toEqual([id])
    const store = await the.reopen()
    expect(await store.owe(id, [each('bus'), each('books'), each('books')])).toBe(1)
    expect(await owedTo()).toEqual(['books', 'bus', 'shop'])
  })

  check('When events name one effect that is once to each, then each is owed it by the first of them', async (the) => {
    const effect = 'settlement/1/booked'
    const each = (destination: string) => owed({ flow: 'book', once: true, each: true, destination, effect })
    const { arrival } = createArrivals(the.clock)
    const [first, second] = await the.store.accept([
      arrival({ deliveries: [each('shop')] }),
      arrival({ deliveries: [each('shop'), each('bus')] }),
    ])
    expect(await deliverAll(the.store, the.clock.now(), SHOP)).toEqual([first?.id])
    expect(await deliverAll(the.store, the.clock.now(), BUS)).toEqual([second?.id])
    const toWhomever = owed({ flow: 'book', once: true, destination: 'web', effect })
    expect(await the.store.owe(second?.id ?? 0, [toWhomever, each('web')]), 'another key').toBe(1)
  })

  check(
    'When two orders have one number, then what is done for one is owed for the other too, each once',
    async (the) => {
      const captured = (order: string | null, destination = 'shop') =>
        owed({
          flow: 'capture',
          once: true,
          destination,
          effect: order === null ? 'order/1008/captured' : `order/1008@${order}/captured`,
          effectOfNumber: order === null ? null : 'order/1008/captured',
        })
      const { arrival } = createArrivals(the.clock)
      const taking = (orders: (string | null)[]) => orders.map((order) => arrival({ deliveries: [captured(order)] }))
      await the.store.accept(taking(['web', 'till', 'web', 'till', null]))
      expect((await the.store.deliveries({})).map(({ event }) => event).sort()).toEqual([1, 2])
      const store = await the.reopen()
      await store.accept(taking(['till', null, 'third', 'web']))
      expect((await store.deliveries({})).map(({ event }) => event).sort()).toEqual([1, 2, 8])
    },
  )

  check(
    'When an effect is owed by the number alone, then it is not owed again to who tells which order',
    async (the) => {
      const effect = 'order/1008/captured'
      const before = owed({ flow: 'capture', once: true, effect })
      const after = owed({ ...before, effect: 'order/1008@web/captured', effectOfNumber: effect })
      const { arrival } = createArrivals(the.clock)
      await the.store.accept([arrival({ deliveries: [before] })])
      const store = await the.reopen()
      const [again, other] = await store.accept([
        arrival({ deliveries: [after] }),
        arrival({ deliveries: [owed({ ...after, effect: 'order/1008@till/captured' })] }),
      ])
      expect(again).toMatchObject({ status: 'accepted' })
      expect(other).toMatchObject({ status: 'accepted' })
      expect((await store.deliveries({})).map(({ event }) => event)).toEqual([1])
      expect(await store.owe(again?.status === 'accepted' ? again.id : 0, [after])).toBe(0)
      const free = owed({ ...after, effect: 'order/1009@web/captured', effectOfNumber: 'order/1009/captured' })
      await store.accept([arrival({ deliveries: [free] })])
      expect((await store.deliveries({})).map(({ event }) => event).sort()).toEqual([1, 4])
    },
  )

  check(
    'When a fact says what it says, since others may have its name, then the event that has the name is told, and no other',
    async (the) => {
      const one = owed({ flow: 'book', once: true, each: true, effect: 'booked/terminal/7', said: 'of November' })
      const { arrival } = createArrivals(the.clock)
      await the.store.accept([arrival({ deliveries: [one] })])
      const store = await the.reopen()
      const other = { ...one, said: 'of December' }
      const [elsewhere, free] = [
        { ...other, destination: 'elsewhere' },
        { ...other, effect: 'booked/terminal/8' },
      ]
      const { said: _, ...silent } = one
      expect(await store.owedBefore([one, other, elsewhere, free, silent])).toEqual([1, 1, null, null, null])
    },
  )
}
