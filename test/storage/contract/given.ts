import { expect } from 'vitest'
import { claim, DELIVERED, settle } from '../acting.ts'
import { pending } from '../arrivals.ts'
import type { StoreTest } from '../under-test.ts'

export function given(test: StoreTest): void {
  test('When it is read what destinations were given, then each page has whole events, in order, and others are left out', async (the) => {
    const { storage, clock, arrival } = the
    const both = [pending({ flow: 'a', part: '1', effect: 'booked/1' }), pending({ flow: 'b', destination: 'erp' })]
    const verdicts = await storage.accept([
      arrival({ deliveries: both, identity: 'one', transportKey: 'T-1' }),
      arrival({ deliveries: [pending({ destination: 'bus' })] }),
      arrival({ deliveries: [pending({ flow: 'c' })] }),
      arrival({ deliveries: [] }),
    ])
    const [one, , three, four] = verdicts.map(({ id }) => id ?? 0)
    await settle(storage, await claim(storage), DELIVERED, clock.now())

    const first = await storage.givenPage(['shop', 'erp'], 0, 3)
    expect(first.next).toBe(three)
    expect(first.rows).toMatchObject([
      {
        ...{ flow: 'a', part: '1', effect: 'booked/1', destination: 'shop', state: 'delivered' },
        event: { id: one, identity: 'one', transportKey: 'T-1', kind: 'InvoiceCreated', receivedAt: clock.now() },
      },
      { flow: 'b', destination: 'erp', effect: null, state: 'waiting', settledAt: null },
      { flow: 'c', event: { id: three } },
    ])
    expect(await storage.givenPage(['shop'], three ?? 0, 3)).toEqual({ rows: [], next: null })
    expect(await storage.givenPage(['erp'], 0, 1)).toMatchObject({ rows: [{ flow: 'b' }], next: one })
    expect(await storage.givenPage(['shop'], four ?? 0, 3)).toEqual({ rows: [], next: null })

    const kept = await storage.bodies([one ?? 0, three ?? 0, 999])
    expect(new Map(kept.map(({ id, body }) => [id, body.byteLength]))).toEqual(
      new Map(first.rows.map(({ event }) => [event.id, event.size])),
    )
  })
}
