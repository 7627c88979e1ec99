import { hasBit, unpackBits } from './run/bits.ts'
import type { Met, Question, Run } from './run/work.ts'

interface Unpacked {
  file: string
  loadMs: number
  around: Uint8Array
  tests: { id: string; ms: number; met: Uint8Array }[]
  whole: boolean
}

/** Says which tests judge a mutant: those that meet it and pass without it; the cheapest files first, and so many at most. */
export function createPlan(met: Iterable<Met>, most: number): (mutant: number) => Question {
  const files = [...met].filter(({ fault }) => fault === null).map(unpack)
  return (mutant) => {
    const runs = files.flatMap((file) => runOf(file, mutant) ?? [])
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

/** What runs around the tests is every test's. */
function runOf({ file, loadMs, around, tests, whole }: Unpacked, mutant: number): Run | null {
  const isAround = hasBit(around, mutant)
  const meeting = isAround ? tests : tests.filter(({ met }) => hasBit(met, mutant))
  if (meeting.length === 0) return null
  const ms = meeting.reduce((sum, test) => sum + test.ms, loadMs)
  const all = whole && meeting.length === tests.length
  return { file, ms, tests: all ? null : meeting.map(({ id }) => id) }
}
