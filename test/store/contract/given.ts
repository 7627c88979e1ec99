import { expect } from 'vitest'
import { claim, DELIVERED, settle } from '../acting.ts'
import { createArrivals, owed } from '../arrivals.ts'
import type { Check } from '../under-test.ts'

export function given(check: Check): void {
  check(
    'When it is read what destinations were given, then each page has whole events, in order, and others are left out',
    async (the) => {
      const { store, clock } = the
      const { arrival } = createArrivals(clock)
      const both = [owed({ flow: 'a', part: '1', effect: 'booked/1' }), owed({ flow: 'b', destination: 'erp' })]
      const verdicts = await store.accept([
        arrival({ deliveries: both, identity: 'one', transportKey: 'T-1' }),
        arrival({ deliveries: [owed({ destination: 'bus' })] }),
        arrival({ deliveries: [owed({ flow: 'c' })] }),
        arrival({ deliveries: [] }),
      ])
      const [one, , three, four] = verdicts.map(({ id }) => id ?? 0)
      await settle(store, await claim(store), DELIVERED, clock.now())

      const first = await store.givenPage(['shop', 'erp'], 0, 3)
      expect(first.next).toBe(three)
      expect(first.rows).toMatchObject([
        {
          ...{ flow: 'a', part: '1', effect: 'booked/1', destination: 'shop', state: 'delivered' },
          event: { id: one, identity: 'one', transportKey: 'T-1', kind: 'InvoiceCreated', receivedAt: clock.now() },
        },
        { flow: 'b', destination: 'erp', effect: null, state: 'waiting', settledAt: null },
        { flow: 'c', event: { id: three } },
      ])
      expect(await store.givenPage(['shop'], three ?? 0, 3)).toEqual({ rows: [], next: null })
      expect(await store.givenPage(['erp'], 0, 1)).toMatchObject({ rows: [{ flow: 'b' }], next: one })
      expect(await store.givenPage(['shop'], four ?? 0, 3)).toEqual({ rows: [], next: null })

      const kept = await store.bodies([one ?? 0, three ?? 0, 999])
      expect(new Map(kept.map(({ id, body }) => [id, body.byteLength]))).toEqual(
        new Map(first.rows.map(({ event }) => [event.id, event.size])),
      )
    },
  )
}
