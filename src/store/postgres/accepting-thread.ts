import { workerData } from 'node:worker_threads'
import { unpack } from '../packing.ts'
import { serveSideBySide } from '../serve.ts'
import { COMMITS_AT_ONCE, createAcceptingTogether } from './accepting-together.ts'
import type { Address } from './address.ts'
import { createConnections, createPool } from './pool.ts'

/* Takes arrivals, in a thread of its own: see accepting-aside.ts. */

const { address, sameBytesWindow } = workerData as { address: Address; sameBytesWindow: number }
const db = createPool(createConnections(address, COMMITS_AT_ONCE), address)
const accept = createAcceptingTogether(db, sameBytesWindow)

serveSideBySide(async ({ method, args }) => {
  if (method === 'close') return await db[Symbol.asyncDispose]()
  return await accept(unpack(...(args as [string, Uint8Array])))
})
