import { type DestinationStream, pino } from 'pino'
import type { LogTrouble } from '../../domain/health/storage-health.ts'

/** Where lines of the log go, and how that goes. */
export interface LogOutput extends DestinationStream {
  /** Why they do not get there; null: they do. */
  trouble(): LogTrouble | null
}

/** Lines that wait to be written, so many bytes at most: what takes them may stand still, or have no room, for days. */
const MOST_WAITING = 8 * 1024 * 1024

/**
 * Standard output, written behind the hub's back so that a log line never waits for the disk; within half a second they are out. Where
 * they cannot be, the hub works on: what found no room is tried again, and what does not fit any more is lost.
 */
export function openLogOutput(): LogOutput {
  const stream = pino.destination({
    ...{ dest: 1, sync: false, minLength: 4_096, periodicFlush: 500, maxLength: MOST_WAITING },
  })
  let trouble: LogTrouble | null = null
  const met = () => {
    trouble ??= { code: null, since: Date.now(), lost: 0 }
    return trouble
  }
  stream.on('error', (error: NodeJS.ErrnoException) => {
    met().code = error.code ?? error.name
  })
  stream.on('drop', () => {
    met().lost += 1
  })
  stream.on('write', () => {
    trouble = null
  })
  // At the end of the process it tries for ever where there is no room: what waits then is lost.
  const flushSync = stream.flushSync.bind(stream)
  stream.flushSync = () => {
    if (trouble === null) flushSync()
  }
  return Object.assign(stream, { trouble: () => trouble })
}
