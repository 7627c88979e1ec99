import { workerData } from 'node:worker_threads'
import { unpack } from '../packing.ts'
import { serveSideBySide } from '../serve.ts'
import { createAccept } from './accepting.ts'
import type { ThreadData } from './accepting-aside.ts'
import { createConnections, createPool } from './server/pool.ts'

/* Takes arrivals, in a thread of its own: see accepting-aside.ts. */

const { address, connections, sameBytesWindow } = workerData as ThreadData
const db = createPool(createConnections(address, connections), address)
const accept = createAccept(db, sameBytesWindow)

serveSideBySide(async ({ method, args }) => {
  if (method === 'close') return await db[Symbol.asyncDispose]()
  return await accept(unpack(...(args as [string, Uint8Array])))
})
