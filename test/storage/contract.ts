import { describe, expect, test } from 'vitest'
import { apiKeys } from './contract/api-keys.ts'
import { auditing } from './contract/auditing.ts'
import { batching } from './contract/batching.ts'
import { bulkActs } from './contract/bulk-acts.ts'
import { changing } from './contract/changing.ts'
import { claiming } from './contract/claiming.ts'
import { crowding } from './contract/crowding.ts'
import { customers } from './contract/customers.ts'
import { dismissing } from './contract/dismissing.ts'
import { endpointUses } from './contract/endpoint-uses.ts'
import { accepting } from './contract/events/accepting.ts'
import { comparing } from './contract/events/comparing.ts'
import { compressing } from './contract/events/compressing.ts'
import { deduplicating } from './contract/events/deduplicating.ts'
import { enqueuing } from './contract/events/enqueuing.ts'
import { finding } from './contract/events/finding.ts'
import { proving } from './contract/events/proving.ts'
import { reading } from './contract/events/reading.ts'
import { superseding } from './contract/events/superseding.ts'
import { walking } from './contract/events/walking.ts'
import { findings } from './contract/findings.ts'
import { erasing } from './contract/forgetting.ts'
import { given } from './contract/given.ts'
import { jobLeases } from './contract/job-leases.ts'
import { jobs } from './contract/jobs.ts'
import { levelState } from './contract/level-standing.ts'
import { liningUp } from './contract/lining-up.ts'
import { mirroring } from './contract/mirroring.ts'
import { orders } from './contract/orders.ts'
import { reconciliation } from './contract/reconciliation.ts'
import { releasing } from './contract/releasing.ts'
import { retaining } from './contract/retention.ts'
import { settling } from './contract/settling.ts'
import { submitting } from './contract/submitting.ts'
import { uncertain } from './contract/uncertain.ts'
import type { StoreContract, StoreTest } from './under-test.ts'

/** The one suite for stores. `reopen` and `pass` are all it knows of what lies behind. */
export function storeContract({ name, open, waits, skip = [] }: StoreContract): void {
  const names = new Set<string>()

  const storeTest: StoreTest = (story, tell, options = {}) => {
    names.add(story)
    const skipped = skip.find(({ tests }) => tests.includes(story))
    if (skipped) test.skip(`${story} (${skipped.reason})`)
    else
      test(story, async () => {
        await using the = await open(options)
        await tell(the)
      })
  }

  const together = waits ? describe.concurrent : describe
  together(`the store ${name}`, () => {
    describe('what is news', () => deduplicating(storeTest))
    describe('what is kept', () => accepting(storeTest))
    describe('submissions', () => submitting(storeTest))
    describe('claims', () => claiming(storeTest))
    describe('claims that nobody settles', () => uncertain(storeTest))
    describe('more than fits', () => crowding(storeTest))
    describe('what goes out together', () => batching(storeTest))
    describe('only the newest', () => superseding(storeTest))
    describe('levels and versions', () => comparing(storeTest))
    describe('the standing of a level', () => levelState(storeTest))
    describe('facts that events prove', () => proving(storeTest))
    describe('settling', () => settling(storeTest))
    describe('what destinations were given', () => given(storeTest))
    describe('what is compressed', () => compressing(storeTest))
    describe('owing', () => enqueuing(storeTest))
    describe('the line of an entity', () => liningUp(storeTest))
    describe("a person's verbs", () => changing(storeTest))
    describe('the audit', () => auditing(storeTest))
    describe('what a person lets go', () => releasing(storeTest))
    describe('what a person dismisses', () => dismissing(storeTest))
    describe('what people read', () => reading(storeTest))
    describe('jobs and stores', () => jobs(storeTest))
    describe('who runs a job', () => jobLeases(storeTest))
    describe('endpoints that no document shows', () => endpointUses(storeTest))
    describe('what can be found', () => finding(storeTest))
    describe('orders', () => orders(storeTest))
    describe('the customer directory', () => customers(storeTest))
    describe('a person erased', () => erasing(storeTest))
    describe('the mirror', () => mirroring(storeTest))
    describe('findings', () => findings(storeTest))
    describe('what is proven to be here', () => reconciliation(storeTest))
    describe('what has had its time', () => retaining(storeTest))
    describe('API keys', () => apiKeys(storeTest))
    describe('bulk acts', () => bulkActs(storeTest))
    describe('any order of all this', () => walking(storeTest))

    test('Every skip names a test and gives a reason', () => {
      for (const { reason, tests } of skip) {
        expect(reason).toMatch(/\w+ \w+/)
        expect([...names]).toEqual(expect.arrayContaining(tests))
      }
    })
  })
}
