import { serve, sideBySide } from '../../lib/thread.ts'
import { unpack } from '../accepting.ts'
import { createAccepting, type ThreadData } from './accepting.ts'
import { createConnections, createPool } from './server/pool.ts'

serve(({ address, connections, sameBytesWindow }: ThreadData) => {
  const db = createPool(createConnections(address, connections), address)
  const accepting = createAccepting(db, sameBytesWindow)
  return {
    run: sideBySide(async ({ method, args }) =>
      method === 'tryOne'
        ? await accepting.tryOne(args[0] as number)
        : await accepting.accept(unpack(...(args as [string, Uint8Array]))),
    ),
    end: () => db[Symbol.asyncDispose](),
  }
})
