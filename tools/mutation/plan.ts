import { hasBit, unpackBits } from './run/bits.ts'
import type { Met, Question, Run } from './run/work.ts'

interface TestFile {
  file: string
  loadMs: number
  around: Uint8Array
  tests: Test[]
  /** None of its tests is left out. */
  whole: boolean
}

interface Test {
  id: string
  ms: number
  met: Uint8Array
}

/** What is asked about one mutant at most: files, and how long all of their tests take without it (milliseconds). */
export interface Limits {
  files: number
  ms: number
}

/** The mutants of a mutant's source file, and the folder of tests that mirrors its folder (`test/domain/queue/`). */
export interface Whereabouts {
  siblings: readonly number[]
  mirror: string
}

/** Tests that hold lists of src against pages, and against each other. */
const LISTS = /^test\/(house\/|docs\.test)/

/** As near as no number of mutants is. */
const FIRST = 1_000_000

/** A file of tests that is asked, and how many mutants of the same source file its tests meet. */
interface Candidate {
  run: Run
  near: number
  /** The same with as many of its tests as this time is enough for (milliseconds); null: for none. */
  within(ms: number): Run | null
}

/**
 * Says which tests judge a mutant: those that meet it and pass without it. What runs while files are loaded is met by nearly all of them:
 * then those of the room itself are asked, and those whose tests come by the most of the same source file. Of the files that are asked, the cheapest is first.
 */
export function createPlan(
  met: Iterable<Met>,
  limits: Limits,
  whereIs: (mutant: number) => Whereabouts,
): (mutant: number) => Question {
  const files = [...met].filter(({ fault }) => fault === null).map(unpack)
  return (mutant) => {
    const where = whereIs(mutant)
    const candidates = files.flatMap((file) => candidateOf(file, mutant, where, limits.ms) ?? [])
    const asked = candidates.sort((a, b) => b.near - a.near || a.run.ms - b.run.ms).slice(0, limits.files)
    let ms = 0
    const runs = asked.flatMap(({ run, within }, index) => {
      // The contract of stores takes longer than all else: where it is not asked as a whole, its quick stories are.
      const one = index === 0 || ms + run.ms <= limits.ms ? run : within(limits.ms - ms)
      ms += one?.ms ?? 0
      return one ?? []
    })
    return { mutant, runs: runs.sort((a, b) => a.ms - b.ms) }
  }
}

function unpack({ file, loadMs, around, tests }: Met): TestFile {
  const passed = tests.filter((test) => test.passed)
  return {
    file,
    loadMs,
    around: unpackBits(around),
    tests: passed.map(({ id, ms, met }) => ({ id, ms, met: unpackBits(met) })),
    whole: passed.length === tests.length,
  }
}

function candidateOf(of: TestFile, mutant: number, { siblings, mirror }: Whereabouts, most: number): Candidate | null {
  const meeting = of.tests.filter(({ met }) => hasBit(met, mutant))
  const isOwn = of.file.startsWith(mirror)
  if (meeting.length > 0) return candidate(of, meeting, most, isOwn ? FIRST : FIRST - 1)
  if (!hasBit(of.around, mutant) || of.tests.length === 0) return null
  const nearby = of.tests.filter(({ met }) => siblings.some((id) => hasBit(met, id)))
  const met = siblings.filter((id) => nearby.some((test) => hasBit(test.met, id))).length
  // Lists are read there as they stand, without anything of their files being called.
  const near = LISTS.test(of.file) ? FIRST + 1 : met + (isOwn ? FIRST / 2 : 0)
  return candidate(of, nearby.length > 0 ? nearby : of.tests, most, near)
}

function candidate(of: TestFile, asked: readonly Test[], most: number, near: number): Candidate {
  return {
    run: runOf(of, asked, most),
    near,
    within(ms) {
      const run = runOf(of, asked, ms - of.loadMs)
      return run.ms <= ms ? run : null
    },
  }
}

/** Where all would take too long, those that take longest are left out. */
function runOf({ file, loadMs, tests, whole }: TestFile, meeting: readonly Test[], most: number): Run {
  let ms = loadMs
  const asked = meeting
    .toSorted((a, b) => a.ms - b.ms)
    .filter((test, index) => {
      if (index > 0 && ms - loadMs + test.ms > most) return false
      ms += test.ms
      return true
    })
  const all = whole && asked.length === tests.length
  return { file, ms, tests: all ? null : asked.map(({ id }) => id) }
}
