import { createPace, readRetentionState } from '../../../src/jobs/retention/ageing.ts'
import { prune } from '../../../src/jobs/retention/retention.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/storage.ts'
import { AGES } from './pruned-store.ts'

/* Prunes a file, and tells of each slice before it: `node pruning-process.ts <file> <now>`. */

const [path = '', now = ''] = process.argv.slice(2)
const storage = await openSqliteStorage({ path, sameBytesWindow: 0, clock: () => Number(now) })
const { signal } = new AbortController()
const pace = createPace({ rest: async () => {}, signal })
await prune({
  storage,
  ages: AGES,
  now: Number(now),
  state: readRetentionState(null),
  pace: {
    slice: (work) => {
      process.send?.('slice')
      return pace.slice(() => work(20))
    },
  },
  signal,
  saved: async () => {},
  archive: null,
})
await storage[Symbol.asyncDispose]()
process.disconnect()
