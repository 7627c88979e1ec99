import { inspect } from 'node:util'
import { CommanderError } from 'commander'
import { ConfigError } from '../../config/reading/issues.ts'
import { UserError } from '../../domain/values/errors.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { complain, show } from './print.ts'

/** The command line was right, and the command did not come to its end: it says why, and which exit code tells so. */
export class EndedError extends Error {
  override name = 'EndedError'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode) {
    super(message)
    this.exitCode = exitCode
  }
}

/** One thing that is wrong, as programs read it; of a config also where, by `path`, `line`, `found` and `expected`. */
interface Told {
  says: string
}

/**
 * Says why a command ended with an error, and gives its exit code: as text for people, on standard error; or for programs, as
 * `{"problems":[{"says":"…"}]}` on standard output.
 */
export function tellEnd(error: unknown, json: boolean): ExitCode {
  const { exitCode, problems } = readEnd(error)
  if (exitCode === EXIT.fault) complain(inspect(error))
  if (json && exitCode !== EXIT.well) show(true, { problems }, () => '')
  // A typing error has been told by commander already.
  else if (!(error instanceof CommanderError)) for (const { says } of problems) complain(says)
  return exitCode
}

function readEnd(error: unknown): { exitCode: ExitCode; problems: Told[] } {
  if (error instanceof CommanderError)
    return { exitCode: error.exitCode === 0 ? EXIT.well : EXIT.input, problems: [typed(error)] }
  if (error instanceof EndedError) return { exitCode: error.exitCode, problems: [{ says: error.message }] }
  if (error instanceof ConfigError) return { exitCode: EXIT.input, problems: inConfig(error) }
  if (error instanceof UserError) return { exitCode: EXIT.input, problems: [{ says: error.message }] }
  return { exitCode: EXIT.fault, problems: [{ says: `A fault of Tillbridge itself: ${String(error)}` }] }
}

function typed({ code, message }: CommanderError): Told {
  if (code === 'commander.help') return { says: 'A command is missing; --help lists them.' }
  return { says: message.replace(/^error: /, '') }
}

/** The lines of the message, one for each problem. */
function inConfig({ message, problems }: ConfigError): Told[] {
  const lines = message.split('\n')
  return problems.map((problem, index) => ({ says: lines[index] ?? message, ...problem }))
}
