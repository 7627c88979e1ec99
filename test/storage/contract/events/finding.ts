import { expect } from 'vitest'
import type { SearchKey } from '../../../../src/domain/queue/search-keys.ts'
import type { Unindexed } from '../../../../src/storage/arrival.ts'
import { eventually } from '../../../eventually.ts'
import { claim, DELIVERED, settle } from '../../acting.ts'
import type { StoreTest, StoreUnderTest } from '../../under-test.ts'

const ROOM = { events: 2, bytes: 1_000_000 }
const MAIL: SearchKey = { sort: 'email', value: 'kari@example.com' }

/** What events say is indexed behind them, and they are found by it. */
export function finding(test: StoreTest): void {
  test('When more keys are indexed than one commit takes, then their events are found', async (the) => {
    const { storage, arrival } = the
    const [one = 0, two = 0] = (await storage.accept([arrival(), arrival()])).map(({ id }) => id ?? 0)
    const receipt = (nth: number) => ({ sort: 'receipt', value: `R-${nth}` }) as const
    await storage.indexKeys(
      two,
      Array.from({ length: 900 }, (_, nth) => ({ ...receipt(nth), event: one })),
    )
    await storage.indexKeys(two, [{ ...receipt(7), event: two }])

    expect((await storage.find([receipt(7)], 10)).map(({ event }) => event.id)).toEqual([two, one])
    for (const nth of [0, 1, 450, 899])
      expect(await storage.find([receipt(nth)], 10)).toMatchObject([{ key: receipt(nth), event: { id: one } }])
    expect(await storage.find([receipt(900)], 10)).toEqual([])
  })

  test('When events are indexed, then they are found by their keys, newest first, and it is told how far', async (the) => {
    const { storage, clock, of } = the
    for (const n of [1, 2, 3])
      await storage.accept([of('SaleCreated', { n }, { identity: `sale-${n}`, transportKey: `t-${n}` })])
    expect(await storage.searchReach()).toEqual({ upTo: 0, until: null, behind: 3 })

    const first = await unindexed(the)
    expect(first.map(({ kind, transportKey }) => [kind, transportKey])).toEqual([
      ['SaleCreated', 't-1'],
      ['SaleCreated', 't-2'],
    ])
    expect(JSON.parse(Buffer.from(first[0]?.body ?? '').toString())).toEqual({ n: 1 })
    const ids = first.map(({ id }) => id)
    await storage.indexKeys(ids[1] ?? 0, [
      { ...MAIL, event: ids[0] ?? 0 },
      { ...MAIL, event: ids[1] ?? 0 },
      { sort: 'order', value: 'a1', event: ids[0] ?? 0 },
    ])

    const found = await storage.find([{ sort: 'order', value: 'a1' }, MAIL], 10)
    expect(found.map(({ event }) => event.id)).toEqual([ids[1], ids[0]])
    expect(found[0]?.key).toEqual(MAIL)
    expect((await storage.find([MAIL], 1)).map(({ event }) => event.id)).toEqual([ids[1]])
    expect(await storage.find([{ sort: 'order', value: 'kari@example.com' }], 10), 'of another sort').toEqual([])
    expect(await storage.searchReach()).toMatchObject({ upTo: ids[1], until: clock.now(), behind: 1 })
    expect((await unindexed(the)).map(({ transportKey }) => transportKey)).toEqual(['t-3'])
  })

  test('When events are sought by hashed keys, then the newest come first, as many as are asked for', async (the) => {
    const { storage, arrival } = the
    const [one = 0, two = 0] = (await storage.accept([arrival(), arrival()])).map(({ id }) => id)
    await storage.indexKeys(
      two,
      [one, two].map((event) => ({ ...MAIL, event })),
    )
    const [mail = '', order = ''] = await storage.hashedKeys([MAIL, { sort: 'order', value: 'a1' }])
    expect((await storage.findHashed([order, mail], 10)).map(({ id }) => id)).toEqual([two, one])
    expect(await storage.findHashed([mail], 1)).toMatchObject([{ id: two, kind: 'InvoiceCreated' }])
    expect(await storage.findHashed([order], 10)).toEqual([])
  })

  test('When the same is indexed twice, as by two hubs, then nothing is found twice', async (the) => {
    const { storage, clock, about } = the
    const [taken] = await storage.accept([about('a')])
    await settle(storage, await claim(storage), DELIVERED, clock.now())
    const event = taken?.id ?? 0
    for (let hub = 0; hub < 2; hub++) await storage.indexKeys(event, [{ ...MAIL, event }])
    await storage.indexKeys(event - 1, [])
    expect(await storage.find([MAIL], 10)).toHaveLength(1)
    expect(await storage.searchReach()).toMatchObject({ upTo: event, behind: 0 })
  })
}

/** Once it is certain that no event of a lower id can come. */
async function unindexed({ storage }: StoreUnderTest): Promise<Unindexed[]> {
  return await eventually(async () => {
    const events = await storage.unindexed(ROOM)
    expect(events).not.toEqual([])
    return events
  })
}
