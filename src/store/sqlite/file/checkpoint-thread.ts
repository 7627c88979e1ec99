import Database from 'better-sqlite3'
import { failure, serve } from '../../serve.ts'

/** The most rounds: while one copies, the writer adds what the next has to copy. */
const ROUNDS = 3

/** How few pages left are not worth another round. */
const FEW = 64

/** Copies what the WAL holds into the file, from a connection of its own, and says how many pages are left: the writer commits on meanwhile. */
serve(({ path }: { path: string }) => ({
  run(operations) {
    try {
      const db = new Database(path, { fileMustExist: true })
      try {
        db.pragma('synchronous = full')
        let left = copy(db)
        for (let round = 1; round < ROUNDS && left > FEW; round++) left = copy(db)
        return operations.map(() => ({ value: left }))
      } finally {
        db.close()
      }
    } catch (error) {
      return operations.map(() => failure(error))
    }
  },
}))

/** How many pages are left. */
function copy(db: Database.Database): number {
  const [at] = db.pragma('wal_checkpoint(passive)') as { log: number; checkpointed: number }[]
  return at ? at.log - at.checkpointed : 0
}
