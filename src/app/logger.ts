import { pino } from 'pino'
import type { Config } from '../config/config.ts'
import type { LogFailure } from '../domain/health/storage-health.ts'
import { createLogger, type Logger } from '../lib/logger.ts'

export function loggerOf({ level }: Config['log'], given?: Logger) {
  if (given) return { logger: given, logFailure: () => null, setLevel() {} }
  const { stream, failure } = openLogOutput()
  const logger = createLogger(level, stream)
  return {
    logger,
    logFailure: failure,
    setLevel(next: Config['log']['level']) {
      logger.level = next
    },
  }
}

/** Bytes of buffered log lines: output may block for days. */
const MAX_WAITING = 8 * 1024 * 1024

/** Asynchronous stdout, flushed within half a second. If blocked, lines are buffered, then dropped. */
function openLogOutput() {
  const stream = pino.destination({
    ...{ dest: 1, sync: false, minLength: 4_096, periodicFlush: 500, maxLength: MAX_WAITING },
  })
  let failure: LogFailure | null = null
  const met = () => {
    failure ??= { code: null, since: Date.now(), lost: 0 }
    return failure
  }
  stream.on('error', (error: NodeJS.ErrnoException) => {
    met().code = error.code ?? error.name
  })
  stream.on('drop', () => {
    met().lost += 1
  })
  stream.on('write', () => {
    failure = null
  })
  // flushSync at exit would loop for ever on a full disk: drop instead.
  const flushSync = stream.flushSync.bind(stream)
  stream.flushSync = () => {
    if (failure === null) flushSync()
  }
  return { stream, failure: () => failure }
}
