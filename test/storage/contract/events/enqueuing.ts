import { expect } from 'vitest'
import type { Storage } from '../../../../src/storage/storage.ts'
import { BUS, claim, claimOne, DELIVERED, deliverAll, SHOP, settle } from '../../acting.ts'
import { pending } from '../../arrivals.ts'
import type { StoreTest } from '../../under-test.ts'

/** Owing more for an event that is there already (reroute). */
export function enqueuing(test: StoreTest): void {
  test('When an event is planned again, then only what it does not owe yet is added', async (the) => {
    const { storage, clock, arrival } = the
    const [verdict] = await storage.accept([arrival()])
    const id = verdict?.id ?? 0
    await settle(storage, [await claimOne(storage)], DELIVERED, clock.now())
    const wanted = [pending(), pending({ destination: 'bus' }), pending({ part: 'second' })]
    expect(await storage.enqueue(id, wanted)).toBe(2)
    expect(await storage.enqueue(id, wanted)).toBe(0)
    expect(await deliverAll(storage, clock.now(), BUS)).toEqual([id])
    expect((await claimOne(storage, SHOP)).delivery.part).toBe('second')
  })

  test('When an unrouted event is owed, then it is routed, and its delivery has its body', async (the) => {
    const { storage, arrival } = the
    const update = arrival({
      deliveries: [],
      entity: 'order:A1',
      identity: 'A1',
      versioned: true,
    })
    const [verdict] = await storage.accept([update])
    expect(await storage.enqueue(verdict?.id ?? 0, [pending({ entity: 'order:A1' })])).toBe(1)
    expect((await storage.event(verdict?.id ?? 0))?.state).toBe('routed')
    const { event } = await claimOne(storage)
    expect(event).toMatchObject({ id: verdict?.id, identity: 'A1', revision: 1, entity: 'order:A1' })
    expect(Buffer.from(event.body).equals(update.body)).toBe(true)
  })

  test('When an event is dropped in the moment in which it is to owe more, then it owes that, or it is said to be gone', async (the) => {
    const { storage, clock, arrival } = the
    for (let no = 0; no < 30; no += 1) {
      const [verdict] = await storage.accept([arrival({ deliveries: [], quiet: true }), arrival()])
      const id = verdict?.id ?? 0
      const enqueue = () => storage.enqueue(id, [pending({ destination: 'bus' })])
      const drop = () => storage.dropEvents([id])
      const said =
        no % 2 === 0
          ? await Promise.allSettled([enqueue(), drop()])
          : (await Promise.allSettled([drop(), enqueue()])).reverse()
      const isThere = (await storage.event(id)) !== null
      expect(said[0]).toMatchObject(
        isThere
          ? { value: 1 }
          : { reason: { name: 'UserError', message: expect.stringMatching(`^There is no event ${id}[.:]`) } },
      )
      expect(said[1]).toMatchObject({ value: { events: isThere ? 0 : 1 } })
    }
    const open = (await storage.pending()).find(({ destination }) => destination === 'bus')?.open ?? 0
    expect(await deliverAll(storage, clock.now(), BUS)).toHaveLength(open)
  })

  test('When an event is dropped in the moment in which a richer body comes for it, then nothing of it is owed', async (the) => {
    const { storage, clock, arrival } = the
    for (let no = 0; no < 30; no += 1) {
      const thin = arrival({ identity: `i${no}`, deliveries: [], quiet: true })
      const [verdict] = await storage.accept([thin, arrival()])
      const id = verdict?.id ?? 0
      const completes = { event: id, bodyHash: thin.bodyHash }
      const richer = arrival({ identity: `i${no}`, deliveries: [pending({ destination: 'bus' })], completes })
      const [[said]] = await Promise.all([storage.accept([richer]), storage.dropEvents([id])])
      expect(said).toMatchObject({ status: 'duplicate', id, completed: (await storage.event(id)) !== null })
    }
    const open = (await storage.pending()).find(({ destination }) => destination === 'bus')?.open ?? 0
    expect(await deliverAll(storage, clock.now(), BUS)).toHaveLength(open)
  })

  test('When a once effect was ever owed, then it is never owed again, to nobody, through a restart', async (the) => {
    const once = (destination: string) => pending({ flow: 'create', once: true, destination })
    const [verdict] = await the.storage.accept([the.arrival({ deliveries: [once('shop')] })])
    const id = verdict?.id ?? 0
    expect(await the.storage.enqueue(id, [once('bus'), once('shop')])).toBe(0)
    await settle(the.storage, [await claimOne(the.storage)], DELIVERED, the.clock.now())
    const storage = await the.reopen()
    expect(await storage.enqueue(id, [once('bus'), pending({ ...once('bus'), part: 'other' })])).toBe(1)
    expect(await deliverAll(storage, the.clock.now(), BUS)).toEqual([id])
  })

  test('When an event owes one once effect to two destinations at the door, then the first has it', async (the) => {
    const once = (destination: string) => pending({ flow: 'create', once: true, destination })
    await the.storage.accept([the.arrival({ deliveries: [once('shop'), once('bus')] })])
    expect((await the.storage.deliveries({})).map(({ destination }) => destination)).toEqual(['shop'])
  })

  test('When an effect is once to each, then every destination is owed it, once', async (the) => {
    const each = (destination: string) => pending({ flow: 'book', once: true, each: true, destination })
    const arrival = the.arrival({ deliveries: [each('shop'), each('bus'), each('shop')] })
    const [verdict] = await the.storage.accept([arrival])
    const id = verdict?.id ?? 0
    const pendingTo = async () => (await the.storage.deliveries({})).map(({ destination }) => destination).sort()
    expect(await pendingTo()).toEqual(['bus', 'shop'])
    expect(await the.storage.enqueue(id, [each('shop'), each('bus')])).toBe(0)
    for (const queueKey of [SHOP, BUS]) expect(await deliverAll(the.storage, the.clock.now(), queueKey)).toEqual([id])
    const storage = await the.reopen()
    expect(await storage.enqueue(id, [each('bus'), each('books'), each('books')])).toBe(1)
    expect(await pendingTo()).toEqual(['books', 'bus', 'shop'])
  })

  test('When events name one effect that is once to each, then each is owed it by the first of them', async (the) => {
    const effect = 'settlement/1/booked'
    const each = (destination: string) => pending({ flow: 'book', once: true, each: true, destination, effect })
    const [first, second] = await the.storage.accept([
      the.arrival({ deliveries: [each('shop')] }),
      the.arrival({ deliveries: [each('shop'), each('bus')] }),
    ])
    expect(await deliverAll(the.storage, the.clock.now(), SHOP)).toEqual([first?.id])
    expect(await deliverAll(the.storage, the.clock.now(), BUS)).toEqual([second?.id])
    const toWhomever = pending({ flow: 'book', once: true, destination: 'web', effect })
    expect(await the.storage.enqueue(second?.id ?? 0, [toWhomever, each('web')]), 'another key').toBe(1)
  })

  test('When two orders have one number, then what is done for one is owed for the other too, each once', async (the) => {
    const captured = (order: string | null, destination = 'shop') =>
      pending({
        flow: 'capture',
        once: true,
        destination,
        effect: order === null ? 'order/1008/captured' : `order/1008@${order}/captured`,
        keyByNumber: order === null ? null : 'order/1008/captured',
      })
    const taking = (orders: (string | null)[]) => orders.map((order) => the.arrival({ deliveries: [captured(order)] }))
    await the.storage.accept(taking(['web', 'pos', 'web', 'pos', null]))
    expect((await the.storage.deliveries({})).map(({ event }) => event).sort()).toEqual([1, 2])
    const storage = await the.reopen()
    await storage.accept(taking(['pos', null, 'third', 'web']))
    expect((await storage.deliveries({})).map(({ event }) => event).sort()).toEqual([1, 2, 8])
  })

  test('When an effect is owed by the number alone, then it is not owed again to who tells which order', async (the) => {
    const effect = 'order/1008/captured'
    const before = pending({ flow: 'capture', once: true, effect })
    const after = pending({ ...before, effect: 'order/1008@web/captured', keyByNumber: effect })
    await the.storage.accept([the.arrival({ deliveries: [before] })])
    const storage = await the.reopen()
    const [again, other] = await storage.accept([
      the.arrival({ deliveries: [after] }),
      the.arrival({ deliveries: [pending({ ...after, effect: 'order/1008@pos/captured' })] }),
    ])
    expect(again).toMatchObject({ status: 'accepted' })
    expect(other).toMatchObject({ status: 'accepted' })
    expect((await storage.deliveries({})).map(({ event }) => event)).toEqual([1])
    expect(await storage.enqueue(again?.status === 'accepted' ? again.id : 0, [after])).toBe(0)
    const free = pending({ ...after, effect: 'order/1009@web/captured', keyByNumber: 'order/1009/captured' })
    await storage.accept([the.arrival({ deliveries: [free] })])
    expect((await storage.deliveries({})).map(({ event }) => event).sort()).toEqual([1, 4])
  })

  const fact = (said: string | undefined, destination = 'shop') =>
    pending({ flow: 'book', once: true, each: true, effect: 'booked/count/7', destination, ...(said && { said }) })
  const stepsOf = async (storage: Storage) =>
    (await storage.deliveries({})).map(({ event, part, entity }) => ({ event, part, entity })).reverse()
  const booked = { event: 1, part: '', entity: null }
  const forPerson = { event: 2, part: '~perhaps-booked-1', entity: null }

  for (const when of ['at once', 'one after the other', 'each after a restart'])
    test(`When facts of one number say different things, ${when}, then each that differs from the first is for a person, once`, async (the) => {
      const said = ['of November', 'of December', 'of December', 'of November', undefined]
      const arrivals = said.map((one) => the.arrival({ deliveries: [fact(one)] }))
      let { storage } = the
      for (const some of when === 'at once' ? [arrivals] : arrivals.map((one) => [one])) {
        await storage.accept(some)
        if (when === 'each after a restart') storage = await the.reopen()
      }
      expect(await stepsOf(storage)).toEqual([booked, forPerson])
      expect(await deliverAll(storage, the.clock.now(), SHOP)).toEqual([1, 2])
    })

  test('When what the first of a number said is not kept, then the next one is for a person', async (the) => {
    const { storage, arrival } = the
    await storage.accept([
      arrival({ deliveries: [fact('of November')] }),
      arrival({ deliveries: [pending({ destination: 'bus' })] }),
    ])
    await deliverAll(storage, the.clock.now(), SHOP)
    while ((await storage.dropEvents([1])).seen === 0);
    await storage.accept([arrival({ deliveries: [fact('of November')] })])
    expect((await stepsOf(storage)).slice(1)).toEqual([{ ...forPerson, event: 3 }])
  })

  test('When an event is planned again, then it has its number where it had it, and another that has none asks a person', async (the) => {
    const { storage, arrival } = the
    await storage.accept([arrival({ deliveries: [fact('of November')] }), arrival({ deliveries: [] })])
    expect(await storage.enqueue(1, [fact('of November'), fact('of November', 'bus')])).toBe(1)
    expect(await storage.enqueue(2, [fact('of December'), fact('of December', 'bus')])).toBe(2)
    expect(await stepsOf(storage)).toEqual([booked, booked, forPerson, forPerson])
    for (const queueKey of [SHOP, BUS])
      expect((await claim(storage, queueKey)).map(({ delivery }) => delivery.part)).toEqual(['', forPerson.part])
  })
}
