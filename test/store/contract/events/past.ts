import { expect } from 'vitest'
import type { Outcome } from '../../../../src/domain/queue/outcome.ts'
import type { Arrival } from '../../../../src/store/arrival.ts'
import type { Store } from '../../../../src/store/store.ts'
import { BUS, by, claim, DAY, DELIVERED, FAILED, HOUR, REFUSED, settle } from '../../acting.ts'
import { createArrivals, owed } from '../../arrivals.ts'
import type { Check, StoreUnderTest } from '../../under-test.ts'

/** Deliveries that went well at once are kept in fewer words a day later, and are there as before, whoever reads them. */
export function moving(check: Check): void {
  check('When deliveries move to the past, then whoever reads them sees what was there before', async (the) => {
    const { store, clock } = the
    const { about, arrival } = createArrivals(clock)
    const line = { system: 'erp', resource: 'sales', key: 'k', line: 1 }
    const ids = await delivered(the, [
      about('sale:1'),
      about(null, { urgency: 'bulk', part: 'a', once: true }),
      arrival({ entity: 'sale:2', deliveries: [owed({ entity: 'sale:2', part: 'x' }), owed({ entity: null })] }),
      arrival({ entity: 'sale:3', origin: 'erp', submission: line }),
      about('sale:4'),
    ])
    const before = await seen(store, ids)

    expect(await moveAll(store, clock.now())).toBe(5)

    expect(await seen(store, ids)).toEqual(before)
    expect(before.byEntity).toHaveLength(1)
    expect(before.submission).not.toBeNull()
    expect(before.given).toHaveLength(6)
    const opened = await the.reopen()
    expect(await seen(opened, ids)).toEqual(before)
  })

  check('When a delivery says more than the past has room for, or is young, then it stays', async (the) => {
    const { store, clock } = the
    const { about, arrival } = createArrivals(clock)
    await delivered(the, [
      about('order:A1'),
      about('sale:5', { effect: 'order/A1/created' }),
      arrival({ entity: 'sale:6', deliveries: [owed({ entity: 'stock:6' })] }),
    ])
    await delivered(the, [about('sale:7')], REFUSED)
    await store.accept([about('sale:8')])
    await settle(store, await claim(store), FAILED, clock.now())
    await the.clock.pass(HOUR)
    await settle(store, await claim(store), DELIVERED, clock.now())
    await the.clock.pass(2 * DAY)
    const [young] = await store.accept([about('sale:9')])
    await settle(store, await claim(store), DELIVERED, clock.now())
    await store.accept([about('sale:10')])
    const before = await store.deliveries({})

    expect(await store.movePast(0, clock.now() - DAY, 100)).toEqual({ moved: 0, after: null })

    expect(await store.deliveries({})).toEqual(before)
    expect(await store.deliveries({ entity: 'order:A1' })).toHaveLength(1)
    expect(await store.effectsOf('delivered', 'order/A1/')).toEqual(['order/A1/created'])
    await the.clock.pass(2 * DAY)
    expect(await moveAll(store, clock.now())).toBe(1)
    expect((await store.event(young?.id ?? 0))?.deliveries).toMatchObject([{ state: 'delivered' }])
  })

  check('When an event is planned again, then it does not owe what it has in the past', async (the) => {
    const { store, clock } = the
    const { about } = createArrivals(clock)
    const [id = 0] = await delivered(the, [about('sale:1'), about('sale:2')])
    await moveAll(store, clock.now())

    expect(await store.owe(id, [owed({ entity: 'sale:1' }), owed({ entity: 'sale:1', part: 'new' })])).toBe(1)

    const [one, two] = (await store.event(id))?.deliveries ?? []
    expect([one?.part, two?.part]).toEqual(['new', ''])
    expect((await claim(store)).map(({ delivery }) => delivery.part)).toEqual(['new'])
  })

  check(
    'When deliveries are moved to whom the same was delivered in the past, then they stay where they are',
    async (the) => {
      const { store, clock } = the
      const { arrival } = createArrivals(clock)
      const both = (part: string) => [owed({ part }), owed({ part, destination: 'bus' })]
      const [id = 0] = await store
        .accept([arrival({ deliveries: [...both('waiting'), ...both('dead')] }), arrival({ deliveries: [] })])
        .then((verdicts) => verdicts.map((verdict) => verdict.id))
      await settle(store, await claim(store, BUS), DELIVERED, clock.now())
      const [waiting, dead] = Map.groupBy(await claim(store), ({ delivery }) => delivery.part).values()
      await store.returnClaims((waiting ?? []).map(({ fence }) => fence))
      await settle(store, dead ?? [], REFUSED, clock.now())
      await store.owe(id, [owed({ part: 'new' })])
      await clock.pass(2 * DAY)
      expect(await moveAll(store, clock.now())).toBe(2)

      expect(await store.move('shop', 'bus', by(clock.now()))).toMatchObject({ matched: 3, changed: 1 })

      expect((await claim(store, BUS)).map(({ delivery }) => delivery.part)).toEqual(['new'])
      expect((await claim(store)).map(({ delivery }) => delivery.part)).toEqual(['waiting'])
      expect(await store.deliveries({ destination: 'shop' })).toHaveLength(2)
    },
  )

  check('When a fuller body comes for an event of the past, then it was acted on: it stays as it is', async (the) => {
    const { store, clock } = the
    const { arrival } = createArrivals(clock)
    const thin = arrival({ identity: 'sale:1', payload: { thin: true } })
    const [id = 0] = await delivered(the, [thin, arrival()])
    expect(await moveAll(store, clock.now())).toBe(1)

    const fuller = arrival({
      identity: 'sale:1',
      payload: { thin: false },
      completes: { event: id, bodyHash: thin.bodyHash },
    })
    expect(await store.accept([fuller])).toMatchObject([{ status: 'duplicate', id, completed: false }])
  })

  check('When events are dropped, then what they have in the past goes with them', async (the) => {
    const { store, clock } = the
    const { about } = createArrivals(clock)
    const ids = await delivered(
      the,
      ['sale:1', 'sale:2', 'sale:3'].map((entity) => about(entity)),
    )
    expect(await moveAll(store, clock.now())).toBe(2)
    expect(await store.ageing(0, 10)).toMatchObject([{ deliveries: 1 }, { deliveries: 1 }, { deliveries: 1 }])

    expect(await drop(store, ids.slice(0, 2))).toMatchObject({ events: 2, deliveries: 2 })

    expect((await store.deliveries({})).map(({ event }) => event)).toEqual(ids.slice(2))
  })

  check('When a person is forgotten, then the past says nothing of them either', async (the) => {
    const { store, clock } = the
    const { about } = createArrivals(clock)
    const note = 'made for kari@example.com'
    const [id = 0] = await delivered(the, [about('customer:kari@example.com')], { ...DELIVERED, note })
    await delivered(the, [about(null)])
    expect(await moveAll(store, clock.now())).toBe(1)

    for (const place of ['events', 'past_deliveries'] as const) {
      const { rows } = await store.personalPage({ place, ofEvents: [id] })
      const changes = rows.map(({ row, values: from }) => {
        const to = from.map((value) => (typeof value === 'string' ? value.replace('kari@example.com', 'x') : value))
        return { place, row, from, to }
      })
      expect(await store.rewritePersonal(changes)).toBe(1)
    }

    expect(await detailOf(store, id)).toMatchObject({ entity: 'customer:x', attempts: [{ note: 'made for x' }] })
  })

  check('When a person has acted on a delivery, then it stays as its act names it', async (the) => {
    const { store, clock } = the
    const { about } = createArrivals(clock)
    await delivered(the, [about('sale:1')], REFUSED)
    await store.retry({ state: 'dead' }, by(clock.now()), false)
    await settle(store, await claim(store), DELIVERED, clock.now())
    await delivered(the, [about('sale:2')])

    expect(await moveAll(store, clock.now())).toBe(0)
    const [act] = await store.acts({})
    expect((await store.act(act?.id ?? 0))?.deliveries).toMatchObject([{ state: 'delivered' }])
  })
}

/** Events whose deliveries were settled at their first try, two days ago. */
async function delivered({ store, clock }: StoreUnderTest, arrivals: Arrival[], outcome: Outcome = DELIVERED) {
  const ids = (await store.accept(arrivals)).map(({ id }) => id ?? 0)
  for (const urgency of ['prompt', 'bulk'] as const)
    for (;;) {
      const claims = await claim(store, { destination: 'shop', urgency })
      if (claims.length === 0) break
      await settle(store, claims, outcome, clock.now())
    }
  await clock.pass(2 * DAY)
  return ids
}

async function moveAll(store: Store, now: number): Promise<number> {
  let [moved, after]: [number, number | null] = [0, 0]
  // A store may take a part of what it is asked for, by the time that it takes.
  while (after !== null) {
    const part = await store.movePast(after, now - DAY, 1_000)
    moved += part.moved
    after = part.after
  }
  return moved
}

async function drop(store: Store, ids: number[]) {
  for (;;) {
    const dropped = await store.dropEvents(ids)
    if (dropped.seen > 0) return dropped
  }
}

async function detailOf(store: Store, event: number) {
  const [one] = (await store.event(event))?.deliveries ?? []
  return one ? await store.delivery(one.id) : null
}

/** What there is to be seen of these events. */
async function seen(store: Store, ids: readonly number[]) {
  const lists = [
    {},
    { state: 'delivered' },
    { flow: 'publish' },
    { destination: 'shop' },
    { kind: 'InvoiceCreated' },
  ] as const
  return {
    events: await Promise.all(ids.map((id) => store.event(id))),
    details: await Promise.all(ids.map((id) => detailOf(store, id))),
    lists: await Promise.all(lists.map((filter) => store.deliveries(filter))),
    ofEvent: await store.deliveries({ event: ids[2] ?? 0 }),
    byEntity: await store.deliveries({ entity: 'sale:1' }),
    given: (await store.givenPage(['shop'], 0, 100)).rows,
    submission: await store.submission(1),
    lines: await store.submissionItems(1, { states: ['delivered'] }),
  }
}
