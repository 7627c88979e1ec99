import type { Config } from '../config/config.ts'
import { createLogger, type Logger } from '../lib/logger.ts'

type Level = Config['log']['level']

/** Where the hub says what it does, at the level of its config. A logger that a test brings says everything. */
export function loggerOf({ level }: Config['log'], given?: Logger): { logger: Logger; setLevel(level: Level): void } {
  if (given) return { logger: given, setLevel() {} }
  const logger = createLogger(level)
  return {
    logger,
    setLevel(next) {
      logger.level = next
    },
  }
}
