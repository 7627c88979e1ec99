import { hasBit, unpackBits } from './run/bits.ts'
import type { Met, Question, Run } from './run/work.ts'

interface Unpacked {
  file: string
  loadMs: number
  around: Uint8Array
  tests: { id: string; ms: number; met: Uint8Array }[]
  whole: boolean
}

/** What is asked about one mutant at most: files, and how long the tests of each take (milliseconds). */
export interface Limits {
  files: number
  ms: number
}

/** Says which tests judge a mutant: those that meet it and pass without it; the cheapest files first, and so many at most. */
export function createPlan(met: Iterable<Met>, { files: most, ms }: Limits): (mutant: number) => Question {
  const unpacked = [...met].filter(({ fault }) => fault === null).map(unpack)
  return (mutant) => {
    const runs = unpacked.flatMap((file) => runOf(file, mutant, ms) ?? [])
    return { mutant, runs: runs.sort((a, b) => a.ms - b.ms).slice(0, most) }
  }
}

function unpack({ file, loadMs, around, tests }: Met): Unpacked {
  const passed = tests.filter((test) => test.passed)
  return {
    file,
    loadMs,
    around: unpackBits(around),
    tests: passed.map(({ id, ms, met }) => ({ id, ms, met: unpackBits(met) })),
    whole: passed.length === tests.length,
  }
}

/** What runs around the tests is every test's. Where all would take too long, those that take longest are left out. */
function runOf({ file, loadMs, around, tests, whole }: Unpacked, mutant: number, most: number): Run | null {
  const isAround = hasBit(around, mutant)
  const meeting = (isAround ? tests : tests.filter(({ met }) => hasBit(met, mutant))).toSorted((a, b) => a.ms - b.ms)
  if (meeting.length === 0) return null
  let ms = loadMs
  const asked = meeting.filter((test, index) => {
    if (index > 0 && ms - loadMs + test.ms > most) return false
    ms += test.ms
    return true
  })
  const all = whole && asked.length === tests.length
  return { file, ms, tests: all ? null : asked.map(({ id }) => id) }
}
