import type { Patience } from './judging.ts'

/** What one process is to do: learn which tests meet which mutants, or judge some. */
export type Work =
  | { type: 'meet'; files: string[]; lines: string }
  | { type: 'judge'; questions: Question[]; patience: Patience; lines: string }

/** A mutant, and the tests that meet it, the cheapest file first. */
export interface Question {
  mutant: number
  runs: Run[]
}

/** Tests of one file. */
export interface Run {
  file: string
  /** Their ids; null: all of the file. */
  tests: string[] | null
  /** How long they take without a mutant (milliseconds). */
  ms: number
}

/** What a process writes, a line each. */
export type Line =
  /** It begins with something that may not end: so long it may take (milliseconds). */
  | { type: 'begun'; what: string; budget: number }
  | ({ type: 'met' } & Met)
  | ({ type: 'judged' } & Verdict)
  /** It has done what it had to, or has grown too large: whoever started it starts another one for the rest. */
  | { type: 'ended' }

/** What a file of tests meets. */
export interface Met {
  file: string
  /** Until its tests begin. */
  loadMs: number
  /** While it loads, and before and after all tests (packed bits). */
  around: string
  tests: MetByTest[]
  /** Why it is left out; null: it is not. */
  fault: string | null
}

export interface MetByTest {
  id: string
  name: string
  ms: number
  passed: boolean
  met: string
}

export interface Verdict {
  mutant: number
  result: 'killed' | 'survived' | 'timeout'
  /** The test that failed, or was at work when time was over. */
  by: string | null
}
