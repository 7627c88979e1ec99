import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeEmptyStore } from '../empty-store.ts'
import { pulledSettlement, settlement } from '../fixtures/payloads.ts'
import { claim } from './acting.ts'
import { createPlaces } from './postgres/under-test.ts'
import { openCopy, temporaryFolder } from './sqlite/file.ts'

const places = createPlaces()
const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(async () => {
  folder[Symbol.dispose]()
  await places[Symbol.asyncDispose]()
})

const engines = { SQLite: () => openCopy(empty, {}), PostgreSQL: () => places.open({}) }

describe.for(Object.entries(engines))('%s', ([, open]) => {
  test('When a richer settlement comes for one that is out, together with a richer one for one that is not, then the second may complete', async () => {
    await using the = await open()
    const { storage, of, arrival } = the
    const thin = (payload: object) => of('POSSettlementCreated', payload)
    const full = (payload: object) => of('POSSettlementCreated', payload, { origin: 'pull', subscription: null })
    const sparser = thin(settlement())
    const [out] = await storage.accept([sparser])
    expect(await claim(storage)).toHaveLength(1)
    // Not out: nothing of it is owed before tomorrow.
    const [waiting] = await storage.accept([
      arrival({ kind: 'POSSettlementCreated', identity: 'other', deliveries: [] }),
    ])
    const completes = { event: out?.id ?? 0, bodyHash: sparser.bodyHash }
    const alone = await storage.accept([arrival({ kind: 'POSSettlementCreated', identity: 'other', deliveries: [] })])
    expect(alone).toMatchObject([{ status: 'duplicate', id: waiting?.id, comparable: true }])
    const both = await storage.accept([
      { ...full(pulledSettlement()), completes },
      arrival({ kind: 'POSSettlementCreated', identity: 'other', deliveries: [] }),
    ])
    expect(both).toMatchObject([
      { status: 'duplicate', id: out?.id, completed: false },
      { status: 'duplicate', id: waiting?.id, comparable: true },
    ])
  })
})
