import { UserError } from '../values/errors.ts'

/** What goes wrong while a day is rehearsed. */
export interface Faults {
  /** The hub is killed (SIGKILL) in the middle, and started again. */
  kill: boolean
  /** Every webhook comes twice. */
  double: boolean
  /** Webhooks that follow each other come the other way round. */
  reorder: boolean
  /** Destinations that take ten times as long in the middle third. */
  slow: string[]
  /** Destinations that nobody gets through to in the middle third. */
  down: string[]
}

const ALONE = ['kill', 'double', 'reorder'] as const
const OF_DESTINATION = ['slow', 'down'] as const

/** The words of `--fault`, for help and errors. */
export const FAULT_WORDS = 'kill, double, reorder, slow:<destination>, down:<destination>'

/** Reads the words of `--fault`. Throws a UserError that names the word which is none, or the destination which is not there. */
export function readFaults(words: readonly string[], destinations: readonly string[]): Faults {
  const faults: Faults = { kill: false, double: false, reorder: false, slow: [], down: [] }
  for (const word of words) {
    const alone = ALONE.find((one) => one === word)
    const [name, destination] = word.split(':')
    const of = OF_DESTINATION.find((one) => one === name)
    if (alone) faults[alone] = true
    else if (!of || destination === undefined) throw new UserError(`--fault ${word}: it is one of ${FAULT_WORDS}.`)
    else if (!destinations.includes(destination))
      throw new UserError(
        `--fault ${word}: config has no such destination; it has ${destinations.join(', ') || 'none'}.`,
      )
    else faults[of].push(destination)
  }
  return faults
}
