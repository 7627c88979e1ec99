import { expect } from 'vitest'
import type { Outcome } from '../../../../src/domain/queue/outcome.ts'
import type { Arrival } from '../../../../src/storage/arrival.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { BUS, by, claim, DAY, DELIVERED, FAILED, HOUR, REFUSED, settle } from '../../acting.ts'
import { pending } from '../../arrivals.ts'
import type { StoreTest, StoreUnderTest } from '../../under-test.ts'

/** Deliveries that went well at once are kept in fewer words a day later, and are there as before, whoever reads them. */
export function moving(test: StoreTest): void {
  test('When deliveries move to the past, then whoever reads them sees what was there before', async (the) => {
    const { storage, clock, about, arrival } = the
    const line = { system: 'erp', resource: 'sales', key: 'k', line: 1 }
    const ids = await delivered(the, [
      about('sale:1'),
      about(null, { urgency: 'bulk', part: 'a', once: true }),
      arrival({ entity: 'sale:2', deliveries: [pending({ entity: 'sale:2', part: 'x' }), pending({ entity: null })] }),
      arrival({ entity: 'sale:3', origin: 'erp', submission: line }),
      about('sale:4'),
    ])
    const before = await seen(storage, ids)

    expect(await moveAll(storage, clock.now())).toBe(5)

    expect(await seen(storage, ids)).toEqual(before)
    expect(before.byEntity).toHaveLength(1)
    expect(before.submission).not.toBeNull()
    expect(before.given).toHaveLength(6)
    const opened = await the.reopen()
    expect(await seen(opened, ids)).toEqual(before)
  })

  test('When a delivery says more than the past has room for, or is young, then it stays', async (the) => {
    const { storage, clock, about, arrival } = the
    await delivered(the, [
      about('order:A1'),
      about('sale:5', { effect: 'order/A1/created' }),
      arrival({ entity: 'sale:6', deliveries: [pending({ entity: 'stock:6' })] }),
    ])
    await delivered(the, [about('sale:7')], REFUSED)
    await storage.accept([about('sale:8')])
    await settle(storage, await claim(storage), FAILED, clock.now())
    await the.clock.pass(HOUR)
    await settle(storage, await claim(storage), DELIVERED, clock.now())
    await the.clock.pass(2 * DAY)
    const [young] = await storage.accept([about('sale:9')])
    await settle(storage, await claim(storage), DELIVERED, clock.now())
    await storage.accept([about('sale:10')])
    const before = await storage.deliveries({})

    expect(await storage.movePast(0, clock.now() - DAY, 100)).toEqual({ moved: 0, after: null })

    expect(await storage.deliveries({})).toEqual(before)
    expect(await storage.deliveries({ entity: 'order:A1' })).toHaveLength(1)
    expect(await storage.effectsOf('delivered', 'order/A1/')).toEqual(['order/A1/created'])
    await the.clock.pass(2 * DAY)
    expect(await moveAll(storage, clock.now())).toBe(1)
    expect((await storage.event(young?.id ?? 0))?.deliveries).toMatchObject([{ state: 'delivered' }])
  })

  test('When an event is planned again, then it does not owe what it has in the past', async (the) => {
    const { storage, clock, about } = the
    const [id = 0] = await delivered(the, [about('sale:1'), about('sale:2')])
    await moveAll(storage, clock.now())

    expect(await storage.enqueue(id, [pending({ entity: 'sale:1' }), pending({ entity: 'sale:1', part: 'new' })])).toBe(
      1,
    )

    const [one, two] = (await storage.event(id))?.deliveries ?? []
    expect([one?.part, two?.part]).toEqual(['new', ''])
    expect((await claim(storage)).map(({ delivery }) => delivery.part)).toEqual(['new'])
  })

  test('When deliveries are moved to whom the same was delivered in the past, then they stay where they are', async (the) => {
    const { storage, clock, arrival } = the
    const both = (part: string) => [pending({ part }), pending({ part, destination: 'bus' })]
    const [id = 0] = await storage
      .accept([arrival({ deliveries: [...both('waiting'), ...both('dead')] }), arrival({ deliveries: [] })])
      .then((verdicts) => verdicts.map((verdict) => verdict.id))
    await settle(storage, await claim(storage, BUS), DELIVERED, clock.now())
    const [waiting, dead] = Map.groupBy(await claim(storage), ({ delivery }) => delivery.part).values()
    await storage.returnClaims((waiting ?? []).map(({ fence }) => fence))
    await settle(storage, dead ?? [], REFUSED, clock.now())
    await storage.enqueue(id, [pending({ part: 'new' })])
    await clock.pass(2 * DAY)
    expect(await moveAll(storage, clock.now())).toBe(2)

    expect(await storage.move('shop', 'bus', by(clock.now()))).toMatchObject({ matched: 3, changed: 1 })

    expect((await claim(storage, BUS)).map(({ delivery }) => delivery.part)).toEqual(['new'])
    expect((await claim(storage)).map(({ delivery }) => delivery.part)).toEqual(['waiting'])
    expect(await storage.deliveries({ destination: 'shop' })).toHaveLength(2)
  })

  test('When a richer body comes for an event of the past, then it was acted on: it stays as it is', async (the) => {
    const { storage, clock, arrival } = the
    const thin = arrival({ identity: 'sale:1', payload: { thin: true } })
    const [id = 0] = await delivered(the, [thin, arrival()])
    expect(await moveAll(storage, clock.now())).toBe(1)

    const richer = arrival({
      identity: 'sale:1',
      payload: { thin: false },
      completes: { event: id, bodyHash: thin.bodyHash },
    })
    expect(await storage.accept([richer])).toMatchObject([{ status: 'duplicate', id, completed: false }])
  })

  test('When events are dropped, then what they have in the past goes with them', async (the) => {
    const { storage, clock, about } = the
    const ids = await delivered(
      the,
      ['sale:1', 'sale:2', 'sale:3'].map((entity) => about(entity)),
    )
    expect(await moveAll(storage, clock.now())).toBe(2)
    expect(await storage.ageing(0, 10)).toMatchObject([{ deliveries: 1 }, { deliveries: 1 }, { deliveries: 1 }])

    expect(await drop(storage, ids.slice(0, 2))).toMatchObject({ events: 2, deliveries: 2 })

    expect((await storage.deliveries({})).map(({ event }) => event)).toEqual(ids.slice(2))
  })

  test('When a person is erased, then the past says nothing of them either', async (the) => {
    const { storage, clock, about } = the
    const note = 'made for kari@example.com'
    const [id = 0] = await delivered(the, [about('customer:kari@example.com')], { ...DELIVERED, note })
    await delivered(the, [about(null)])
    expect(await moveAll(storage, clock.now())).toBe(1)

    for (const place of ['events', 'past_deliveries'] as const) {
      const { rows } = await storage.personalPage({ place, ofEvents: [id] })
      const changes = rows.map(({ row, values: from }) => {
        const to = from.map((value) => (typeof value === 'string' ? value.replace('kari@example.com', 'x') : value))
        return { place, row, from, to }
      })
      expect(await storage.rewritePersonal(changes)).toBe(1)
    }

    expect(await detailOf(storage, id)).toMatchObject({ entity: 'customer:x', attempts: [{ note: 'made for x' }] })
  })

  test('When a person has acted on a delivery, then it stays as its act names it', async (the) => {
    const { storage, clock, about } = the
    await delivered(the, [about('sale:1')], REFUSED)
    await storage.retry({ state: 'dead' }, by(clock.now()), false)
    await settle(storage, await claim(storage), DELIVERED, clock.now())
    await delivered(the, [about('sale:2')])

    expect(await moveAll(storage, clock.now())).toBe(0)
    const [act] = await storage.acts({})
    expect((await storage.act(act?.id ?? 0))?.deliveries).toMatchObject([{ state: 'delivered' }])
  })
}

/** Events whose deliveries were settled at their first try, two days ago. */
async function delivered({ storage, clock }: StoreUnderTest, arrivals: Arrival[], outcome: Outcome = DELIVERED) {
  const ids = (await storage.accept(arrivals)).map(({ id }) => id ?? 0)
  for (const urgency of ['prompt', 'bulk'] as const)
    for (;;) {
      const claims = await claim(storage, { destination: 'shop', urgency })
      if (claims.length === 0) break
      await settle(storage, claims, outcome, clock.now())
    }
  await clock.pass(2 * DAY)
  return ids
}

async function moveAll(storage: Storage, now: number): Promise<number> {
  let [moved, after]: [number, number | null] = [0, 0]
  // A store may take a part of what it is asked for, by the time that it takes.
  while (after !== null) {
    const part = await storage.movePast(after, now - DAY, 1_000)
    moved += part.moved
    after = part.after
  }
  return moved
}

async function drop(storage: Storage, ids: number[]) {
  for (;;) {
    const dropped = await storage.dropEvents(ids)
    if (dropped.seen > 0) return dropped
  }
}

async function detailOf(storage: Storage, event: number) {
  const [one] = (await storage.event(event))?.deliveries ?? []
  return one ? await storage.delivery(one.id) : null
}

/** What there is to be seen of these events. */
async function seen(storage: Storage, ids: readonly number[]) {
  const lists = [
    {},
    { state: 'delivered' },
    { flow: 'publish' },
    { destination: 'shop' },
    { kind: 'InvoiceCreated' },
  ] as const
  return {
    events: await Promise.all(ids.map((id) => storage.event(id))),
    details: await Promise.all(ids.map((id) => detailOf(storage, id))),
    lists: await Promise.all(lists.map((filter) => storage.deliveries(filter))),
    ofEvent: await storage.deliveries({ event: ids[2] ?? 0 }),
    byEntity: await storage.deliveries({ entity: 'sale:1' }),
    given: (await storage.givenPage(['shop'], 0, 100)).rows,
    submission: await storage.submission(1),
    lines: await storage.submissionItems(1, { states: ['delivered'] }),
  }
}
