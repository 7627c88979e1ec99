import { afterAll, describe } from 'vitest'
import { storeContract } from '../contract.ts'
import { NO_POOLER, startOwnPooler } from './own-pooler.ts'
import { createPlaces } from './under-test.ts'

/* The whole contract through PgBouncer in transaction mode, with fewer sessions than connections. */

const pooler = NO_POOLER === null ? await startOwnPooler() : null
const places = createPlaces(pooler?.through)
afterAll(async () => {
  await places[Symbol.asyncDispose]()
  await pooler?.[Symbol.asyncDispose]()
})

describe.skipIf(NO_POOLER !== null)(`through PgBouncer (${NO_POOLER ?? 'transaction mode'})`, () => {
  storeContract({ name: 'PostgreSQL behind a pooler', open: places.open, waits: true })
})
