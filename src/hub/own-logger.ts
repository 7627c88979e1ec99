import type { Config } from '../config/config.ts'
import type { LogTrouble } from '../domain/health/storage-health.ts'
import { createLogger, type Logger } from '../lib/logger.ts'
import { openLogOutput } from './guards/log-output.ts'

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
