import { expect } from 'vitest'
import type { Link } from '../../../src/domain/orders/link.ts'
import type { Owed } from '../../../src/store/owed.ts'
import { BUS, by, claim, claimOne, DELIVERED, MINUTE, REFUSED, settle } from '../acting.ts'
import { createArrivals, owed } from '../arrivals.ts'
import type { Check, StoreUnderTest } from '../under-test.ts'

export function orders(check: Check): void {
  check('When an order is asked for, then all that is kept about it is there, in time order', async (the) => {
    const { store, clock } = the
    const { about, arrival } = createArrivals(clock)
    const link = (kind: string, id: string): Link => ({ destination: 'shop', kind, id, theirId: `their ${id}` })
    const line = { resource: 'orders', key: 'k', line: 1 }
    const [placed, sale, updated] = await store.accept([
      { ...about('order:A1', { flow: 'submit-order' }), origin: 'erp', submission: line },
      arrival({ deliveries: [owed({ entity: 'order:A1', destination: 'bus' })], entity: 'sale:1' }),
      { ...about('order:A1'), links: [link('refund', 'A1/R1/1')], deliveries: [] },
      about('order:A12'),
      { ...about('order:B1'), links: [link('order', 'A12'), link('product', 'A1')] },
    ])
    const one = await claimOne(store, BUS)
    await settle(store, [one], { ...DELIVERED, links: [link('order', 'A1')] }, clock.now())
    await store.skip({ event: placed?.id ?? 0 }, by(clock.now()))
    const lookup = { at: clock.now(), number: 'A1', found: ['shop'], missing: ['crm'], ms: 12 }
    await store.noteLookup(lookup)
    await store.noteLookup({ ...lookup, number: 'A12' })

    const { events, deliveries, links, lookups } = await store.order('A1')
    expect(events).toMatchObject([
      { id: placed?.id, submission: { id: 1, system: 'erp', resource: 'orders', key: 'k' } },
      { id: updated?.id, submission: null },
    ])
    expect(deliveries).toMatchObject([
      { event: placed?.id, flow: 'submit-order', state: 'skipped', audit: [{ action: 'skip' }] },
      { event: sale?.id, destination: 'bus', state: 'delivered', attempts: [{ outcome: 'delivered' }] },
    ])
    expect(links).toEqual([link('order', 'A1'), link('refund', 'A1/R1/1')])
    expect(lookups).toEqual([lookup])
  })

  check('When a number has signs that stand for others in patterns, then only its own links are found', async (the) => {
    const { store, clock } = the
    const ids = ['A_1', 'A_1/R1', 'AB1', 'AB1/R1', 'a_1', 'A_10', 'A_1.5', 'A%1/R1']
    const links = ids.map((id): Link => ({ destination: 'shop', kind: 'order', id, theirId: `their ${id}` }))
    await store.accept([{ ...createArrivals(clock).arrival(), links }])
    expect((await store.order('A_1')).links.map(({ id }) => id)).toEqual(['A_1', 'A_1/R1'])
    expect((await store.order('A%1')).links.map(({ id }) => id)).toEqual(['A%1/R1'])
    expect((await store.order('A*')).links).toEqual([])
  })

  check('When once deliveries are not done in time, then they are overdue, the oldest first', async (the) => {
    const { store, clock } = the
    const late = [await accept(the, 'a'), await accept(the, 'b'), await accept(the, 'c', { flow: 'other' })]
    await accept(the, 'd')
    const claims = await claim(store)
    await settle(store, claims.slice(1, 2), REFUSED, clock.now())
    await settle(store, claims.slice(3), DELIVERED, clock.now())
    await clock.pass(MINUTE)
    await accept(the, 'e')
    const before = clock.now()
    const rows = await store.overdue(
      [
        { flow: 'tell', before },
        { flow: 'other', before },
        { flow: 'third', before },
      ],
      10,
    )
    expect(rows.map(({ event }) => event)).toEqual(late)
    expect(rows).toMatchObject([
      { state: 'claimed', receivedAt: claims[0]?.event.receivedAt, told: false },
      { state: 'dead', why: 'it said 400' },
      { flow: 'other' },
    ])
    expect(await store.overdue([{ flow: 'tell', before: before - MINUTE }], 10)).toEqual([])
    expect(await store.overdue([{ flow: 'tell', before }], 1)).toHaveLength(1)
  })

  check('When another way has brought the same about, then what is overdue says so', async (the) => {
    const { store, clock } = the
    const told = { effect: 'order/A1/ready' }
    await accept(the, 'a', told)
    await accept(the, 'b', { ...told, flow: 'email', destination: 'bus' })
    await accept(the, 'c')
    await settle(store, [await claimOne(store, BUS)], DELIVERED, clock.now())
    const rows = await store.overdue([{ flow: 'tell', before: clock.now() + 1 }], 10)
    expect(rows).toMatchObject([
      { effect: told.effect, told: true },
      { effect: null, told: false },
    ])
  })
}

async function accept({ store, clock }: StoreUnderTest, entity: string, given: Partial<Owed> = {}): Promise<number> {
  const [verdict] = await store.accept([createArrivals(clock).about(entity, { flow: 'tell', once: true, ...given })])
  return verdict?.id ?? 0
}
