import type { HealthItem } from '../../domain/health/health.ts'

/** How a command ends, for scripts. */
export const EXIT = {
  well: 0,
  problem: 1,
  input: 2,
  missing: 3,
  unproven: 4,
  fault: 70,
  unwritten: 74,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The same in words, for `tillbridge --help` and docs/commands.md. */
export const EXIT_WORDS: Readonly<Record<keyof typeof EXIT, string>> = {
  well: 'all is well',
  problem: 'a problem was found, or something needs a person',
  input: 'the command line or the config is wrong, or the hub cannot be asked',
  missing: 'something is missing (complete alone)',
  unproven: 'nobody knows whether something is missing (complete alone)',
  fault: 'a fault of Tillbridge itself',
  unwritten: 'what it prints cannot be written; what it did is done',
  interrupted: 'ended by Ctrl-C',
  brokenPipe: 'nobody reads the output any more',
  terminated: 'ended by SIGTERM',
}

/** The exit code of a look at health. Where nothing is wrong, but something could not be asked, nobody can tell. */
export function exitCodeOf(items: readonly Pick<HealthItem, 'state'>[]): ExitCode {
  if (items.some(({ state }) => state === 'problem')) return EXIT.problem
  return items.some(({ state }) => state === 'unknown') ? EXIT.input : EXIT.well
}
