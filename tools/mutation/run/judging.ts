import { resolve } from 'node:path'
import { failureOf, type Session, type Task } from './session.ts'
import type { Switch } from './switch.ts'
import type { Line, Question, Run } from './work.ts'

/** Times as long as without a mutant, and so much more, is a timeout (milliseconds). */
export interface Patience {
  times: number
  ms: number
}

/** A test that takes so long does so many things at once that it may fail by itself now and then (milliseconds). */
const SLOW = 1_000

/** A process that has become larger than this is replaced (bytes). */
const LARGEST = 1_400_000_000

/**
 * Judges one mutant after another: its tests, file by file, until one fails. Where a failure may be the runner's own doing (a test that
 * leans on one before it, which was left out; a slow one that fails now and then), the same tests run again without the mutant: what fails
 * then kills nothing.
 */
export function createJudging(
  { active }: Switch,
  questions: readonly Question[],
  patience: Patience,
  write: (line: Line) => void,
  /** How large the process is by now (bytes). */
  size: () => number = process.memoryUsage.rss,
): Session {
  const rest = [...questions]
  /** Tests that were seen to pass by themselves. */
  const trusted = new Set<string>()
  let question: Question | undefined
  let runs: Run[] = []
  let run: Run | undefined
  /** The failure that is being looked at again, without the mutant. */
  let doubted: { id: string; name: string } | null = null
  let failed = false

  function ask(): void {
    question = rest.shift()
    runs = [...(question?.runs ?? [])]
    run = runs.shift()
  }

  function judge(result: 'killed' | 'survived', by: string | null): void {
    if (question) write({ type: 'judged', mutant: question.mutant, result, by })
    run = undefined
  }

  function goOn(): void {
    run = runs.shift()
    if (!run) judge('survived', null)
  }

  function isTrusted(id: string, { tests, ms }: Run): boolean {
    return trusted.has(id) || (tests === null && ms < SLOW)
  }

  return {
    next() {
      if (!run && !doubted) {
        if (size() > LARGEST) return null
        ask()
      }
      if (!question || !run) return null
      failed = false
      active[0] = doubted ? -1 : question.mutant
      write({ type: 'begun', what: `${question.mutant} ${run.file}`, budget: patience.times * run.ms + patience.ms })
      return { filepath: resolve(run.file), ...(run.tests && { testIds: run.tests }) }
    },
    wants: () => !failed,
    loaded: () => undefined,
    testBegins: () => undefined,
    testEnded(test) {
      if (test.result?.state === 'fail') failed = true
    },
    fileEnded(file: Task) {
      if (!run) return
      const failure = failureOf(file)
      if (doubted) {
        const { id, name } = doubted
        doubted = null
        if (failure) return goOn()
        if (run.ms < SLOW) trusted.add(id)
        return judge('killed', `${run.file}: ${name}`)
      }
      if (!failure) return goOn()
      if (isTrusted(failure.id, run)) return judge('killed', `${run.file}: ${failure.name}`)
      doubted = failure
    },
  }
}
