import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Mutant } from './mutant.ts'
import type { Verdict } from './run/work.ts'

/** What became of a mutant; `uncovered`: no test meets it. */
export interface Result {
  key: string
  result: Verdict['result'] | 'uncovered'
  by: string | null
  /** Only the room's own tests were asked. */
  own: boolean
}

/** What became of every mutant that was judged, by its key; kept as it comes, so that a run that was ended goes on. */
export function openResults(path: string) {
  const results = new Map<string, Result>()
  if (existsSync(path))
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const result = JSON.parse(line) as Result
      results.set(result.key, result)
    }
  return {
    of: ({ key }: Mutant) => results.get(key),
    add(result: Result): void {
      results.set(result.key, result)
      appendFileSync(path, `${JSON.stringify(result)}\n`)
    },
  }
}
