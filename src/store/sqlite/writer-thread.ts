import type { Database } from 'better-sqlite3'
import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Operation, Result } from '../../lib/thread.ts'
import { failure, type Service, serve } from '../serve.ts'
import { lockOut, missingMigrations, openForWriting } from './file/connection.ts'
import { isFull, isUnavailable } from './file/unavailable.ts'
import { openWriter, runTogether, transaction } from './writer.ts'

/*
 * The one writer of the file, in a thread of its own: a commit or a checkpoint never keeps the hub from answering.
 * Operations come in groups; a group is one transaction, and one sync to disk.
 */

serve(writing)

function writing({ path, sameBytesWindow }: { path: string; sameBytesWindow: number }): Service {
  /** Held until the end, also while the file is closed. */
  let lock: Database | null = null
  let open: ReturnType<typeof openWriter> | null = null

  return {
    run(operations) {
      try {
        return answer(operations)
      } catch (error) {
        if (isFull(error)) shrinkWal()
        if (isUnavailable(error)) close()
        const result = failure(error)
        return operations.map(() => result)
      }
    },
    end() {
      close()
      lock?.close()
      lock = null
    },
  }

  function answer(operations: Operation[]): Result[] {
    const [first] = operations
    if (first?.method === 'open') return [{ value: openFile(first.args[0] as Instant) }]
    if (first?.method === 'checkpoint') return [{ value: open?.db.pragma('wal_checkpoint(passive)') }]
    open ??= openWriter(path, sameBytesWindow)
    return runTogether(open, operations)
  }

  /** Locks and opens the file. True: ready. False: it lacks migrations (closed again, still locked). */
  function openFile(now: Instant): boolean {
    lock ??= lockOut(path)
    const db = openForWriting(path)
    const missing = missingMigrations(db)
    if (missing !== 0) {
      db.close()
      if (missing > 0) return false
      throw new UserError(
        `${path} was written by a newer Tillbridge. Run that version, or restore a copy from before its upgrade.`,
      )
    }
    // Claims live in memory: whatever is still on the wire was on it when the last process ended.
    db.exec(`update deliveries set state = 'waiting' where state = 'claimed'`)
    db.close()
    const writer = openWriter(path, sameBytesWindow)
    transaction(writer, () => writer.takeOver(now))
    open = writer
    return true
  }

  /** The WAL may be what fills the disk. */
  function shrinkWal() {
    try {
      open?.db.pragma('wal_checkpoint(truncate)')
    } catch {
      // No room for that either.
    }
  }

  /** A connection that met a full or lost disk is not trusted further: the next group opens a new one. */
  function close() {
    try {
      open?.db.close()
    } catch {
      // The connection could not even close; the next one starts afresh all the same.
    }
    open = null
  }
}
