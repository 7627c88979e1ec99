import { expect, test } from 'vitest'
import { destinationCompleteness, destinationVerdicts } from '../../../src/domain/completeness/reconciled.ts'
import { reconcileDestinationsJob } from '../../../src/jobs/reconciliation/reconcile-destinations.ts'
import { readDestinationsState } from '../../../src/storage/read-completeness.ts'
import { createRunner } from '../engine/run.ts'
import { createMemoryStorage } from './memory-storage.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const SOLD = Date.parse('2026-11-20T12:00:00Z')

/** A destination that was given 25 records on a day, and the job that asks it. */
function given() {
  const memory = createMemoryStorage(new Set())
  const rowOf = (id: number, receivedAt: number) => ({
    ...{ id, flow: 'book-sale', part: '', destination: 'bi', effect: null, state: 'delivered', code: null },
    ...{ settledAt: receivedAt as number | null, tries: 0, crashes: 0, firstTriedAt: null },
    event: {
      ...{ id, kind: 'SaleCreated', origin: 'platform', identity: `a${id}.`, revision: 0, transportKey: null },
      ...{ subscription: null, entity: null, size: 2, bodyHash: 'x', receivedAt },
    },
  })
  const rows = Array.from({ length: 25 }, (_, n) => rowOf(n + 1, SOLD + n))
  const storage = {
    ...memory,
    bodies: async () => [],
    links: async () => [],
    events: async () => [{ id: rows.length }],
    nextReceived: async (after: number) => rows.find(({ id }) => id > after)?.event ?? null,
    givenPage: async (_: unknown, after: number) => ({ rows: rows.filter(({ id }) => id > after), next: null }),
  }
  const there = { lacks: (_nth: number) => false }
  const reconcile = async (records: readonly { keys: readonly string[] }[]) =>
    records.map(({ keys: [key = ''] }) =>
      there.lacks(rows.findIndex(({ event }) => key.includes(event.identity)))
        ? { is: 'lacking' }
        : { is: 'there', count: 1, amount: null },
    )
  const job = reconcileDestinationsJob({
    ...{ storage: storage as never, mappings: [] as never, rules: { days: 7, patience: HOUR, leave: [] } },
    destinations: [{ name: 'bi', ports: { backOffice: { reconcile } } as never, dryRun: false, timeout: 1_000 }],
    flows: [{ name: 'book-sale', port: 'backOffice', method: 'bookMovement' } as never],
    ...{ storeIndex: () => ({ stores: [] }) as never, reached: () => {} },
  })
  let now = SOLD + DAY
  const runner = createRunner(job, () => now)
  return {
    there,
    run: () => runner.run(),
    pass(days: number) {
      now += days * DAY
    },
    now: () => now,
    rows,
    give: (receivedAt: number) => void rows.push(rowOf(rows.length + 1, receivedAt)),
    gaps: () => storage.gaps({ state: 'open' }, 0, 10),
    async verdictOf(day: number) {
      const { destinations } = readDestinationsState(runner.state)
      const asked = { since: day - 12 * HOUR, until: day + 12 * HOUR, storeId: null }
      const open = destinationVerdicts(await storage.oldestGaps('destination'), asked)
      return destinationCompleteness(destinations, open, { ...asked, now })[0]?.verdict
    },
  }
}

test('A table that was emptied (a restore) and has nothing of what it was given is not proven for that day', async () => {
  const the = given()
  await the.run()
  expect(await the.verdictOf(SOLD)).toBe('proven')
  the.there.lacks = () => true
  the.pass(1)
  await expect(the.run()).rejects.toThrow('it has nothing of 25 things')
  expect(await the.verdictOf(SOLD)).toBe('unknown')
})

test('When a delivery has waited for longer than is asked for, then its day is unknown until the destination was asked for it', async () => {
  const the = given()
  const [stuck] = the.rows
  Object.assign(stuck ?? {}, { state: 'dead', settledAt: null })
  await the.run()
  expect(await the.verdictOf(SOLD)).toBe('unknown')
  for (let day = 0; day < 10; day++) {
    the.pass(1)
    await the.run()
  }
  expect([await the.verdictOf(SOLD), await the.verdictOf(SOLD + DAY)]).toEqual(['unknown', 'proven'])

  Object.assign(stuck ?? {}, { state: 'delivered', settledAt: the.now() })
  the.there.lacks = (nth) => nth === 0
  the.pass(1)
  await the.run()
  expect(await the.verdictOf(SOLD)).toBe('gaps')
  the.there.lacks = () => false
  the.pass(1)
  await the.run()
  expect(await the.verdictOf(SOLD)).toBe('proven')
})

test('When the clock was weeks behind for a while, then what was given before and while it was is asked for all the same', async () => {
  const the = given()
  await the.run()
  the.pass(1)
  const [behind, lost] = [the.now() - 20 * DAY, [27, 40]]
  for (let id = 26; id <= 30; id++) the.give(the.now())
  for (let id = 31; id <= 61; id++) the.give(behind)
  the.give(the.now())
  the.there.lacks = (nth) => lost.includes(nth + 1)
  the.pass(1)
  await the.run()
  expect(await the.gaps()).toMatchObject([{ cause: 'not-there' }, { cause: 'not-there' }])
})
