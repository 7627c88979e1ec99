import { type DestinationStream, pino } from 'pino'
import type { Config } from '../config/config.ts'
import type { LogTrouble } from '../domain/health/storage-health.ts'
import { createLogger, type Logger } from '../lib/logger.ts'

type Level = Config['log']['level']

interface OwnLogger {
  logger: Logger
  /** Why lines do not get where they go; null: they do. */
  logTrouble(): LogTrouble | null
  setLevel(level: Level): void
}

/** Where the hub says what it does, at the level of its config. A logger that a test brings says everything. */
export function loggerOf({ level }: Config['log'], given?: Logger): OwnLogger {
  if (given) return { logger: given, logTrouble: () => null, setLevel() {} }
  const output = openLogOutput()
  const logger = createLogger(level, output)
  return {
    logger,
    logTrouble: output.trouble,
    setLevel(next) {
      logger.level = next
    },
  }
}

/** Where lines of the log go, and how that goes. */
interface LogOutput extends DestinationStream {
  /** Why they do not get there; null: they do. */
  trouble(): LogTrouble | null
}

/** Lines that wait to be written, so many bytes at most: what takes them may stand still, or have no room, for days. */
const MOST_WAITING = 8 * 1024 * 1024

/**
 * Standard output, written behind the hub's back so that a log line never waits for the disk; within half a second they are out. Where
 * they cannot be, the hub works on: what found no room is tried again, and what does not fit any more is lost.
 */
function openLogOutput(): LogOutput {
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
