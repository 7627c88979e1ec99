import { describe, expect, test } from 'vitest'
import { createPlan } from '../../tools/mutation/plan.ts'
import { packBits } from '../../tools/mutation/run/bits.ts'
import { createMeeting } from '../../tools/mutation/run/meeting.ts'
import type { Task } from '../../tools/mutation/run/session.ts'
import type { Line, Met } from '../../tools/mutation/run/work.ts'

const bits = (...ids: number[]) => packBits(Uint8Array.from({ length: 20 }, (_, id) => (ids.includes(id) ? 1 : 0)))

const LIMITS = { files: 9, ms: 5_000 }
/** One source file has the mutants below ten, another the rest. */
const whereIs = (id: number) => ({
  siblings: Array.from({ length: 10 }, (_, index) => index + (id < 10 ? 0 : 10)),
  mirror: 'test/domain/queue/',
})

function met(file: string, given: Partial<Met> = {}): Met {
  return { file, loadMs: 100, around: bits(), tests: [one('t1', [3]), one('t2', [4, 17])], fault: null, ...given }
}

function one(id: string, ids: number[], passed = true) {
  return { id, name: id, ms: 10, passed, met: bits(...ids) }
}

describe('which tests judge a mutant', () => {
  test('when tests meet it, then those do, the cheapest file first', () => {
    const plan = createPlan(
      [met('dear', { loadMs: 900 }), met('cheap'), met('other', { tests: [one('t', [5])] })],
      LIMITS,
      whereIs,
    )
    expect(plan(17).runs).toEqual([
      { file: 'cheap', ms: 110, tests: ['t2'] },
      { file: 'dear', ms: 910, tests: ['t2'] },
    ])
  })

  test('when a file meets it while it loads, then all of its tests do', () => {
    expect(createPlan([met('a', { around: bits(8) })], LIMITS, whereIs)(8).runs).toEqual([
      { file: 'a', ms: 120, tests: null },
    ])
  })

  test('when it is met while files load, then those are asked whose tests come by the same source file', () => {
    const loads = { around: bits(8) }
    const plan = createPlan(
      [
        met('cheap', { ...loads, loadMs: 1, tests: [one('t1', [15])] }),
        met('near', loads),
        met('other', { loadMs: 1 }),
      ],
      { ...LIMITS, files: 1 },
      whereIs,
    )
    expect(plan(8).runs).toEqual([{ file: 'near', ms: 120, tests: null }])
    const partly = met('partly', { ...loads, tests: [one('t1', [15]), one('t2', [3])] })
    expect(createPlan([partly], LIMITS, whereIs)(8).runs).toEqual([{ file: 'partly', ms: 110, tests: ['t2'] }])
  })

  test('when it is met while files load, then its own room and the tests of lists are asked, too', () => {
    const list = met('test/house/lists', { around: bits(8), loadMs: 900, tests: [one('t1', [])] })
    const own = met('test/domain/queue/a', { around: bits(8), tests: [one('t1', [])] })
    const plan = createPlan([met('near', { around: bits(8) }), own, list], { ...LIMITS, files: 2 }, whereIs)
    expect(plan(8).runs.map(({ file }) => file)).toEqual(['test/domain/queue/a', 'test/house/lists'])
  })

  test('when a test fails by itself, or a whole file does, then it judges nothing', () => {
    const plan = createPlan(
      [met('a', { tests: [one('t1', [3], false), one('t2', [3])] }), met('b', { fault: 'broken' })],
      LIMITS,
      whereIs,
    )
    expect(plan(3).runs).toEqual([{ file: 'a', ms: 110, tests: ['t2'] }])
  })

  test('when many files meet it, then so many are asked as was said', () => {
    expect(createPlan([met('a'), met('b'), met('c')], { ...LIMITS, files: 2 }, whereIs)(3).runs).toHaveLength(2)
  })

  test('when the tests of a file take too long, then the longest are left out', () => {
    const tests = [one('t1', [3]), { ...one('t2', [3]), ms: 90 }, one('t3', [3])]
    const plan = createPlan([met('a', { tests })], { ...LIMITS, ms: 50 }, whereIs)
    expect(plan(3).runs).toEqual([{ file: 'a', ms: 120, tests: ['t1', 't3'] }])
    expect(createPlan([met('a')], { ...LIMITS, ms: 1 }, whereIs)(3).runs).toHaveLength(1)
  })

  test('when all files together take too long, then the dearest are left out', () => {
    const plan = createPlan([met('a'), met('b'), met('c', { loadMs: 50 })], { ...LIMITS, ms: 180 }, whereIs)
    expect(plan(3).runs.map(({ file }) => file)).toEqual(['c', 'a'])
  })

  test('when a file would take longer than what is left, then as many of its tests are asked as that is enough for', () => {
    const many = ['t1', 't2', 't3', 't4'].map((id) => one(id, [3]))
    const within = (ms: number) =>
      createPlan([met('a'), met('contract', { tests: many })], { ...LIMITS, ms }, whereIs)(3).runs.slice(1)
    expect(within(250)).toEqual([{ file: 'contract', ms: 140, tests: null }])
    expect(within(249)).toEqual([{ file: 'contract', ms: 130, tests: ['t1', 't2', 't3'] }])
    expect([within(220), within(219)]).toEqual([[{ file: 'contract', ms: 110, tests: ['t1'] }], []])
  })

  test('when nobody meets it, then nobody is asked', () => {
    expect(createPlan([met('a')], LIMITS, whereIs)(9).runs).toEqual([])
  })
})

test('When a file is run without a mutant, then each test has what it met, and what was met around them is the file’s', () => {
  const lines: Line[] = []
  const all = new Uint8Array(20)
  const session = createMeeting({ active: new Int32Array(1), met: all }, ['a', 'b'], (line) => void lines.push(line))
  const test = (id: string, state: string): Task => ({
    id,
    name: id,
    type: 'test',
    mode: 'run',
    result: { state, duration: 5 },
  })
  const play = (task: Task, ids: number[]) => {
    session.testBegins()
    for (const id of ids) all[id] = 1
    session.testEnded(task)
  }
  expect(session.next()).toEqual({ filepath: 'a' })
  all[1] = 1
  session.loaded()
  const tests = [test('t1', 'pass'), test('t2', 'fail')]
  play(tests[0] as Task, [2])
  all[3] = 1
  play(tests[1] as Task, [2, 4])
  session.fileEnded({
    id: 'a',
    name: 'a',
    type: 'suite',
    mode: 'run',
    tasks: tests,
    filepath: `${process.cwd()}/a`,
  } as Task)
  const [, line] = lines as [Line, Line & Met]
  expect(line).toMatchObject({ type: 'met', file: 'a', around: bits(1, 3), fault: null })
  expect(line.tests.map(({ id, passed, met: of }) => [id, passed, of])).toEqual([
    ['t1', true, bits(2)],
    ['t2', false, bits(2, 4)],
  ])
  expect(session.next()).toEqual({ filepath: 'b' })
  expect(session.next()).toBeNull()
})
