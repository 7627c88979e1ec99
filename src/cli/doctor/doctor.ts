import { Command } from 'commander'
import { pluralize } from '../../domain/values/text.ts'
import { EXIT, exitCodeOf } from '../shared/exit.ts'
import { show } from '../shared/output.ts'
import { EXIT_CODES } from '../status.ts'
import { type Finding, findingLine } from './hub.ts'

export const doctor = new Command('doctor')
  .description('Ask the running hub and the platform what is wrong, and what to do')
  .addHelpText(
    'after',
    `
It asks the running hub, which says how it is and asks each destination's own system, with its own keys. Then it reads the
config, and asks the platform from this machine. It changes nothing anywhere, and sends nobody anything.
${EXIT_CODES}`,
  )
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    // Loads the whole hub.
    const { diagnose } = await import('./diagnose.ts')
    const findings = await diagnose(process.env)
    const problems = findings.filter(({ state }) => state === 'problem').length
    show(json, { problems, findings }, () =>
      [...findings.map(findingLine), '', verdictOf(findings, problems)].join('\n'),
    )
    process.exitCode = exitCodeOf(findings)
  })

function verdictOf(findings: readonly Finding[], problems: number): string {
  if (problems > 0) return `${pluralize(problems, 'problem')}.`
  return exitCodeOf(findings) === EXIT.well
    ? 'Nothing is wrong.'
    : 'Nothing wrong was found, but not all could be asked.'
}
