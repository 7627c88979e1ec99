import { Command } from 'commander'
import { builtInAdapters } from '../adapters/index.ts'
import { readConfig } from '../app/read-config.ts'
import { maskedConfig } from '../config/schemas-at.ts'
import { EXIT } from './shared/exit.ts'
import { show } from './shared/output.ts'

export const check = new Command('check')
  .description('Say everything that is wrong with the config; nothing is started')
  .option('--online', 'ask the platform and the destinations as well; they change nothing')
  .option('--json', 'print JSON: the config as it is understood, or the problems')
  .addHelpText(
    'after',
    '\nExit code 0: right. 1: a hub would start, but a name is most likely wrong, or somebody who was asked has a problem.\n2: no hub starts with it. Nothing is opened, asked or written, but by --online.',
  )
  .action(async ({ online = false, json }) => {
    // Loads the whole hub.
    const { judgeConfig, verdictText } = await import('./check-verdict.ts')
    const loaded = await readConfig(process.env)
    const verdict = await judgeConfig(loaded, online)
    const known = await builtInAdapters()
    const optionsOf = (adapter: string) => known.find(({ name }) => name === adapter)?.options
    const { warnings, findings } = verdict
    const described = maskedConfig(loaded.config, optionsOf) as object
    show(json, { ...described, warnings, ...(online && { findings }) }, () => verdictText(loaded, verdict))
    if (warnings.length > 0 || findings.some(({ state }) => state === 'problem')) process.exitCode = EXIT.problem
  })
