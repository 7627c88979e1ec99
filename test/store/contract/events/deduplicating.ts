import { expect } from 'vitest'
import { createCompleting } from '../../../../src/inbox/accept.ts'
import { completesBody } from '../../../../src/inbox/reading.ts'
import type { Arrival, Verdict } from '../../../../src/store/arrival.ts'
import type { Store } from '../../../../src/store/store.ts'
import {
  customer,
  orderUpdate,
  otherCase,
  pulledSettlement,
  receipt,
  sale,
  settlement,
  shippedOrderUpdate,
  stockMovement,
} from '../../../fixtures/payloads.ts'
import { BUS, claim, claimOne, DAY, DELIVERED, deliverAll, FAILED, HOUR, settle } from '../../acting.ts'
import { type Arrivals, createArrivals, owed } from '../../arrivals.ts'
import type { Check, StoreUnderTest } from '../../under-test.ts'

const YEAR = 365 * DAY

/** Who decides whether an arrival is news, in the order of design §5, and the cases it names. */
export function deduplicating(check: Check): void {
  check('When a transport key comes again at once, an hour or 60 days later, then it is a duplicate', async (the) => {
    const one = createArrivals(the.clock).arrival({ transportKey: 'k-1' })
    const [first] = await the.store.accept([one])
    for (const ms of [0, HOUR, 60 * DAY]) {
      await the.clock.pass(ms)
      const again = { ...one, receivedAt: the.clock.now() }
      expect(await the.store.accept([again])).toMatchObject([copyOf(first)])
    }
    expect(await deliverAll(the.store, the.clock.now())).toEqual([first?.id])
  })

  check(
    'When what people repeat was read without a key, and is told twice under one, then it has its effect once',
    async (the) => {
      const { arrival } = createArrivals(the.clock)
      const receiptOf = { identity: 'R-1', versioned: true, repeatable: true } as const
      const [first] = await the.store.accept([arrival({ ...receiptOf, payload: { read: true } })])
      const told = arrival({ ...receiptOf, transportKey: 'k-1', payload: { told: true } })
      for (let times = 0; times < 3; times++)
        expect(await the.store.accept([told])).toMatchObject([{ status: 'duplicate', id: first?.id }])
      expect(await deliverAll(the.store, the.clock.now())).toEqual([first?.id])
    },
  )

  check('When one transport key comes with different events, then each is taken once, and told of', async (the) => {
    const { arrival, of } = createArrivals(the.clock)
    const body = Buffer.from('{}')
    const all = [
      arrival({ transportKey: 'k-1', body }),
      arrival({ transportKey: 'k-1', body, kind: 'InvoicePaid' }),
      arrival({ transportKey: 'k-1' }),
      of('SaleCreated', sale(), { transportKey: 'k-1' }),
      of('SaleCreated', sale({ receiptNo: '2000' }), { transportKey: 'k-1' }),
      of('OmniChannelOrderUpdated', orderUpdate(), { transportKey: 'k-1' }),
    ]
    const first = await the.store.accept(all)
    const [one, ...others] = first.map((verdict) => ({ sameKeyAs: null, ...verdict }))
    expect(one).toMatchObject({ status: 'accepted', sameKeyAs: null })
    for (const verdict of others) expect(verdict).toMatchObject({ status: 'accepted', sameKeyAs: one?.id })
    const ids = first.map(({ id }) => id)

    const store = await the.reopen()
    await the.clock.pass(60 * DAY)
    for (const again of [all, all.toReversed()].map((some) =>
      some.map((x) => ({ ...x, receivedAt: the.clock.now() })),
    )) {
      const verdicts = await store.accept(again)
      expect(verdicts.map(({ status }) => status)).toEqual(all.map(() => 'duplicate'))
      expect(new Set(verdicts.map(({ id }) => id))).toEqual(new Set(ids))
    }
    expect((await deliverAll(store, the.clock.now())).toSorted()).toEqual(ids.toSorted())
    expect((await store.status()).events.reusedKeys).toMatchObject({ count: 5, last: expect.any(Number) })
    const listed = await store.events({ reusedKey: true })
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.slice(1).toSorted())
  })

  check('When two origins use the same transport key, then they are two events', async ({ store, clock }) => {
    const { arrival } = createArrivals(clock)
    const body = Buffer.from('{}')
    const verdicts = await store.accept([
      arrival({ transportKey: 'k-1', body }),
      arrival({ transportKey: 'k-1', body, origin: 'erp' }),
    ])
    expect(verdicts.map(({ status }) => status)).toEqual(['accepted', 'accepted'])
  })

  const sorts: ((arrivals: Arrivals) => Arrival)[] = [
    ({ arrival }) => arrival({ payload: { invoice: 1 }, transportKey: 'k-1' }),
    ({ arrival }) => arrival({ payload: { invoice: 2 } }),
    ({ of }) => of('SaleCreated', sale()),
    ({ of }) => of('OmniChannelOrderUpdated', orderUpdate()),
  ]
  check('When 20 copies of any sort come in one list, then they are one event with one id', async (the) => {
    for (const sort of sorts) {
      const one = sort(createArrivals(the.clock))
      await expectOne(the, await the.store.accept(Array.from({ length: 20 }, () => one)))
    }
  })
  check('When 20 copies of any sort come at the same instant, then they are one event with one id', async (the) => {
    for (const sort of sorts) {
      const one = sort(createArrivals(the.clock))
      const answers = await Promise.all(Array.from({ length: 20 }, () => the.store.accept([one])))
      await expectOne(the, answers.flat())
    }
  })

  check('When a copy comes with a transport key of its own, then that key is known from then on', async (the) => {
    const { of } = createArrivals(the.clock)
    const [first] = await the.store.accept([of('SaleCreated', sale(), { transportKey: 'k-1' })])
    await the.store.accept([of('SaleCreated', sale(), { transportKey: 'k-2' })])
    expect(await the.store.seen('platform', ['k-1', 'k-2', 'k-3'])).toEqual(new Set(['k-1', 'k-2']))
    const other = of('SaleCreated', sale({ receiptNo: '2000' }), { transportKey: 'k-2' })
    expect(await the.store.accept([other])).toMatchObject([{ status: 'accepted', sameKeyAs: first?.id }])
  })

  check('When two movements are alike but for movementId, then they are two events', async ({ store, clock }) => {
    const { of } = createArrivals(clock)
    const twins = [1, 2].map((movementId) => of('StockMovementCreated', stockMovement({ movementId })))
    expect((await store.accept(twins)).map(({ status }) => status)).toEqual(['accepted', 'accepted'])
  })

  check(
    'When an order is Picked, UnHandled and Picked without transport keys, then there are three revisions',
    async ({ store, clock }) => {
      const { of } = createArrivals(clock)
      const update = (status: string) => of('OmniChannelOrderUpdated', shippedOrderUpdate({ status }))
      for (const status of ['Picked', 'Picked', 'UnHandled', 'UnHandled', 'Picked'])
        await store.accept([update(status)])
      expect((await store.events({})).map(({ revision }) => revision)).toEqual([3, 2, 1])
      expect(await deliverAll(store, clock.now())).toHaveLength(3)
    },
  )

  check(
    'When a thin CustomerUpdated comes by three transport keys, then there are three revisions',
    async ({ store, clock }) => {
      const { of } = createArrivals(clock)
      const thin = { customerId: customer().customerId }
      const verdicts = await store.accept(
        ['a', 'b', 'c'].map((key) => of('CustomerUpdated', thin, { transportKey: key })),
      )
      expect(new Set(verdicts.map(({ id }) => id)).size).toBe(3)
      expect((await store.events({})).map(({ revision }) => revision)).toEqual([3, 2, 1])
    },
  )

  check(
    'When a receipt is sent again under a new transport key, then it is a revision; by another subscription, or without a key, it is a copy',
    async (the) => {
      const { of } = createArrivals(the.clock)
      const sent = (transportKey: string | null, subscription = 'all') =>
        of('OmniChannelSendReceiptCreated', receipt(), { transportKey, subscription })
      const [first, second] = await the.store.accept([sent('k-1'), sent('k-2')])
      expect([first?.status, second?.status]).toEqual(['accepted', 'accepted'])
      for (const again of [sent('k-1'), sent('k-2'), sent('k-3', '101'), sent(null)])
        expect((await the.store.accept([again]))[0]?.status).toBe('duplicate')
      const store = await the.reopen()
      expect(await store.accept([sent('k-3', '101')])).toMatchObject([copyOf(second)])
      expect(await store.accept([sent('k-4', '101')])).toMatchObject([copyOf(second)])
      await the.clock.pass(DAY)
      expect((await store.accept([sent('k-5', '101')]))[0]?.status).toBe('accepted')
      expect((await store.events({})).map(({ revision }) => revision)).toEqual([3, 2, 1])
    },
  )

  check('When the same bytes without identity come within the window, then they are a copy', async (the) => {
    const { arrival } = createArrivals(the.clock)
    const body = Buffer.from('{"invoice":1}')
    const [first] = await the.store.accept([arrival({ body })])
    await the.clock.pass(DAY - 1)
    expect(await the.store.accept([arrival({ body })])).toMatchObject([copyOf(first)])
    const [otherKind] = await the.store.accept([arrival({ body, kind: 'SaleExternalCreated' })])
    expect(otherKind?.status).toBe('accepted')
  })

  check('When the same bytes without identity come a week apart, then they are two events', async (the) => {
    const { arrival } = createArrivals(the.clock)
    const body = Buffer.from('{"invoice":1}')
    const [first] = await the.store.accept([arrival({ body })])
    await the.clock.pass(7 * DAY)
    const [second] = await the.store.accept([arrival({ body })])
    expect(second).toMatchObject({ status: 'accepted', id: expect.any(Number), unrouted: false })
    expect(second?.id).not.toBe(first?.id)
  })

  conflicts(check)
  completing(check)
}

function conflicts(check: Check): void {
  check(
    'A sale that is older than what is remembered, and not known, is a conflict with nothing, once',
    async (the) => {
      const { store } = the
      const { of } = createArrivals(the.clock)
      const [known] = await store.accept([of('SaleCreated', sale())])
      expect(await store.accept([of('SaleCreated', sale(), { old: true })])).toMatchObject([copyOf(known)])
      const other = of('SaleCreated', sale({ receiptNo: '2000' }), { old: true })
      const [held] = await store.accept([other])
      expect(held).toMatchObject({ status: 'conflict', with: 0 })
      expect(await store.accept([other])).toMatchObject([{ status: 'duplicate', id: held?.id }])
      expect(await store.events({ conflict: true })).toMatchObject([
        { id: held?.id, conflictWith: 0, state: 'unrouted' },
      ])
      expect(await deliverAll(store, the.clock.now())).toEqual([known?.id])
    },
  )

  check(
    'When a sale comes again with another amount or time, then it is a conflict: kept, shown, not owed',
    async (the) => {
      const { store, clock } = the
      const { of } = createArrivals(clock)
      const [first] = await store.accept([of('SaleCreated', sale())])
      for (const other of [{ total: 350 }, { createdDateTime: '2026-11-20T15:00:00' }]) {
        const [second] = await store.accept([of('SaleCreated', sale(other), { transportKey: JSON.stringify(other) })])
        expect(second).toMatchObject({ status: 'conflict', id: expect.any(Number), with: first?.id })
        const [row] = await store.events({ conflict: true })
        expect(row).toMatchObject({ id: second?.id, conflictWith: first?.id })
        expect((await store.event(second?.id ?? 0))?.deliveries).toEqual([])
      }
      expect((await store.status()).events).toMatchObject({ unrouted: 0, quarantined: 0, conflicts: 2 })
      expect(await deliverAll(store, clock.now())).toEqual([first?.id])
    },
  )

  check(
    'When a conflict comes again, then it is a duplicate of the conflict, and the first one of the first',
    async ({ store, clock }) => {
      const { of } = createArrivals(clock)
      const [first, second, third] = await store.accept([
        of('SaleCreated', sale()),
        of('SaleCreated', sale({ total: 1 })),
        of('SaleCreated', sale({ total: 2 })),
      ])
      await clock.pass(YEAR)
      const again = [sale({ total: 1 }), sale(), sale({ total: 2 })].map((payload) => of('SaleCreated', payload))
      expect(await store.accept(again)).toMatchObject([copyOf(second), copyOf(first), copyOf(third)])
      const revisions = (await store.events({ conflict: true })).map(({ revision }) => revision)
      expect(new Set([0, ...revisions]).size, 'each has a delivery key of its own').toBe(3)
    },
  )

  check(
    'When the facts are the same in other words, or one of them is missing, then there is no conflict',
    async ({ store, clock }) => {
      const { of } = createArrivals(clock)
      const [first] = await store.accept([of('SaleCreated', sale())])
      for (const words of [{ total: '349.00' }, { createdDateTime: '2026-11-20T14:03:27.000Z' }, { total: undefined }])
        expect(await store.accept([of('SaleCreated', sale(words))])).toMatchObject([copyOf(first)])
    },
  )
}

/** A settlement by two roads: pushed by the platform, and pulled (another origin, other case of its names, fuller). */
function completing(check: Check): void {
  const thin = (the: StoreUnderTest) => createArrivals(the.clock).of('POSSettlementCreated', settlement())
  const full = (the: StoreUnderTest, payload: unknown = pulledSettlement()) =>
    createArrivals(the.clock).of('POSSettlementCreated', payload, { origin: 'pull', subscription: null })

  check(
    'When a settlement is pushed and then pulled, then the fuller body completes it, and one effect is owed',
    async (the) => {
      const [first] = await the.store.accept([thin(the)])
      const pulled = full(the)
      expect(await comparing(the.store, pulled)).toMatchObject({ status: 'duplicate', id: first?.id, completed: true })
      const event = await the.store.event(first?.id ?? 0)
      expect(event).toMatchObject({ bodyHash: pulled.bodyHash, size: pulled.body.byteLength, origin: 'platform' })
      expect(textOf(event?.body)).toBe(textOf(pulled.body))
      const claimed = await claimOne(the.store)
      expect(textOf(claimed.event.body)).toBe(textOf(pulled.body))
      expect(await comparing(the.store, pulled)).toMatchObject(copyOf(first))
    },
  )

  check('When a settlement waits in memory and is completed, then what goes out is the fuller body', async (the) => {
    await claim(the.store)
    await the.store.accept([thin(the)])
    const pulled = full(the)
    await comparing(the.store, pulled)
    const { event } = await claimOne(the.store)
    expect([textOf(event.body), event.subscription]).toEqual([textOf(pulled.body), pulled.subscription])
    expect(event.bodyHash).toBe(pulled.bodyHash)
  })

  check('When a settlement is pulled and then pushed, then the thinner body changes nothing', async (the) => {
    const pulled = full(the)
    const [first] = await the.store.accept([pulled])
    expect(await comparing(the.store, thin(the))).toMatchObject(copyOf(first))
    expect(textOf((await the.store.event(first?.id ?? 0))?.body)).toBe(textOf(pulled.body))
    expect(await deliverAll(the.store, the.clock.now())).toEqual([first?.id])
  })

  check(
    'When the same settlement differs in nothing but case, then it is a copy that completes nothing',
    async (the) => {
      const [first] = await the.store.accept([full(the)])
      expect(await comparing(the.store, full(the, otherCase(pulledSettlement())))).toMatchObject(copyOf(first))
    },
  )

  check('When the fuller one says something else, then nothing is completed', async (the) => {
    const [first] = await the.store.accept([thin(the)])
    const other = full(the, pulledSettlement({ PosName: 'Till 2' }))
    expect(await comparing(the.store, other)).toMatchObject(copyOf(first))
  })

  check('When the fuller one owes more, then that is owed too, and goes by the first one', async (the) => {
    await claim(the.store, BUS)
    const came = thin(the)
    const [first] = await the.store.accept([came])
    await the.clock.pass(1_000)
    const more = [owed({ entity: 'settlement:3001' }), owed({ entity: 'settlement:3001', destination: 'bus' })]
    await comparing(the.store, { ...full(the), deliveries: more })
    expect(await deliverAll(the.store, the.clock.now())).toEqual([first?.id])
    const { event } = await claimOne(the.store, BUS)
    const { origin, receivedAt, transportKey } = came
    expect(event).toMatchObject({ id: first?.id, origin, receivedAt, transportKey })
  })

  const acted: Record<string, (store: Store, now: number) => Promise<unknown>> = {
    'is on its way': (store) => claim(store),
    'has failed once': async (store, now) => settle(store, await claim(store), FAILED, now),
    'is delivered': async (store, now) => settle(store, await claim(store), DELIVERED, now),
    'was skipped by a person': (store, now) => store.skip({}, { by: 'kari', reason: null, at: now, dryRun: false }),
  }
  for (const [what, act] of Object.entries(acted))
    check(`When a fuller settlement comes while the thinner one ${what}, then nothing is completed`, async (the) => {
      const [first] = await the.store.accept([thin(the)])
      await act(the.store, the.clock.now())
      const verdict = await comparing(the.store, full(the))
      expect(verdict).toMatchObject(copyOf(first))
      expect(verdict).not.toHaveProperty('comparable')
    })

  for (const isWarm of [true, false])
    check(
      `When a fuller settlement comes in the moment in which the thinner one goes out${isWarm ? '' : ' as the first of its lane'}, then what goes out is what is kept`,
      async (the) => {
        const { store, clock } = the
        if (isWarm) await claim(store)
        const thinner = thin(the)
        const [first] = await store.accept([thinner, createArrivals(clock).arrival()])
        const fuller = full(the)
        const completes = { event: first?.id ?? 0, bodyHash: thinner.bodyHash }
        const accepting = store.accept([{ ...fuller, completes }])
        const out = await claim(store)
        const [verdict] = await accepting

        out.push(...(await claim(store)))
        const { completed } = verdict as Extract<Verdict, { status: 'duplicate' }>
        const sent = out.find(({ event }) => event.id === first?.id)
        expect(textOf(sent?.event.body)).toBe(textOf((completed ? fuller : thinner).body))
        expect(sent?.event.bodyHash).toBe((completed ? fuller : thinner).bodyHash)
        expect(textOf((await store.event(first?.id ?? 0))?.body)).toBe(textOf(sent?.event.body))
        expect(out).toHaveLength(2)
      },
    )

  check(
    'When another one completes it between the comparison and the commit, then it is compared again',
    async (the) => {
      const [first] = await the.store.accept([thin(the)])
      const fuller = full(the)
      const fullest = full(the, pulledSettlement({ Remark: 'closed twice' }))
      const before = await the.store.event(first?.id ?? 0)
      const completes = { event: first?.id ?? 0, bodyHash: before?.bodyHash ?? '' }
      expect(await the.store.accept([{ ...fuller, completes }])).toMatchObject([{ completed: true }])

      expect(await the.store.accept([{ ...fullest, completes }])).toMatchObject([
        { completed: false, comparable: true },
      ])
      expect(await comparing(the.store, fullest)).toMatchObject({ completed: true })
      expect(textOf((await the.store.event(first?.id ?? 0))?.body)).toBe(textOf(fullest.body))
    },
  )
}

/** Accepts as the inbox does: what may be fuller than the first is compared with it. */
async function comparing(store: Store, arrival: Arrival): Promise<Verdict> {
  const commit = async (one: Arrival) => (await store.accept([one]))[0] as Verdict
  const complete = createCompleting(store, { completes: completesBody }, commit)
  return await complete(arrival, await commit(arrival))
}

function copyOf(verdict: Verdict | undefined): Partial<Verdict> {
  return { status: 'duplicate', id: verdict?.id ?? 0, completed: false }
}

async function expectOne({ store, clock }: StoreUnderTest, verdicts: Verdict[]): Promise<void> {
  const [id, ...others] = new Set(verdicts.map((verdict) => verdict.id))
  expect(others).toEqual([])
  expect(verdicts.filter(({ status }) => status === 'accepted')).toHaveLength(1)
  expect(verdicts.filter(({ status }) => status === 'duplicate')).toHaveLength(19)
  expect(await deliverAll(store, clock.now())).toEqual([id])
}

function textOf(body: Uint8Array | null | undefined): string {
  return Buffer.from(body ?? []).toString('utf8')
}
