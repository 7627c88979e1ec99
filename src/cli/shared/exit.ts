import { inspect } from 'node:util'
import { CommanderError } from 'commander'
import { ConfigError } from '../../config/issues.ts'
import type { HealthItem } from '../../domain/health/health.ts'
import { UserError } from '../../domain/values/errors.ts'
import { listenForInterrupt } from '../../lib/interrupt.ts'
import { printError, show } from './output.ts'

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

export const EXIT_WORDS: Readonly<Record<keyof typeof EXIT, string>> = {
  well: 'all is well',
  problem: 'a problem was found, or something needs a person',
  input: 'the command line or the config is wrong, or the hub cannot be asked',
  missing: 'something is missing (complete alone)',
  unproven: 'unknown whether something is missing (complete alone)',
  fault: 'a fault of Tillbridge itself',
  unwritten: 'what it prints cannot be written; what it did is done',
  interrupted: 'ended by Ctrl-C',
  brokenPipe: 'the output is no longer read',
  terminated: 'ended by SIGTERM',
}

/** `unknown` counts where there is no problem. */
export function exitCodeOf(items: readonly Pick<HealthItem, 'state'>[]): ExitCode {
  if (items.some(({ state }) => state === 'problem')) return EXIT.problem
  return items.some(({ state }) => state === 'unknown') ? EXIT.input : EXIT.well
}

/** The command line was right, but the command did not complete. */
export class ExitError extends Error {
  override name = 'ExitError'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode) {
    super(message)
    this.exitCode = exitCode
  }
}

/** To stderr, or as `{"problems":[{"says":"…"}]}`. */
export function reportEnd(error: unknown, json: boolean): ExitCode {
  const { exitCode, problems } = readEnd(error)
  if (exitCode === EXIT.fault) printError(inspect(error))
  if (json && exitCode !== EXIT.well) show(true, { problems }, () => '')
  // commander has printed it.
  else if (!(error instanceof CommanderError)) for (const { says } of problems) printError(says)
  return exitCode
}

function readEnd(error: unknown): { exitCode: ExitCode; problems: { says: string }[] } {
  if (error instanceof CommanderError) {
    const isAlone = error.code === 'commander.help'
    const says = isAlone ? 'A command is missing; --help lists them.' : error.message.replace(/^error: /, '')
    return { exitCode: error.exitCode === 0 ? EXIT.well : EXIT.input, problems: [{ says }] }
  }
  if (error instanceof ExitError) return { exitCode: error.exitCode, problems: [{ says: error.message }] }
  if (error instanceof ConfigError) {
    const lines = error.message.split('\n')
    const problems = error.problems.map((one, index) => ({ says: lines[index] ?? error.message, ...one }))
    return { exitCode: EXIT.input, problems }
  }
  if (error instanceof UserError) return { exitCode: EXIT.input, problems: [{ says: error.message }] }
  return { exitCode: EXIT.fault, problems: [{ says: `A fault of Tillbridge itself: ${String(error)}` }] }
}

/** Throws an ExitError with `says` on Ctrl-C; the hub may go on. */
export async function awaited<T>(says: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  using interrupt = listenForInterrupt()
  try {
    return await ask(interrupt.signal)
  } catch (error) {
    if (interrupt.signal.aborted) throw new ExitError(says, interrupt.exitCode)
    throw error
  }
}
