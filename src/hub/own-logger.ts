import { type DestinationStream, pino } from 'pino'
import type { Config } from '../config/config.ts'
import type { LogTrouble } from '../domain/health/storage-health.ts'
import { createLogger, type Logger } from '../lib/logger.ts'

type Level = Config['log']['level']

interface OwnLogger {
  logger: Logger
  logTrouble(): LogTrouble | null
  setLevel(level: Level): void
}

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

interface LogOutput extends DestinationStream {
  trouble(): LogTrouble | null
}

/** Bytes of buffered log lines: output may block for days. */
const MOST_WAITING = 8 * 1024 * 1024

/** Asynchronous stdout, flushed within half a second. If blocked, lines are buffered, then dropped. */
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
  // flushSync at exit would loop for ever on a full disk: drop instead.
  const flushSync = stream.flushSync.bind(stream)
  stream.flushSync = () => {
    if (trouble === null) flushSync()
  }
  return Object.assign(stream, { trouble: () => trouble })
}
