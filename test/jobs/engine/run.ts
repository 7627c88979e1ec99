import type { Job } from '../../../src/jobs/engine/job.ts'
import { createLogger, type Logger } from '../../../src/lib/logger.ts'

/** A job that is run by hand; its state goes through JSON, as in the store. */
export interface Runner {
  /** Runs it once and releases its note. `asked`: a person wants it. */
  run(how?: AbortSignal | { asked: boolean }): Promise<string>
  state: unknown
}

export function createRunner(job: Pick<Job, 'run'>, now: () => number = Date.now): Runner {
  const runner: Runner = {
    state: null,
    async run(how = { asked: false }) {
      const result = await job.run({
        now: now(),
        asked: 'asked' in how && how.asked,
        signal: 'asked' in how ? new AbortController().signal : how,
        state: runner.state,
        save: async (state) => keep(state),
      })
      if (result.state !== undefined) keep(result.state)
      return result.note
    },
  }
  return runner

  function keep(state: unknown): void {
    runner.state = JSON.parse(JSON.stringify(state))
  }
}

export function createTestLogger(): {
  logger: Logger
  lines: ({ level: number; msg: string } & Record<string, unknown>)[]
} {
  const lines: ({ level: number; msg: string } & Record<string, unknown>)[] = []
  return { lines, logger: createLogger('debug', { write: (line: string) => void lines.push(JSON.parse(line)) }) }
}
