import { describe, expect, test } from 'vitest'
import { createJudging } from '../../tools/mutation/run/judging.ts'
import type { Task } from '../../tools/mutation/run/session.ts'
import type { Line, Question, Run } from '../../tools/mutation/run/work.ts'

const PATIENCE = { times: 5, ms: 1_000 }

/** Plays runs of files: `fails` says which test fails with which mutant (-1: none). Gives back what was written, and what was run. */
function play(questions: Question[], fails: (run: { file: string; mutant: number; turn: number }) => string | null) {
  const lines: Line[] = []
  const ran: string[] = []
  const active = new Int32Array([-1])
  const write = (line: Line) => void lines.push(line)
  const session = createJudging({ active, met: new Uint8Array(9) }, questions, PATIENCE, write, () => 0)
  for (let next = session.next(); next; next = session.next()) {
    const file = next.filepath.split('/').at(-1) ?? ''
    const mutant = active[0] ?? -1
    ran.push(`${file} ${mutant}`)
    const failed = fails({ file, mutant, turn: ran.length })
    const test: Task = {
      id: failed ?? 'ok',
      name: failed ?? 'ok',
      type: 'test',
      mode: 'run',
      result: { state: failed ? 'fail' : 'pass' },
    }
    session.testEnded(test)
    expect(session.wants(test)).toBe(failed === null)
    session.fileEnded({ id: file, name: file, type: 'suite', mode: 'run', tasks: [test] })
  }
  const judged = lines.flatMap((line) => (line.type === 'judged' ? [[line.mutant, line.result, line.by]] : []))
  return { judged, ran, lines }
}

const run = (file: string, given: Partial<Run> = {}): Run => ({ file, tests: null, ms: 10, ...given })

describe('who judges mutants', () => {
  test('when a test fails, then the mutant is killed, and no dearer file is asked', () => {
    const { judged, ran } = play([{ mutant: 4, runs: [run('a'), run('b'), run('c')] }], ({ file }) =>
      file === 'b' ? 't' : null,
    )
    expect(judged).toEqual([[4, 'killed', 'b: t']])
    expect(ran).toEqual(['a 4', 'b 4'])
  })

  test('when no test fails, then it survives, and the next one is judged', () => {
    const questions = [4, 5].map((mutant) => ({ mutant, runs: [run('a')] }))
    const { judged } = play(questions, ({ mutant }) => (mutant === 5 ? 't' : null))
    expect(judged).toEqual([
      [4, 'survived', null],
      [5, 'killed', 'a: t'],
    ])
  })

  test('when a test was run without those before it, then its failure counts only if it passes so without the mutant', () => {
    const part = run('a', { tests: ['t'] })
    const leaning = play([{ mutant: 4, runs: [part] }], () => 't')
    expect(leaning.ran).toEqual(['a 4', 'a -1'])
    expect(leaning.judged).toEqual([[4, 'survived', null]])

    const sound = play(
      [4, 5].map((mutant) => ({ mutant, runs: [part] })),
      ({ mutant }) => (mutant < 0 ? null : 't'),
    )
    expect(sound.judged).toEqual([
      [4, 'killed', 'a: t'],
      [5, 'killed', 'a: t'],
    ])
    // Once it was seen to stand by itself, it is believed.
    expect(sound.ran).toEqual(['a 4', 'a -1', 'a 5'])
  })

  test('when a test is slow, then each of its failures is looked at again without the mutant', () => {
    const slow = run('a', { ms: 3_000 })
    const { ran } = play(
      [4, 5].map((mutant) => ({ mutant, runs: [slow] })),
      ({ mutant }) => (mutant < 0 ? null : 't'),
    )
    expect(ran).toEqual(['a 4', 'a -1', 'a 5', 'a -1'])
  })

  test('when a failure is nobody’s, then the next file is asked', () => {
    const { judged } = play([{ mutant: 4, runs: [run('a', { tests: ['t'] }), run('b')] }], ({ file }) =>
      file === 'a' ? 't' : null,
    )
    expect(judged).toEqual([[4, 'survived', null]])
  })

  test('when a file is begun, then it is said how long it may take', () => {
    const { lines } = play([{ mutant: 4, runs: [run('a', { ms: 200 })] }], () => null)
    expect(lines[0]).toEqual({ type: 'begun', what: '4 a', budget: 2_000 })
  })
})
