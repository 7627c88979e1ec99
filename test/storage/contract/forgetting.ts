import { expect } from 'vitest'
import { UNKNOWN_CUSTOMER } from '../../../src/domain/customers/customer-record.ts'
import { type PersonalRow, type PersonalTableName, personalTable } from '../../../src/storage/personal-places.ts'
import { claim, claimOne, HOUR } from '../acting.ts'
import { createArrivals, pending } from '../arrivals.ts'
import { compressAll } from '../payloads/compress-all.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

const ZEB = 'zeb@canary.example.com'

/** A person is found wherever rows speak of them, and the rows are written anew. */
export function erasing(test: StoreTest): void {
  test('When rows of a person are rewritten, then nothing of the store says it any more, also after a restart', async (the) => {
    const id = await accepted(the)
    await the.storage.saveCustomers([{ ...UNKNOWN_CUSTOMER, email: ZEB, customerId: '7' }], the.clock.now())
    await the.storage.noteAct({ at: 1, by: 'anna', action: 'retry', reason: `${ZEB} asked` })
    const [payload] = await ofEvents(the, 'payloads', id)
    expect(Buffer.from(payload?.values[1] ?? '').toString()).toContain(ZEB)
    expect((await the.storage.scrub([ZEB])).found).toBeGreaterThan(0)

    await the.storage.forgetEvents([id])
    for (const place of ['events', 'payloads'] as const)
      for (const row of await ofEvents(the, place, id)) expect(await rewrite(the, place, row)).toBe(1)
    for (const place of ['customers', 'audit'] as const) {
      const rows = await saying(the, place)
      expect(rows, place).toHaveLength(1)
      for (const row of rows) expect(await rewrite(the, place, row)).toBe(1)
    }
    expect(await the.storage.customerCount()).toBe(0)
    expect(await the.storage.scrub([ZEB])).toMatchObject({ found: 0 })
    const event = await the.storage.event(id)
    expect(Buffer.from(event?.body ?? '').toString()).toBe('{"total":100.00,"email":"gone"}')
    expect(event?.size).toBe(31)

    const storage = await the.reopen()
    const again = await storage.accept([arrival(the)])
    expect(again).toMatchObject([{ status: 'duplicate', id }])
    expect(await storage.scrub([ZEB])).toMatchObject({ found: 0 })
  })

  test('When what waits for a destination is written anew without a person, then it goes out so', async (the) => {
    expect(await claim(the.storage)).toEqual([])
    const [verdict] = await the.storage.accept([{ ...arrival(the), deliveries: [pending()] }])
    const [row] = await ofEvents(the, 'payloads', verdict?.id ?? 0)
    if (!row) throw new Error('The payload is not there.')

    expect(await rewrite(the, 'payloads', row)).toBe(1)
    const { event } = await claimOne(the.storage)
    expect(Buffer.from(event.body).toString()).toBe('{"total":100.00,"email":"gone"}')
  })

  test('When requests are called alike once the person is out of their names, then each stays a request', async (the) => {
    const { storage, clock } = the
    const { arrival: other } = createArrivals(clock)
    const of = (key: string) => other({ origin: 'erp', submission: { resource: 'customers', key, line: 1 } })
    const verdicts = await storage.accept([of(`of ${ZEB}`), of(`of ${ZEB.toUpperCase()}`)])
    const ids = verdicts.map((verdict) => ('submission' in verdict ? (verdict.submission ?? 0) : 0))

    for (const row of await saying(the, 'submissions')) {
      const to = row.values.map((value) => (typeof value === 'string' ? value.replace(/zeb@.*$/i, 'erased-1') : value))
      expect(await storage.rewritePersonal([{ place: 'submissions', row: row.row, from: row.values, to }])).toBe(1)
    }
    expect((await storage.scrub([ZEB], ['submissions'])).found).toBe(0)
    const keys = (await Promise.all(ids.map((id) => storage.submission(id)))).map((one) => one?.key)
    expect(keys).toEqual([expect.stringContaining('of erased-1'), expect.stringContaining('of erased-1')])
  })

  test('When a richer copy of what was erased comes, then it may not complete it', async (the) => {
    const id = await accepted(the)
    const richer = {
      ...arrival(the),
      body: Buffer.from('{"total":100.00,"email":"zeb@canary.example.com","more":1}'),
      bodyHash: 'other',
    }
    const { transportKey: _, ...rest } = richer
    expect(await the.storage.accept([{ ...rest, transportKey: null }])).toMatchObject([
      { status: 'duplicate', comparable: true },
    ])
    await the.storage.forgetEvents([id])
    const [copy] = await the.storage.accept([{ ...rest, transportKey: null }])
    expect(copy).toMatchObject({ status: 'duplicate', id })
    expect(copy).not.toHaveProperty('comparable')
    const completes = { event: id, bodyHash: (await the.storage.event(id))?.bodyHash ?? '' }
    expect(await the.storage.accept([{ ...rest, transportKey: null, completes }])).toMatchObject([
      { status: 'duplicate', completed: false },
    ])
  })

  test('When a payload of a person is compressed, then it is found and rewritten, and others stay', async (the) => {
    const { storage, clock } = the
    const { arrival: other } = createArrivals(clock)
    const text = 'x'.repeat(100)
    const id = await accepted(the)
    const beside = await storage.accept(
      Array.from({ length: 80 }, (_, nth) => other({ kind: 'SaleCreated', payload: { nth, text } })),
    )
    await clock.pass(HOUR)
    expect(await compressAll(storage, clock.now())).toMatchObject({ payloads: 81 })

    const rows = await ofEvents(the, 'payloads', id)
    expect(rows.map(({ values }) => Buffer.from(values[1] ?? '').toString())).toEqual([expect.stringContaining(ZEB)])
    expect(await saying(the, 'payloads')).toHaveLength(1)
    const before = await storage.scrub([ZEB])
    expect(before.found).toBeGreaterThan(1)
    await storage.forgetEvents([id])
    for (const place of ['events', 'payloads'] as const)
      for (const row of await ofEvents(the, place, id)) expect(await rewrite(the, place, row), place).toBe(1)

    expect(await saying(the, 'payloads')).toEqual([])
    const after = await storage.scrub([ZEB])
    expect(after).toMatchObject({ found: 0 })
    expect(after.searched.find(({ what }) => what === 'compressed payloads')?.bytes).toBeGreaterThan(8_000)
    expect(await storage.event(id)).toMatchObject({ size: 31 })
    const nth = beside[5]?.id ?? 0
    expect(Buffer.from((await storage.event(nth))?.body ?? '').toString()).toBe(JSON.stringify({ nth: 5, text }))
    expect(await rewrite(the, 'payloads', rows[0] as PersonalRow), 'what it was').toBe(0)
  })

  test('When a text begins or ends with a digit, then it is not found in a longer number, compressed or not', async (the) => {
    const { storage, clock } = the
    const { arrival: other } = createArrivals(clock)
    const payload = { address1: 'Storgata (12', other: '12 Main', note: 'Box.7', text: 'x'.repeat(100) }
    await storage.accept(
      Array.from({ length: 80 }, (_, nth) => other({ kind: 'SaleCreated', payload: { ...payload, nth } })),
    )
    const expectAlone = async () => {
      for (const part of ['Storgata (1', '2 Main', 'Box-7'])
        expect(await storage.scrub([part]), part).toMatchObject({ found: 0 })
      for (const whole of ['Storgata (12', '12 Main', 'Box.7', 'Storgata ('])
        expect((await storage.scrub([whole])).found, whole).toBeGreaterThanOrEqual(80)
    }
    await expectAlone()
    await clock.pass(HOUR)
    expect(await compressAll(storage, clock.now())).toMatchObject({ payloads: 80 })
    await expectAlone()
  })

  test('When an event is unindexed by the keys of a person, then it is not found by them, and others are', async (the) => {
    const { storage } = the
    const [one = 0, two = 0] = [await accepted(the), (await storage.accept([the.arrival()]))[0]?.id]
    const key = { sort: 'email', value: ZEB } as const
    await storage.indexKeys(65_536, [
      { ...key, event: one },
      { ...key, event: two },
      { sort: 'order', value: 'a1', event: one },
    ])
    expect(await storage.find([key], 10)).toHaveLength(2)
    await storage.unindexEvents([one], [key])
    expect((await storage.find([key], 10)).map(({ event }) => event.id)).toEqual([two])
    expect(await storage.find([{ sort: 'order', value: 'a1' }], 10)).toHaveLength(1)
  })

  test('When a row has changed since it was read, then it stays as it is now', async (the) => {
    const id = await accepted(the)
    const [row] = await ofEvents(the, 'payloads', id)
    if (!row) throw new Error('There is no payload.')
    const [headers = null] = row.values
    const stale = { place: 'payloads' as const, row: row.row, from: [headers, Buffer.from('other')], to: row.values }
    expect(await the.storage.rewritePersonal([stale])).toBe(0)
  })

  test('When a table is longer than one stretch, then all of it is looked through', async (the) => {
    for (let n = 0; n < 5; n++)
      await the.storage.noteLookup({ at: n, number: n === 4 ? ZEB : `A${n}`, found: [], missing: [], ms: 1 })
    expect(await saying(the, 'lookups')).toHaveLength(1)
    expect(await the.storage.hashedKeys([{ sort: 'email', value: ZEB }])).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
    ])
  })
}

function arrival({ of }: StoreUnderTest) {
  const made = of('SaleCreated', {}, { identity: `sale:${ZEB}`, transportKey: 't-1' })
  return {
    ...made,
    deliveries: [],
    body: Buffer.from(`{"total":100.00,"email":"${ZEB}"}`),
    facts: { amount: 1 } as never,
  }
}

async function accepted(the: StoreUnderTest): Promise<number> {
  const [verdict] = await the.storage.accept([arrival(the)])
  return verdict?.id ?? 0
}

async function ofEvents({ storage }: StoreUnderTest, place: PersonalTableName, id: number): Promise<PersonalRow[]> {
  return (await storage.personalPage({ place, ofEvents: [id] })).rows
}

async function saying({ storage }: StoreUnderTest, place: PersonalTableName): Promise<PersonalRow[]> {
  const rows: PersonalRow[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page = await storage.personalPage({ place, containing: [ZEB], after })
    rows.push(...page.rows)
    after = page.next
  }
  return rows
}

function rewrite({ storage }: StoreUnderTest, place: PersonalTableName, { row, values }: PersonalRow): Promise<number> {
  const to = values.map((value) => {
    if (typeof value === 'string') return value.replaceAll(ZEB, 'gone')
    return value && Buffer.from(Buffer.from(value).toString().replaceAll(ZEB, 'gone'))
  })
  expect(personalTable(place).columns).toHaveLength(values.length)
  return storage.rewritePersonal([{ place, row, from: values, to: place === 'customers' ? null : to }])
}
