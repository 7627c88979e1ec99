import { toWrites } from '../finding-text.ts'
import { toKeptRow } from '../mirror-text.ts'
import type { createOpening } from '../opening.ts'
import type { Store } from '../store.ts'
import type { createKnownApiKeys } from './known-api-keys.ts'
import type { createPipe } from './lanes/pipe.ts'
import type { createDirectory } from './reads/directory.ts'
import type { createReader } from './reads/reader.ts'

/** The places of the records: the thread that writes, the one that reads for people, and the one that looks customers up. */
interface Means {
  pipe: ReturnType<typeof createPipe>
  keys: ReturnType<typeof createKnownApiKeys>
  reader: ReturnType<typeof createReader>
  directory: ReturnType<typeof createDirectory>
  opening: Pick<ReturnType<typeof createOpening>, 'whenOpen' | 'whileOpen'>
}

/** The records beside the queue: jobs, stores, uses of operations, API keys, customers, the mirror, findings and the ledger. */
export function createRecords({ pipe, keys, reader, directory, opening }: Means) {
  const { whenOpen, whileOpen } = opening

  return {
    // Read by the writer's thread: the one that reads for people is started by the first of them, not by each start.
    async jobs() {
      whenOpen()
      return await pipe.call('jobs', [])
    },
    async beginJob(name, start) {
      whenOpen()
      return await pipe.call('beginJob', [name, start])
    },
    async renewJob(name, fence, lease) {
      whenOpen()
      return await pipe.call('renewJob', [name, fence, lease])
    },
    async saveJob(name, fence, state) {
      whenOpen()
      await pipe.call('saveJob', [name, fence, state])
    },
    async endJob(name, fence, end) {
      whenOpen()
      return await pipe.call('endJob', [name, fence, end])
    },

    async stores() {
      whenOpen()
      return await pipe.call('stores', [])
    },
    async saveStores(records, now) {
      whenOpen()
      await pipe.call('saveStores', [records, now])
    },
    async formerPlaces() {
      whenOpen()
      return await pipe.call('formerPlaces', [])
    },
    // There is no other hub.
    onStores() {},

    async endpointUses() {
      whenOpen()
      return await pipe.call('endpointUses', [])
    },
    async noteEndpointUse(use, now) {
      whenOpen()
      await pipe.call('noteEndpointUse', [use, now])
    },

    async apiKeys() {
      whenOpen()
      return keys.all()
    },
    async apiKey(id) {
      whenOpen()
      return keys.find(id)
    },
    async createApiKey(key) {
      whenOpen()
      await keys.create(key)
    },
    async apiKeyUsed(id, at) {
      whenOpen()
      await keys.used(id, at)
    },
    async revokeApiKey(id, by, at) {
      whenOpen()
      return await keys.revoke(id, by, at)
    },

    async saveCustomers(customers, now) {
      whenOpen()
      await pipe.call('saveCustomers', [customers, now])
    },
    async rememberCustomers(customers, now) {
      whenOpen()
      await pipe.call('rememberCustomers', [customers, now])
    },
    async dropCustomer(customerId) {
      whenOpen()
      await pipe.call('dropCustomer', [customerId])
    },
    findCustomers: whileOpen(directory.find),
    customerCount: whileOpen(directory.count),
    bodies: whileOpen(reader.bodies),
    givenPage: whileOpen(reader.givenPage),
    customersPage: whileOpen(reader.customersPage),

    async saveMirror(changes, now) {
      whenOpen()
      // As JSON text: to clone so many objects would take twice as long.
      await pipe.call('saveMirror', [JSON.stringify(changes), now])
    },
    // Read by the writer's thread, in 2 ms for 500 rows: it changes the same rows a moment later, and has their pages in memory
    // then. The thread that reads for people would make it wait for their lists. Pages are read there all the same: many rows.
    async mirrorRows(set, keys) {
      whenOpen()
      return (await pipe.call('mirrorRows', [set, JSON.stringify(keys)])).map(toKeptRow)
    },
    mirrorPage: whileOpen(reader.mirrorPage),

    async saveFindings(changes) {
      whenOpen()
      await pipe.call('saveFindings', [toWrites(changes)])
    },
    async findings(filter, after, limit) {
      whenOpen()
      return await reader.findings(filter, after, limit)
    },
    async findingKeys(sort, keys) {
      whenOpen()
      return new Set(await pipe.call('findingKeys', [sort, keys]))
    },

    async saveLedger(change, now) {
      whenOpen()
      await pipe.call('saveLedger', [change, now])
    },
    gaps: whileOpen(reader.gaps),
    oldestGaps: whileOpen(reader.oldestGaps),
    gapCounts: whileOpen(reader.gapCounts),
    async covered(road, scope) {
      whenOpen()
      return await pipe.call('covered', [road, scope])
    },
    async watermarks() {
      whenOpen()
      return await pipe.call('watermarks', [])
    },
  } satisfies Partial<Store>
}
