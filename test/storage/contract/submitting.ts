import { expect } from 'vitest'
import type { Arrival, Verdict } from '../../../src/storage/arrival.ts'
import { claim, DELIVERED, deliverAll, FAILED, REFUSED, SECOND, SHOP, settle } from '../acting.ts'
import { pending } from '../arrivals.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

/** Requests of own systems: their lines, what was taken of them, and what became of it. */
export function submitting(test: StoreTest): void {
  taking(test)
  exact(test)
  following(test)
}

function taking(test: StoreTest): void {
  test('When lines arrive, then they are of one submission, through a restart', async (the) => {
    const verdicts = await the.storage.accept([line(the, 1), line(the, 2)])
    const id = submissionOf(verdicts[0])
    expect(verdicts.map(submissionOf)).toEqual([id, id])
    const storage = await the.reopen()
    const [third] = await storage.accept([line(the, 3)])
    expect(submissionOf(third)).toBe(id)
    expect(await storage.submission(id)).toEqual({
      id,
      system: 'erp',
      resource: 'products',
      key: 'k-1',
      receivedAt: the.clock.now(),
      items: 3,
      unrouted: 0,
      states: [{ destination: 'shop', state: 'waiting', count: 3 }],
      end: null,
    })
  })

  test('When no line is kept, then there is no submission', async (the) => {
    const [first] = await the.storage.accept([line(the, 1)])
    const same = line(the, 1, { identity: 'sale-1', exact: true }, 'k-2')
    await the.storage.accept([same])
    const [copy, conflict] = await the.storage.accept([
      { ...same, transportKey: 'products/k-3/1', submission: { resource: 'products', key: 'k-3', line: 1 } },
      line(the, 1, { identity: 'sale-1', exact: true }, 'k-4'),
    ])
    expect([copy?.status, conflict?.status]).toEqual(['duplicate', 'conflict'])
    expect([submissionOf(copy), submissionOf(conflict)]).toEqual([2, 2])
    expect(submissionOf(first)).toBe(1)
    expect(await the.storage.submission(3)).toBeNull()
    expect(await the.storage.submission(2)).toMatchObject({ key: 'k-2', items: 1 })
  })

  test('When a line cannot be kept, then its submission is not made either', async (the) => {
    await expect(the.storage.accept([line(the, 1), line(the, 2, { kind: null as never })])).rejects.toThrow(/not.null/i)
    expect(await the.storage.submission(1)).toBeNull()
    const [verdict] = await the.storage.accept([line(the, 1)])
    expect(await the.storage.submission(submissionOf(verdict))).toMatchObject({ items: 1 })
  })
}

function exact(test: StoreTest): void {
  test('When a line comes again, then it is a duplicate, which says whether the bytes are others', async (the) => {
    const one = line(the, 1, { exact: true })
    const [first] = await the.storage.accept([one])
    const { body, bodyHash } = line(the, 1, { payload: { extId: 'other' } })
    const again = await the.storage.accept([one, { ...one, body, bodyHash }])
    expect(again).toEqual(
      [false, true].map((otherBytes) => ({
        status: 'duplicate',
        id: first?.id,
        completed: false,
        otherBytes,
        submission: submissionOf(first),
      })),
    )
  })

  test('When a fact comes again with other bytes, then it is a conflict, however often, and is not acted on', async (the) => {
    const given = { identity: 'sale-1', exact: true, entity: 'sale:1' }
    const [first] = await the.storage.accept([line(the, 1, { ...given, payload: { saleGuid: '1' } })])
    const richer = line(the, 1, { ...given, payload: { saleGuid: '1', total: 5 } }, 'k-2')
    for (let time = 0; time < 3; time++)
      expect(await the.storage.accept([richer])).toEqual([
        { status: 'conflict', id: 2, with: first?.id, submission: submissionOf(first) },
      ])
    const other = line(the, 1, { ...given, payload: { saleGuid: '1', total: 6 } }, 'k-2')
    expect(await the.storage.accept([other]), 'one key for two bodies').toMatchObject([
      { status: 'duplicate', otherBytes: true },
    ])
    expect(await the.storage.submission(submissionOf(first) + 1)).toBeNull()
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([first?.id])
    expect(Buffer.from((await the.storage.event(first?.id ?? 0))?.body ?? []).toString()).toBe('{"saleGuid":"1"}')
  })
}

function following(test: StoreTest): void {
  test('When a submission was read to its end, then its end is kept, the last one', async (the) => {
    const [verdict] = await the.storage.accept([line(the, 1)])
    const id = submissionOf(verdict)
    const end = { at: the.clock.now(), lines: 3, refused: 2, faults: [{ line: 2, faults: ['price: is missing'] }] }
    await the.storage.endSubmission(id, end)
    const last = { ...end, at: end.at + SECOND, refused: 1 }
    await the.storage.endSubmission(id, last)
    const storage = await the.reopen()
    expect((await storage.submission(id))?.end).toEqual(last)
    await expect(storage.endSubmission(99, end)).rejects.toThrow('no submission 99')
    expect(await storage.submission(99)).toBeNull()
  })

  test('When lines are delivered, refused or unwanted, then the submission counts them', async (the) => {
    const verdicts = await the.storage.accept([
      ...[1, 2, 3, 4].map((n) => line(the, n)),
      line(the, 5, { deliveries: [] }),
      line(the, 6, { deliveries: [pending(), pending({ destination: 'bus' })] }),
    ])
    const [delivered, dead, failed] = await claim(the.storage, SHOP, { calls: 3 })
    if (delivered) await settle(the.storage, [delivered], DELIVERED, the.clock.now())
    if (dead) await settle(the.storage, [dead], REFUSED, the.clock.now())
    if (failed) await settle(the.storage, [failed], FAILED, the.clock.now())
    const detail = await the.storage.submission(submissionOf(verdicts[0]))
    expect(detail).toMatchObject({ items: 6, unrouted: 1 })
    expect(detail?.states).toHaveLength(4)
    expect(detail?.states).toEqual(
      expect.arrayContaining([
        { destination: 'bus', state: 'waiting', count: 1 },
        { destination: 'shop', state: 'dead', count: 1 },
        { destination: 'shop', state: 'delivered', count: 1 },
        { destination: 'shop', state: 'waiting', count: 3 },
      ]),
    )
  })

  test('When lines are listed by state, then they come in their order, page by page', async (the) => {
    const { storage } = the
    const numbers = [12, 3, 7, 1, 40]
    const verdicts = await storage.accept(numbers.map((n) => line(the, n, { entity: `product:${n}` })))
    await storage.accept([line(the, 2, {}, 'other')])
    const id = submissionOf(verdicts[0])
    const claims = await claim(storage)
    const refused = claims.filter(({ event }) => event.id === verdicts[2]?.id)
    await settle(storage, refused, REFUSED, the.clock.now())
    await storage.returnClaims(claims.filter((one) => !refused.includes(one)).map(({ fence }) => fence))
    const linesOf = async (after: number, limit: number) =>
      (await storage.submissionItems(id, { states: ['waiting'], after, limit })).map((item) => item.line)
    expect(await linesOf(0, 3)).toEqual([1, 3, 12])
    expect(await linesOf(12, 3)).toEqual([40])
    const [dead] = await storage.submissionItems(id, { states: ['dead', 'held'] })
    expect(dead).toEqual({
      line: 7,
      event: verdicts[2]?.id,
      entity: 'product:7',
      delivery: expect.any(Number),
      destination: 'shop',
      state: 'dead',
      code: 'http-400',
      why: 'it said 400',
    })
    expect(await storage.submissionItems(id, { states: [] })).toEqual([])
  })

  test('When a page ends in a line of several deliveries, then all of them come with it', async (the) => {
    const deliveries = [pending(), pending({ destination: 'bus' }), pending({ part: 'second' })]
    const [verdict] = await the.storage.accept([1, 2, 3].map((n) => line(the, n, { deliveries })))
    const id = submissionOf(verdict)
    const page = await the.storage.submissionItems(id, { states: ['waiting'], limit: 4 })
    expect(page.map((item) => item.line)).toEqual([1, 1, 1, 2, 2, 2])
    expect(await the.storage.submissionItems(id, { states: ['waiting'], after: 2 })).toHaveLength(3)
  })
}

type Given = Partial<Arrival> & { payload?: unknown }

/** A line of `erp`'s products, of the request `key`. */
function line({ arrival }: StoreUnderTest, number: number, given: Given = {}, key = 'k-1'): Arrival {
  return arrival({
    kind: 'ProductSubmitted',
    origin: 'erp',
    subscription: null,
    payload: { extId: `${key}/${number}`, exact: given.exact ?? false },
    transportKey: `products/${key}/${number}`,
    submission: { resource: 'products', key, line: number },
    ...given,
  })
}

function submissionOf(verdict: Verdict | undefined): number {
  if (!verdict || verdict.status === 'quarantined' || verdict.submission === null) throw new Error('It is of none.')
  return verdict.submission
}
