import type { Database } from 'better-sqlite3'
import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { failure, type Service, serve } from '../../lib/thread.ts'
import { createSlices } from './deleting.ts'
import { createInFlight } from './delivering.ts'
import { lazily, lockOut, missingMigrations, openAgain, openForWriting } from './file/connection.ts'
import { isFull, isUnavailable } from './file/unavailable.ts'
import { openWriter, runTogether, transaction } from './writer.ts'

/* The one writer, in a thread: commits never block the hub. A group of operations is one transaction and one sync. */

const IN_FLIGHT_MS = 20

serve(writing)

function writing({ path, sameBytesWindow }: { path: string; sameBytesWindow: number }): Service {
  let lock: Database | null = null
  let open: ReturnType<typeof openWriter> | null = null
  const inFlight = createInFlight()
  let nextWrite: NodeJS.Timeout | null = null
  let wroteAt = 0

  /** Alone, outside of the writer's transactions. */
  const alone: Record<string, (...args: never[]) => unknown> = {
    open: openFile,
    checkpoint: () => open?.db.pragma('wal_checkpoint(passive)'),
    'wal-pages': pagesOfWal,
    'empty-wal': emptyWal,
    'in-flight': track,
    'purge-due': isPurgeDue,
    purge,
    'note-purge': notePurge,
  }

  return {
    run(operations) {
      try {
        const [first] = operations
        const method = first && alone[first.method]
        if (method) return [{ value: method(...(first.args as never[])) }]
        const results = runTogether(open ?? opened(), operations)
        writeInFlightSoon()
        return results
      } catch (error) {
        if (isFull(error)) shrinkWal()
        if (isUnavailable(error)) close()
        const result = failure(error)
        return operations.map(() => result)
      }
    },
    end() {
      clearTimeout(nextWrite ?? undefined)
      if (inFlight.changed.size > 0) writeInFlight()
      close()
      lock?.close()
      lock = null
    },
  }

  function track(claimed: readonly number[], returned: readonly number[]): void {
    const { current, changed } = inFlight
    for (const id of claimed) {
      current.add(id)
      changed.add(id)
    }
    for (const id of returned) if (current.delete(id)) changed.add(id)
    writeInFlightSoon()
  }

  /** Under load most has ended by the next write. */
  function writeInFlightSoon(): void {
    if (nextWrite !== null || inFlight.changed.size === 0) return
    nextWrite = setTimeout(writeInFlight, Math.max(0, wroteAt + IN_FLIGHT_MS - performance.now()))
  }

  function writeInFlight(): void {
    nextWrite = null
    wroteAt = performance.now()
    try {
      open?.writeInFlight()
    } catch {
      close()
    }
  }

  /** False: it lacks migrations (closed again, still locked). */
  function openFile(now: Instant, allKeys: boolean): boolean {
    lock ??= lockOut(path)
    const db = lazily(openForWriting(path))
    const missing = missingMigrations(db)
    if (missing !== 0) {
      db.close()
      if (missing > 0) return false
      throw new UserError(
        `${path} was written by a newer Tillbridge. Run that version, or restore a copy from before its upgrade.`,
      )
    }
    const writer = openWriter(db, sameBytesWindow, createSlices(), inFlight)
    transaction(writer, () => writer.takeOver(now, allKeys))
    open = writer
    return true
  }

  function pagesOfWal(): number {
    const [at] = (open?.db.pragma('wal_checkpoint(noop)') ?? []) as { log: number; checkpointed: number }[]
    return at ? at.log - at.checkpointed : 0
  }

  function emptyWal(): boolean {
    const { db } = opened()
    const wait = Number(db.pragma('busy_timeout', { simple: true }))
    db.pragma('busy_timeout = 0')
    const [{ busy } = { busy: 1 }] = db.pragma('wal_checkpoint(truncate)') as { busy: number }[]
    db.pragma(`busy_timeout = ${wait}`)
    return busy === 0
  }

  /** VACUUM unless larger than `most`; noted as due, durably, before. */
  function purge(most: number): boolean {
    const { db } = opened()
    notePurge(1)
    if (pragma('page_count') * pragma('page_size') > most) return false
    db.exec('vacuum')
    return true
  }

  function notePurge(due: 0 | 1): void {
    opened().db.pragma(`user_version = ${due}`)
  }

  function isPurgeDue(): boolean {
    return pragma('user_version') === 1
  }

  function pragma(name: string): number {
    return Number(opened().db.pragma(name, { simple: true }))
  }

  function opened(): ReturnType<typeof openWriter> {
    open ??= openWriter(lazily(openAgain(path)), sameBytesWindow, createSlices(), inFlight)
    return open
  }

  /** The WAL may be what fills the disk. */
  function shrinkWal() {
    try {
      open?.db.pragma('wal_checkpoint(truncate)')
    } catch {}
  }

  function close() {
    try {
      open?.db.close()
    } catch {}
    open = null
  }
}
