import { expect, test } from 'vitest'
import { watermarkOf } from '../../../../src/domain/completeness/completeness.ts'
import { type Given, keptIn } from '../../../hub.ts'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { openPulled } from '../../pulls/pull-kit.ts'
import { renumber } from '../renumber.ts'
import { type Compared, KINDS, LAG, openCompared, SALE_COLUMNS } from './lists-kit.ts'

const MOVED = 'StockMovementCreated'
const SETTLED = 'POSSettlementCreated'

test('when another job pulls what is listed and not here, then its gap is closed', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  the.lose(true)
  platform.pos.moveStock({ store: '201' })
  await the.quiet()
  the.lose(false)
  clock.advance(HOUR)
  await the.compare()
  expect(await the.gaps()).toMatchObject([{ kind: MOVED, state: 'open' }])
  await the.run('stock-movements')
  expect(await the.compare()).toMatchObject({ problem: null })
  expect(await the.gaps()).toMatchObject([{ state: 'repaired', ended: { reason: 'it has come' } }])
})

test('when a POS is closed after midnight, then its settlement stands in the list of that day, and nothing is short', async () => {
  await using the = await openCompared('2026-11-20T18:00:00Z')
  const { platform, clock } = the
  clock.advance(3 * HOUR)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  // Half past midnight in Oslo.
  clock.advance(2.5 * HOUR)
  platform.closeDay('101')
  await the.quiet()
  await the.run('settlements')
  clock.advance(12 * HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  expect(await the.gaps()).toEqual([])
  expect(await the.until(SETTLED)).toBeGreaterThan(clock.now() - HOUR)
})

test('when a list fails, then it covers nothing, and the others go on', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(HOUR)
  await the.compare()
  const current = await the.until(MOVED)
  the.lose(true)
  platform.pos.moveStock({ store: '101' })
  await the.quiet()
  the.lose(false)
  clock.advance(HOUR)
  platform.strange.lacks = ['GET /odata/Stockmovements']
  expect(await the.compare()).toMatchObject({ problem: expect.stringContaining(`${MOVED} of 2026-11-20`) })
  expect(await the.until(MOVED)).toBe(current)
  expect(await the.until(SETTLED)).toBeGreaterThan(current)
  expect(await the.gaps()).toEqual([])

  platform.strange.lacks = []
  await the.compare()
  expect(await the.gaps()).toMatchObject([{ kind: MOVED, state: 'open' }])
})

const SALE = 'SaleCreated'

/** Nothing was lost until the hub's clock was five days ahead for a run; that is put back now. */
async function wasAhead(): Promise<Compared> {
  const the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(HOUR)
  await the.compare()
  clock.advance(5 * DAY)
  await the.compare()
  clock.advance(-5 * DAY)
  clock.advance(2 * MINUTE)
  return the
}

test('when the clock was five days ahead for a run, then what is lost after it is put back is found, and taken', async () => {
  await using the = await wasAhead()
  const { platform, clock } = the
  the.lose(true)
  platform.pos.sell({ store: '101', sku: 'COAT-NVY-M', quantity: 2 })
  const lostAt = clock.now()
  await the.quiet()
  the.lose(false)
  platform.forgetEvents(clock.now())
  clock.advance(HOUR)
  await the.compare()

  expect(await the.gaps(SALE)).toMatchObject([{ cause: 'missing', state: 'open' }])
  expect(Math.abs((await the.until(SALE)) - lostAt)).toBeLessThan(5_000)
  clock.advance(DAY)
  await the.run('reconcile-log')
  await the.compare()
  await the.quiet()
  expect(the.events(SALE)).toHaveLength(2)
  clock.advance(HOUR)
  await the.compare()
  expect(Math.abs((await the.until(SALE)) - (clock.now() - LAG))).toBeLessThan(5_000)
})

test('when a subscription was for one store alone for days, then the records of the others are compared before they prove that time', async () => {
  await using the = await openCompared('2026-11-10T09:00:00Z')
  const { platform, clock, hub } = the
  const { storage } = hub.hub
  const subscribed = platform.subscriptions().find(({ event }) => event === SALE)
  if (subscribed === undefined) throw new Error('it is subscribed to')
  const sellIn = async (number: string) => {
    platform.pos.sell({ store: number, sku: 'TEE-BLK-M' })
    await the.quiet()
  }
  const pass = async (time: number) => {
    clock.advance(time)
    await the.run('reconcile-log')
    await the.compare()
    await the.quiet()
  }
  clock.advance(MINUTE)
  for (const number of ['101', '102']) await sellIn(number)
  await pass(HOUR)

  subscribed.storeId = 42
  await pass(HOUR)
  await sellIn('102')
  for (let n = 0; n < 5; n++) {
    await pass(DAY)
    await sellIn('101')
  }
  expect(the.events(SALE)).toHaveLength(7)

  subscribed.storeId = null
  await pass(HOUR)
  expect(await the.gaps(SALE)).toMatchObject([{ cause: 'missing', state: 'open' }])
  await pass(DAY)
  await pass(HOUR)
  expect(the.events(SALE)).toHaveLength(8)
  expect(await storage.gaps({ cause: 'not-looked-at', kind: SALE }, 0, 10)).toMatchObject([
    { state: 'repaired', storeId: null, ended: { reason: 'proven by lists' } },
  ])
})

test('when a store gets another number, then its sales of before stay told, and a lost one is still accepted once', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  for (const sku of ['TEE-BLK-M', 'COAT-NVY-M', 'TEE-BLK-M', 'TEE-BLK-M']) {
    platform.pos.sell({ store: '101', sku })
    clock.advance(MINUTE)
  }
  await the.quiet()
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  expect(await the.gaps()).toEqual([])

  using _ = renumber(42, '112')
  await the.run('stores')
  const receiptNo = await lost(the, { store: '112', sku: 'TEE-BLK-M' })
  expect(await the.gaps(SALE)).toMatchObject([{ state: 'repaired', evidence: { lists: { receiptNo } } }])
  expect(the.events(SALE)).toHaveLength(6)
  expect(the.got(SALE)).toHaveLength(6)
  expect(await the.until(SALE)).toBeGreaterThan(clock.now() - HOUR)
})

test('when a store has sold under its new number before the hub has read that, then nothing of it is told again', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  clock.advance(MINUTE)
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  clock.advance(HOUR)
  await the.compare()
  using _ = renumber(42, '112')
  for (const sku of ['TEE-BLK-M', 'COAT-NVY-M']) {
    platform.pos.sell({ store: '112', sku })
    clock.advance(MINUTE)
  }
  await the.quiet()
  for (const _ of [1, 2]) {
    clock.advance(HOUR)
    await the.run('reconcile-log')
    expect(await the.compare()).toMatchObject({ problem: null })
  }
  // Nobody knows yet that these are sales of that store; nothing is made of them for a day.
  expect(the.events(SALE)).toHaveLength(3)
  expect(await the.gaps()).toMatchObject([{ state: 'open' }, { state: 'open' }])
  await the.run('stores')
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  expect(await the.gaps()).toMatchObject([{ state: 'repaired' }, { state: 'repaired' }])
  clock.advance(DAY)
  await the.compare()
  expect(the.events(SALE)).toHaveLength(3)
})

test('when POS of two stores that have one number sell at once, then the sale that is lost is found all the same', async () => {
  await using the = await openCompared('2026-11-20T09:00:00Z')
  const { platform, clock } = the
  // Both are POS 431.
  const OSLO = { store: '101', pos: 11, sku: 'TEE-BLK-M' }
  const BERGEN = { store: '102', pos: 1, sku: 'TEE-BLK-M' }
  clock.advance(MINUTE)
  platform.pos.sell(OSLO)
  platform.pos.sell(BERGEN)
  await the.quiet()
  clock.advance(HOUR)
  expect(await the.compare()).toMatchObject({ problem: null })
  platform.pos.sell(OSLO)
  await the.quiet()
  const receiptNo = await lost(the, BERGEN)
  expect(await the.gaps(SALE)).toMatchObject([
    { state: 'repaired', evidence: { lists: { receiptNo, storeNo: '102' } } },
  ])
  expect(the.events(SALE)).toHaveLength(5)
})

/** A sale of which no event comes, and which the log does not know, and one that comes, until the lists have been looked at; its receipt number. */
async function lost(the: Compared, asked: Parameters<Compared['platform']['pos']['sell']>[0]): Promise<string> {
  const { platform, clock } = the
  the.lose(true)
  const { receiptNo } = platform.pos.sell(asked)
  await the.quiet()
  the.lose(false)
  platform.forgetEvents(clock.now())
  // A log that shows nothing at all would not be believed.
  clock.advance(MINUTE)
  platform.pos.sell({ store: '103', sku: 'COFFEE' })
  await the.quiet()
  for (const pause of [HOUR, DAY, HOUR]) {
    clock.advance(pause)
    await the.run('reconcile-log')
    expect(await the.compare()).toMatchObject({ problem: null })
  }
  await the.quiet()
  return receiptNo
}

test('when a webhook says in UTC when a sale was made after midnight, then the list tells of no other', async () => {
  await using the = await openCompared('2026-11-20T21:00:00Z')
  const { platform, clock, hub } = the
  // These the platform says by the store's clock, as it is documented.
  for (const sku of ['TEE-BLK-M', 'COAT-NVY-M', 'TEE-BLK-M', 'TEE-BLK-M']) {
    clock.advance(MINUTE)
    platform.pos.sell({ store: '101', sku })
  }
  await the.quiet()
  clock.advance(2 * HOUR + 20 * MINUTE)
  platform.faults.set({ drop: 1 })
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  platform.faults.set({})
  const said = platform.events().findLast(({ kind }) => kind === SALE)
  const sale = Object(said?.payload)
  expect(sale.createdDateTime).toContain('2026-11-21T00:')
  const inUtc = { ...sale, createdDateTime: new Date(clock.now()).toISOString() }
  await hub.post(SALE, inUtc, { eventId: said?.webhookEventId ?? '', subscription: 'all' })
  await the.quiet()

  for (const _ of [1, 2, 3]) {
    clock.advance(HOUR)
    expect(await the.compare()).toMatchObject({ problem: null })
  }
  expect(await the.gaps(SALE)).toEqual([])
  expect(the.events(SALE)).toHaveLength(5)
  expect(await the.until(SALE)).toBeGreaterThan(clock.now() - HOUR)
})

/** A hub on a platform that speaks so; what is sold and settled is lost, and then compared twice. */
async function lostIn(dialect: 'spec' | 'frontsystems-v2', pulls: NonNullable<Given['config']>['pulls']) {
  await using the = await openPulled('2026-11-20T09:00:00Z', pulls, {
    ...{ dialect, kinds: KINDS, jobs: { 'reconcile-log': '0 0 1 1 *' } },
  })
  const { clock, platform: sandbox, hub, quiet } = the
  const { storage } = hub.hub
  const run = async (name: string) =>
    (await hub.admin<{ note: string; problem: string | null }>(`jobs/${name}/run`, {})).body
  await run('reconcile-log')
  await run('reconcile-lists')
  clock.advance(MINUTE)
  sandbox.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await quiet()
  clock.advance(MINUTE)
  sandbox.faults.set({ drop: 1 })
  sandbox.pos.sell({ store: '101', sku: 'COAT-NVY-M' })
  sandbox.closeDay('101')
  await quiet()
  sandbox.faults.set({})
  sandbox.forgetEvents(clock.now())
  const said: { note: string; problem: string | null }[] = []
  for (const pause of [HOUR, DAY]) {
    clock.advance(pause)
    await run('reconcile-log')
    said.push(await run('reconcile-lists'))
    await quiet()
  }
  const marks = await storage.watermarks()
  const { body: answered } = await hub.admin<{ cannotTell: Record<string, string> }>('completeness')
  return {
    said,
    cannotTell: answered.cannotTell,
    gaps: await storage.gaps({ source: 'lists' }, 0, 100),
    events: keptIn(hub).map(({ kind, problem }) => [kind, problem]),
    isProven: (kind: string) => (watermarkOf(marks, 'lists', kind, '42')?.until ?? 0) > clock.now() - HOUR,
  }
}

test('when the platform speaks as its public documentation does, then all three sources are there', async () => {
  const pulls = { saleColumns: SALE_COLUMNS, movementColumns: { id: 'STOCKMOVEMENTID', type: 'MoveType' } }
  const { said, gaps, events, isProven, cannotTell } = await lostIn('frontsystems-v2', pulls)
  expect(said).toMatchObject([{ problem: null }, { problem: null, note: expect.stringContaining('3 accepted') }])
  expect(cannotTell).toEqual({})
  expect(gaps.map(({ kind, state }) => [kind, state]).sort()).toEqual([
    [SETTLED, 'repaired'],
    [SALE, 'repaired'],
    [MOVED, 'repaired'],
  ])
  for (const kind of [SALE, MOVED, SETTLED]) {
    expect(events.filter(([one]) => one === kind)).toEqual(
      kind === SETTLED
        ? [[kind, null]]
        : [
            [kind, null],
            [kind, null],
          ],
    )
    expect(isProven(kind)).toBe(true)
  }
})

test('when the platform speaks as the specification does, then what cannot be told is said', async () => {
  const { said, gaps, events, isProven } = await lostIn('spec', { movementColumns: {} })
  expect(said[1]).toMatchObject({
    problem: null,
    note: expect.stringContaining('of StockMovementCreated they cannot tell: pulls.movementColumns.id is not given'),
  })
  expect(gaps.map(({ kind, cause, state }) => [kind, cause, state]).sort()).toEqual([[SETTLED, 'missing', 'repaired']])
  expect(events.filter(([kind]) => kind === SALE)).toHaveLength(1)
  expect([isProven(SALE), isProven(SETTLED), isProven(MOVED)]).toEqual([false, true, false])
})
