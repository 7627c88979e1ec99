import { pino } from 'pino'
import type { Config } from '../config/config.ts'
import type { LogTrouble } from '../domain/health/storage-health.ts'
import { createLogger, type Logger } from '../lib/logger.ts'

export function loggerOf({ level }: Config['log'], given?: Logger) {
  if (given) return { logger: given, logTrouble: () => null, setLevel() {} }
  const { stream, trouble } = openLogOutput()
  const logger = createLogger(level, stream)
  return {
    logger,
    logTrouble: trouble,
    setLevel(next: Config['log']['level']) {
      logger.level = next
    },
  }
}

/** Bytes of buffered log lines: output may block for days. */
const MOST_WAITING = 8 * 1024 * 1024

/** Asynchronous stdout, flushed within half a second. If blocked, lines are buffered, then dropped. */
function openLogOutput() {
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
  return { stream, trouble: () => trouble }
}
