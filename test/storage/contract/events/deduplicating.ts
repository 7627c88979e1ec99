import { expect } from 'vitest'
import { createCompleting } from '../../../../src/ingest/accept.ts'
import { completesBody } from '../../../../src/ingest/parse.ts'
import type { Arrival, Verdict } from '../../../../src/storage/arrival.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
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
import { type Arrivals, createArrivals, pending } from '../../arrivals.ts'
import type { StoreTest, StoreUnderTest } from '../../under-test.ts'

const YEAR = 365 * DAY

/** Who decides whether an arrival is news, in the order of design §5, and the cases it names. */
export function deduplicating(test: StoreTest): void {
  test('When a transport key comes again at once, an hour or 60 days later, then it is a duplicate', async (the) => {
    const one = the.arrival({ transportKey: 'k-1' })
    const [first] = await the.storage.accept([one])
    for (const ms of [0, HOUR, 60 * DAY]) {
      await the.clock.pass(ms)
      const again = { ...one, receivedAt: the.clock.now() }
      expect(await the.storage.accept([again])).toMatchObject([copyOf(first)])
    }
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([first?.id])
  })

  test('When what people repeat was read without a key, and is told twice under one, then it has its effect once', async (the) => {
    const receiptOf = { identity: 'R-1', versioned: true, repeatable: true } as const
    const [first] = await the.storage.accept([the.arrival({ ...receiptOf, payload: { read: true } })])
    const reported = the.arrival({ ...receiptOf, transportKey: 'k-1', payload: { reported: true } })
    for (let times = 0; times < 3; times++)
      expect(await the.storage.accept([reported])).toMatchObject([{ status: 'duplicate', id: first?.id }])
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([first?.id])
  })

  test('When one transport key comes with different events, then each is taken once, and told of', async (the) => {
    const body = Buffer.from('{}')
    const all = [
      the.arrival({ transportKey: 'k-1', body }),
      the.arrival({ transportKey: 'k-1', body, kind: 'InvoicePaid' }),
      the.arrival({ transportKey: 'k-1' }),
      the.of('SaleCreated', sale(), { transportKey: 'k-1' }),
      the.of('SaleCreated', sale({ receiptNo: '2000' }), { transportKey: 'k-1' }),
      the.of('OmniChannelOrderUpdated', orderUpdate(), { transportKey: 'k-1' }),
    ]
    const first = await the.storage.accept(all)
    const [one, ...others] = first.map((verdict) => ({ sameKeyAs: null, ...verdict }))
    expect(one).toMatchObject({ status: 'accepted', sameKeyAs: null })
    for (const verdict of others) expect(verdict).toMatchObject({ status: 'accepted', sameKeyAs: one?.id })
    const ids = first.map(({ id }) => id)

    const storage = await the.reopen()
    await the.clock.pass(60 * DAY)
    for (const again of [all, all.toReversed()].map((some) =>
      some.map((x) => ({ ...x, receivedAt: the.clock.now() })),
    )) {
      const verdicts = await storage.accept(again)
      expect(verdicts.map(({ status }) => status)).toEqual(all.map(() => 'duplicate'))
      expect(new Set(verdicts.map(({ id }) => id))).toEqual(new Set(ids))
    }
    expect((await deliverAll(storage, the.clock.now())).toSorted()).toEqual(ids.toSorted())
    expect((await storage.status()).events.reusedKeys).toMatchObject({ count: 5, last: expect.any(Number) })
    const listed = await storage.events({ reusedKey: true })
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.slice(1).toSorted())
  })

  test('When two origins use the same transport key, then they are two events', async ({ storage, arrival }) => {
    const body = Buffer.from('{}')
    const verdicts = await storage.accept([
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
  test('When 20 copies of any sort come in one list, then they are one event with one id', async (the) => {
    for (const sort of sorts) {
      const one = sort(createArrivals(the.clock))
      await expectOne(the, await the.storage.accept(Array.from({ length: 20 }, () => one)))
    }
  })
  test('When 20 copies of any sort come at the same instant, then they are one event with one id', async (the) => {
    for (const sort of sorts) {
      const one = sort(createArrivals(the.clock))
      const answers = await Promise.all(Array.from({ length: 20 }, () => the.storage.accept([one])))
      await expectOne(the, answers.flat())
    }
  })

  test('When a copy comes with a transport key of its own, then that key is known from then on', async (the) => {
    const [first] = await the.storage.accept([the.of('SaleCreated', sale(), { transportKey: 'k-1' })])
    await the.storage.accept([the.of('SaleCreated', sale(), { transportKey: 'k-2' })])
    expect(await the.storage.seen('platform', ['k-1', 'k-2', 'k-3'])).toEqual(new Set(['k-1', 'k-2']))
    const other = the.of('SaleCreated', sale({ receiptNo: '2000' }), { transportKey: 'k-2' })
    expect(await the.storage.accept([other])).toMatchObject([{ status: 'accepted', sameKeyAs: first?.id }])
  })

  test('When two movements are alike but for movementId, then they are two events', async ({ storage, of }) => {
    const alike = [1, 2].map((movementId) => of('StockMovementCreated', stockMovement({ movementId })))
    expect((await storage.accept(alike)).map(({ status }) => status)).toEqual(['accepted', 'accepted'])
  })

  test('When an order is Picked, UnHandled and Picked without transport keys, then there are three revisions', async (the) => {
    const { storage, clock, of } = the
    const update = (status: string) => of('OmniChannelOrderUpdated', shippedOrderUpdate({ status }))
    for (const status of ['Picked', 'Picked', 'UnHandled', 'UnHandled', 'Picked'])
      await storage.accept([update(status)])
    expect((await storage.events({})).map(({ revision }) => revision)).toEqual([3, 2, 1])
    expect(await deliverAll(storage, clock.now())).toHaveLength(3)
  })

  test('When a thin CustomerUpdated comes by three transport keys, then there are three revisions', async (the) => {
    const { storage, of } = the
    const thin = { customerId: customer().customerId }
    const verdicts = await storage.accept(
      ['a', 'b', 'c'].map((key) => of('CustomerUpdated', thin, { transportKey: key })),
    )
    expect(new Set(verdicts.map(({ id }) => id)).size).toBe(3)
    expect((await storage.events({})).map(({ revision }) => revision)).toEqual([3, 2, 1])
  })

  test('When a receipt is sent again under a new transport key, then it is a revision; by another subscription, or without a key, it is a copy', async (the) => {
    const sent = (transportKey: string | null, subscription = 'all') =>
      the.of('OmniChannelSendReceiptCreated', receipt(), { transportKey, subscription })
    const [first, second] = await the.storage.accept([sent('k-1'), sent('k-2')])
    expect([first?.status, second?.status]).toEqual(['accepted', 'accepted'])
    for (const again of [sent('k-1'), sent('k-2'), sent('k-3', '101'), sent(null)])
      expect((await the.storage.accept([again]))[0]?.status).toBe('duplicate')
    const storage = await the.reopen()
    expect(await storage.accept([sent('k-3', '101')])).toMatchObject([copyOf(second)])
    expect(await storage.accept([sent('k-4', '101')])).toMatchObject([copyOf(second)])
    await the.clock.pass(DAY)
    expect((await storage.accept([sent('k-5', '101')]))[0]?.status).toBe('accepted')
    expect((await storage.events({})).map(({ revision }) => revision)).toEqual([3, 2, 1])
  })

  test('When the same bytes without identity come within the window, then they are a copy', async (the) => {
    const body = Buffer.from('{"invoice":1}')
    const [first] = await the.storage.accept([the.arrival({ body })])
    await the.clock.pass(DAY - 1)
    expect(await the.storage.accept([the.arrival({ body })])).toMatchObject([copyOf(first)])
    const [otherKind] = await the.storage.accept([the.arrival({ body, kind: 'SaleExternalCreated' })])
    expect(otherKind?.status).toBe('accepted')
  })

  test('When the same bytes without identity come a week apart, then they are two events', async (the) => {
    const body = Buffer.from('{"invoice":1}')
    const [first] = await the.storage.accept([the.arrival({ body })])
    await the.clock.pass(7 * DAY)
    const [second] = await the.storage.accept([the.arrival({ body })])
    expect(second).toMatchObject({ status: 'accepted', id: expect.any(Number), unrouted: false })
    expect(second?.id).not.toBe(first?.id)
  })

  conflicts(test)
  completing(test)
}

function conflicts(test: StoreTest): void {
  test('A sale that is older than what is remembered, and not known, is a conflict with nothing, once', async (the) => {
    const { storage } = the
    const [known] = await storage.accept([the.of('SaleCreated', sale())])
    expect(await storage.accept([the.of('SaleCreated', sale(), { old: true })])).toMatchObject([copyOf(known)])
    const other = the.of('SaleCreated', sale({ receiptNo: '2000' }), { old: true })
    const [held] = await storage.accept([other])
    expect(held).toMatchObject({ status: 'conflict', with: 0 })
    expect(await storage.accept([other])).toMatchObject([{ status: 'duplicate', id: held?.id }])
    expect(await storage.events({ conflict: true })).toMatchObject([
      { id: held?.id, conflictWith: 0, state: 'unrouted' },
    ])
    expect(await deliverAll(storage, the.clock.now())).toEqual([known?.id])
  })

  test('When a sale comes again with another amount or time, then it is a conflict: kept, shown, not owed', async (the) => {
    const { storage, clock, of } = the
    const [first] = await storage.accept([of('SaleCreated', sale())])
    for (const other of [{ total: 350 }, { createdDateTime: '2026-11-20T15:00:00' }]) {
      const [second] = await storage.accept([of('SaleCreated', sale(other), { transportKey: JSON.stringify(other) })])
      expect(second).toMatchObject({ status: 'conflict', id: expect.any(Number), with: first?.id })
      const [row] = await storage.events({ conflict: true })
      expect(row).toMatchObject({ id: second?.id, conflictWith: first?.id })
      expect((await storage.event(second?.id ?? 0))?.deliveries).toEqual([])
    }
    expect((await storage.status()).events).toMatchObject({ unrouted: 0, quarantined: 0, conflicts: 2 })
    expect(await deliverAll(storage, clock.now())).toEqual([first?.id])
  })

  test('When a conflict comes again, then it is a duplicate of the conflict, and the first one of the first', async (the) => {
    const { storage, clock, of } = the
    const [first, second, third] = await storage.accept([
      of('SaleCreated', sale()),
      of('SaleCreated', sale({ total: 1 })),
      of('SaleCreated', sale({ total: 2 })),
    ])
    await clock.pass(YEAR)
    const again = [sale({ total: 1 }), sale(), sale({ total: 2 })].map((payload) => of('SaleCreated', payload))
    expect(await storage.accept(again)).toMatchObject([copyOf(second), copyOf(first), copyOf(third)])
    const revisions = (await storage.events({ conflict: true })).map(({ revision }) => revision)
    expect(new Set([0, ...revisions]).size, 'each has a delivery key of its own').toBe(3)
  })

  test('When the facts are the same in other words, or one of them is missing, then there is no conflict', async (the) => {
    const { storage, of } = the
    const [first] = await storage.accept([of('SaleCreated', sale())])
    for (const words of [{ total: '349.00' }, { createdDateTime: '2026-11-20T14:03:27.000Z' }, { total: undefined }])
      expect(await storage.accept([of('SaleCreated', sale(words))])).toMatchObject([copyOf(first)])
  })
}

/** A settlement by two sources: pushed by the platform, and pulled (another origin, other case of its names, richer). */
function completing(test: StoreTest): void {
  const thin = (the: StoreUnderTest) => the.of('POSSettlementCreated', settlement())
  const full = (the: StoreUnderTest, payload: unknown = pulledSettlement()) =>
    the.of('POSSettlementCreated', payload, { origin: 'pull', subscription: null })

  test('When a settlement is pushed and then pulled, then the richer body completes it, and one effect is owed', async (the) => {
    const [first] = await the.storage.accept([thin(the)])
    const pulled = full(the)
    expect(await comparing(the.storage, pulled)).toMatchObject({
      status: 'duplicate',
      id: first?.id,
      completed: true,
    })
    const event = await the.storage.event(first?.id ?? 0)
    expect(event).toMatchObject({ bodyHash: pulled.bodyHash, size: pulled.body.byteLength, origin: 'platform' })
    expect(textOf(event?.body)).toBe(textOf(pulled.body))
    const claimed = await claimOne(the.storage)
    expect(textOf(claimed.event.body)).toBe(textOf(pulled.body))
    expect(await comparing(the.storage, pulled)).toMatchObject(copyOf(first))
  })

  test('When a settlement waits in memory and is completed, then what goes out is the richer body', async (the) => {
    await claim(the.storage)
    await the.storage.accept([thin(the)])
    const pulled = full(the)
    await comparing(the.storage, pulled)
    const { event } = await claimOne(the.storage)
    expect([textOf(event.body), event.subscription]).toEqual([textOf(pulled.body), pulled.subscription])
    expect(event.bodyHash).toBe(pulled.bodyHash)
  })

  test('When a settlement is pulled and then pushed, then the sparser body changes nothing', async (the) => {
    const pulled = full(the)
    const [first] = await the.storage.accept([pulled])
    expect(await comparing(the.storage, thin(the))).toMatchObject(copyOf(first))
    expect(textOf((await the.storage.event(first?.id ?? 0))?.body)).toBe(textOf(pulled.body))
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([first?.id])
  })

  test('When the same settlement differs in nothing but case, then it is a copy that completes nothing', async (the) => {
    const [first] = await the.storage.accept([full(the)])
    expect(await comparing(the.storage, full(the, otherCase(pulledSettlement())))).toMatchObject(copyOf(first))
  })

  test('When the richer one says something else, then nothing is completed', async (the) => {
    const [first] = await the.storage.accept([thin(the)])
    const other = full(the, pulledSettlement({ PosName: 'POS 2' }))
    expect(await comparing(the.storage, other)).toMatchObject(copyOf(first))
  })

  test('When the richer one owes more, then that is owed too, and goes by the first one', async (the) => {
    await claim(the.storage, BUS)
    const came = thin(the)
    const [first] = await the.storage.accept([came])
    await the.clock.pass(1_000)
    const more = [pending({ entity: 'settlement:3001' }), pending({ entity: 'settlement:3001', destination: 'bus' })]
    await comparing(the.storage, { ...full(the), deliveries: more })
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([first?.id])
    const { event } = await claimOne(the.storage, BUS)
    const { origin, receivedAt, transportKey } = came
    expect(event).toMatchObject({ id: first?.id, origin, receivedAt, transportKey })
  })

  const acted: Record<string, (storage: Storage, now: number) => Promise<unknown>> = {
    'is on its way': (storage) => claim(storage),
    'has failed once': async (storage, now) => settle(storage, await claim(storage), FAILED, now),
    'is delivered': async (storage, now) => settle(storage, await claim(storage), DELIVERED, now),
    'was skipped by a person': (storage, now) => storage.skip({}, { by: 'kari', reason: null, at: now, dryRun: false }),
  }
  for (const [what, act] of Object.entries(acted))
    test(`When a richer settlement comes while the sparser one ${what}, then nothing is completed`, async (the) => {
      const [first] = await the.storage.accept([thin(the)])
      await act(the.storage, the.clock.now())
      const verdict = await comparing(the.storage, full(the))
      expect(verdict).toMatchObject(copyOf(first))
      expect(verdict).not.toHaveProperty('comparable')
    })

  for (const isWarm of [true, false])
    test(`When a richer settlement comes in the moment in which the sparser one goes out${isWarm ? '' : ' as the first of its queue'}, then what goes out is what is kept`, async (the) => {
      const { storage, arrival } = the
      if (isWarm) await claim(storage)
      const sparser = thin(the)
      const [first] = await storage.accept([sparser, arrival()])
      const richer = full(the)
      const completes = { event: first?.id ?? 0, bodyHash: sparser.bodyHash }
      const accepting = storage.accept([{ ...richer, completes }])
      const out = await claim(storage)
      const [verdict] = await accepting

      out.push(...(await claim(storage)))
      const { completed } = verdict as Extract<Verdict, { status: 'duplicate' }>
      const sent = out.find(({ event }) => event.id === first?.id)
      expect(textOf(sent?.event.body)).toBe(textOf((completed ? richer : sparser).body))
      expect(sent?.event.bodyHash).toBe((completed ? richer : sparser).bodyHash)
      expect(textOf((await storage.event(first?.id ?? 0))?.body)).toBe(textOf(sent?.event.body))
      expect(out).toHaveLength(2)
    })

  test('When another one completes it between the comparison and the commit, then it is compared again', async (the) => {
    const [first] = await the.storage.accept([thin(the)])
    const richer = full(the)
    const fullest = full(the, pulledSettlement({ Remark: 'closed twice' }))
    const before = await the.storage.event(first?.id ?? 0)
    const completes = { event: first?.id ?? 0, bodyHash: before?.bodyHash ?? '' }
    expect(await the.storage.accept([{ ...richer, completes }])).toMatchObject([{ completed: true }])

    expect(await the.storage.accept([{ ...fullest, completes }])).toMatchObject([
      { completed: false, comparable: true },
    ])
    expect(await comparing(the.storage, fullest)).toMatchObject({ completed: true })
    expect(textOf((await the.storage.event(first?.id ?? 0))?.body)).toBe(textOf(fullest.body))
  })
}

/** Accepts as the inbox does: what may be richer than the first is compared with it. */
async function comparing(storage: Storage, arrival: Arrival): Promise<Verdict> {
  const commit = async (one: Arrival) => (await storage.accept([one]))[0] as Verdict
  const complete = createCompleting(storage, { completes: completesBody }, commit)
  return await complete(arrival, await commit(arrival))
}

function copyOf(verdict: Verdict | undefined): Partial<Verdict> {
  return { status: 'duplicate', id: verdict?.id ?? 0, completed: false }
}

async function expectOne({ storage, clock }: StoreUnderTest, verdicts: Verdict[]): Promise<void> {
  const [id, ...others] = new Set(verdicts.map((verdict) => verdict.id))
  expect(others).toEqual([])
  expect(verdicts.filter(({ status }) => status === 'accepted')).toHaveLength(1)
  expect(verdicts.filter(({ status }) => status === 'duplicate')).toHaveLength(19)
  expect(await deliverAll(storage, clock.now())).toEqual([id])
}

function textOf(body: Uint8Array | null | undefined): string {
  return Buffer.from(body ?? []).toString('utf8')
}
