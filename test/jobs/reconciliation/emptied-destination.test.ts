import { expect, test } from 'vitest'
import { destinationCompleteness } from '../../../src/domain/completeness/reconciled.ts'
import { reconcileDestinationsJob } from '../../../src/jobs/reconciliation/reconcile-destinations.ts'
import { readDestinationsState } from '../../../src/storage/read-completeness.ts'
import { createRunner } from '../engine/run.ts'
import { createMemoryStorage } from './memory-storage.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const SOLD = Date.parse('2026-11-20T12:00:00Z')

test('A table that was emptied (a restore) and has nothing of what it was given is not proven for that day', async () => {
  const memory = createMemoryStorage(new Set())
  const rows = Array.from({ length: 25 }, (_, n) => ({
    ...{ id: n + 1, flow: 'book-sale', part: '', destination: 'bi', effect: null, state: 'delivered', code: null },
    ...{ settledAt: SOLD + n, tries: 0, crashes: 0, firstTriedAt: null },
    event: {
      ...{ id: n + 1, kind: 'SaleCreated', origin: 'platform', identity: `a${n}`, revision: 0, transportKey: null },
      ...{ subscription: null, entity: null, size: 2, bodyHash: 'x', receivedAt: SOLD + n },
    },
  }))
  const storage = {
    ...memory,
    bodies: async () => [],
    links: async () => [],
    nextReceived: async () => null,
    givenPage: async () => ({ rows, next: null }),
  }
  let isEmpty = false
  const reconcile = async (records: readonly unknown[]) =>
    records.map(() => (isEmpty ? { is: 'lacking' } : { is: 'there', count: 1, amount: null }))
  const job = reconcileDestinationsJob({
    ...{ storage: storage as never, mappings: [] as never, rules: { days: 7, patience: HOUR, leave: [] } },
    destinations: [{ name: 'bi', ports: { backOffice: { reconcile } } as never, dryRun: false, timeout: 1_000 }],
    flows: [{ name: 'book-sale', port: 'backOffice', method: 'bookMovement' } as never],
    ...{ storeIndex: () => ({ stores: [] }) as never, reached: () => {} },
  })
  let now = SOLD + DAY
  const runner = createRunner(job, () => now)
  const asked = { since: SOLD - 12 * HOUR, until: SOLD + 12 * HOUR }
  const judged = () => {
    const { destinations } = readDestinationsState(runner.state)
    return destinationCompleteness(destinations, new Map(), { ...asked, now }).map(({ verdict }) => verdict)
  }
  await runner.run()
  expect(judged()).toEqual(['proven'])
  isEmpty = true
  now += DAY
  await expect(runner.run()).rejects.toThrow('it has nothing of 25 things')
  expect(judged()).toEqual(['unknown'])
})
