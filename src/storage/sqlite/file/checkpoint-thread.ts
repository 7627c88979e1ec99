import Database from 'better-sqlite3'
import { oneByOne, serve } from '../../../lib/thread.ts'

const ROUNDS = 3
const SMALL = 64

/** Copies the WAL into the file on its own connection while the writer commits; answers the pages left. */
serve(({ path }: { path: string }) => ({
  run: oneByOne(() => {
    const db = new Database(path, { fileMustExist: true })
    try {
      db.pragma('synchronous = full')
      let left = copy(db)
      for (let round = 1; round < ROUNDS && left > SMALL; round++) left = copy(db)
      return left
    } finally {
      db.close()
    }
  }),
}))

function copy(db: Database.Database): number {
  const [at] = db.pragma('wal_checkpoint(passive)') as { log: number; checkpointed: number }[]
  return at ? at.log - at.checkpointed : 0
}
