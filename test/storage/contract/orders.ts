import { expect } from 'vitest'
import type { Link } from '../../../src/domain/orders/link.ts'
import type { NewDelivery } from '../../../src/storage/arrival.ts'
import { BUS, by, claim, claimOne, DELIVERED, MINUTE, REFUSED, settle } from '../acting.ts'
import { pending } from '../arrivals.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

export function orders(test: StoreTest): void {
  test('When an order is asked for, then all that is kept about it is there, in time order', async (the) => {
    const { storage, clock, about, arrival } = the
    const link = (kind: string, id: string): Link => ({ destination: 'shop', kind, id, theirId: `their ${id}` })
    const line = { resource: 'orders', key: 'k', line: 1 }
    const [placed, sale, updated] = await storage.accept([
      { ...about('order:A1', { flow: 'submit-order' }), origin: 'erp', submission: line },
      arrival({ deliveries: [pending({ entity: 'order:A1', destination: 'bus' })], entity: 'sale:1' }),
      { ...about('order:A1'), links: [link('refund', 'A1/R1/1')], deliveries: [] },
      about('order:A12'),
      { ...about('order:B1'), links: [link('order', 'A12'), link('product', 'A1')] },
    ])
    const one = await claimOne(storage, BUS)
    await settle(storage, [one], { ...DELIVERED, links: [link('order', 'A1')] }, clock.now())
    await storage.skip({ event: placed?.id ?? 0 }, by(clock.now()))
    const lookup = { at: clock.now(), number: 'A1', found: ['shop'], missing: ['crm'], ms: 12 }
    await storage.noteLookup(lookup)
    await storage.noteLookup({ ...lookup, number: 'A12' })

    const { events, deliveries, links, lookups } = await storage.order('A1')
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

  test('When a number has signs that stand for others in patterns, then only its own links are found', async (the) => {
    const { storage, arrival } = the
    const ids = ['A_1', 'A_1/R1', 'AB1', 'AB1/R1', 'a_1', 'A_10', 'A_1.5', 'A%1/R1']
    const links = ids.map((id): Link => ({ destination: 'shop', kind: 'order', id, theirId: `their ${id}` }))
    await storage.accept([{ ...arrival(), links }])
    expect((await storage.order('A_1')).links.map(({ id }) => id)).toEqual(['A_1', 'A_1/R1'])
    expect((await storage.order('A%1')).links.map(({ id }) => id)).toEqual(['A%1/R1'])
    expect((await storage.order('A*')).links).toEqual([])
  })

  test('When once deliveries are not done in time, then they are overdue, the oldest first', async (the) => {
    const { storage, clock } = the
    const late = [await accept(the, 'a'), await accept(the, 'b'), await accept(the, 'c', { flow: 'other' })]
    await accept(the, 'd')
    const claims = await claim(storage)
    await settle(storage, claims.slice(1, 2), REFUSED, clock.now())
    await settle(storage, claims.slice(3), DELIVERED, clock.now())
    await clock.pass(MINUTE)
    await accept(the, 'e')
    const before = clock.now()
    const rows = await storage.overdue(
      [
        { flow: 'tell', before },
        { flow: 'other', before },
        { flow: 'third', before },
      ],
      10,
    )
    expect(rows.map(({ event }) => event)).toEqual(late)
    expect(rows).toMatchObject([
      { state: 'claimed', receivedAt: claims[0]?.event.receivedAt, reported: false },
      { state: 'dead', why: 'it said 400' },
      { flow: 'other' },
    ])
    expect(await storage.overdue([{ flow: 'tell', before: before - MINUTE }], 10)).toEqual([])
    expect(await storage.overdue([{ flow: 'tell', before }], 1)).toHaveLength(1)
  })

  test('When another way has brought the same about, then what is overdue says so', async (the) => {
    const { storage, clock } = the
    const reported = { effect: 'order/A1/ready' }
    await accept(the, 'a', reported)
    await accept(the, 'b', { ...reported, flow: 'email', destination: 'bus' })
    await accept(the, 'c')
    await settle(storage, [await claimOne(storage, BUS)], DELIVERED, clock.now())
    const rows = await storage.overdue([{ flow: 'tell', before: clock.now() + 1 }], 10)
    expect(rows).toMatchObject([
      { effect: reported.effect, reported: true },
      { effect: null, reported: false },
    ])
  })
}

async function accept(
  { storage, about }: StoreUnderTest,
  entity: string,
  given: Partial<NewDelivery> = {},
): Promise<number> {
  const [verdict] = await storage.accept([about(entity, { flow: 'tell', once: true, ...given })])
  return verdict?.id ?? 0
}
