import { relative } from 'node:path'
import { packBits } from './bits.ts'
import { failureOf, type Session, type Task, testsOf } from './session.ts'
import type { Switch } from './switch.ts'
import type { Line, MetByTest } from './work.ts'

/** A file may take so long (milliseconds). */
const LONGEST = 600_000

/** Runs every file once, without a mutant, and writes down which tests meet which. */
export function createMeeting({ active, met }: Switch, files: readonly string[], write: (line: Line) => void): Session {
  const rest = [...files]
  let around = new Uint8Array(met.length)
  let tests: MetByTest[] = []
  let begun = 0
  let loadMs = 0

  /** What was met since the last call. */
  function take(): Uint8Array {
    const taken = met.slice()
    met.fill(0)
    return taken
  }

  function addAround() {
    for (const [id, is] of take().entries()) if (is) around[id] = 1
  }

  return {
    next() {
      const file = rest.shift()
      if (file === undefined) return null
      write({ type: 'begun', what: file, budget: LONGEST })
      active[0] = -1
      take()
      around = new Uint8Array(met.length)
      tests = []
      begun = performance.now()
      loadMs = 0
      return { filepath: file }
    },
    wants: () => true,
    loaded() {
      loadMs = performance.now() - begun
    },
    testBegins: addAround,
    testEnded(test) {
      const { id, name, result } = test
      const passed = result?.state === 'pass'
      tests.push({ id, name, ms: Math.round(result?.duration ?? 0), passed, met: packBits(take()) })
    },
    fileEnded(file: Task) {
      addAround()
      const failure = failureOf(file)
      // A test that fails by itself is left out; a file that fails, with all that is in it.
      const own = new Set(testsOf(file).map(({ id }) => id))
      const fault = failure && !own.has(failure.id) ? failure.why : null
      const name = relative(process.cwd(), (file as Task & { filepath: string }).filepath)
      write({ type: 'met', file: name, loadMs: Math.round(loadMs), around: packBits(around), tests, fault })
    },
  }
}
