import { Command } from 'commander'
import { builtInAdapters } from '../../adapters/index.ts'
import { problemLine } from '../../config/reading/config-error.ts'
import { maskedConfig } from '../../config/schema/describe.ts'
import { configJsonSchema } from '../../config/schema/json-schema.ts'
import { readConfig } from '../../hub/read-config.ts'
import { BORNE_OUT_BY, notBorneOut } from '../doctor/borne-out.ts'
import { findingLine } from '../doctor/finding.ts'
import { guessesOf, guessesText } from '../doctor/guesses.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { show, table } from '../shared/print.ts'
import { judgeConfig, type Verdict } from './check-verdict.ts'

export const check = new Command('check')
  .description('Put the hub together as "start" does, begin nothing, and say everything that is wrong with the config')
  .option('--online', 'ask the platform and the destinations as well; they change nothing')
  .option('--json', 'print JSON: the config as it is understood, or the problems')
  .addHelpText(
    'after',
    '\nExit code 0: right. 1: a hub would start, but a name is most likely wrong, or somebody who was asked has a problem.\n2: no hub starts with it. Nothing is opened, asked or written, but by --online.',
  )
  .action(async ({ online = false, json }) => {
    const loaded = await readConfig(process.env)
    const verdict = await judgeConfig(loaded, online)
    const known = await builtInAdapters()
    const optionsOf = (adapter: string) => known.find(({ name }) => name === adapter)?.options
    const { doubts, findings } = verdict
    const described = maskedConfig(loaded.config, optionsOf) as object
    show(json, { ...described, doubts, ...(online && { findings }) }, () => verdictText(loaded, verdict))
    if (doubts.length > 0 || findings.some(({ state }) => state === 'problem')) process.exitCode = EXIT.problem
  })

function verdictText({ config, path }: Awaited<ReturnType<typeof readConfig>>, verdict: Verdict): string {
  const { doubts, findings, unheld } = verdict
  const held = notBorneOut(config)
  const guessed = guessesText(guessesOf(config))
  const paragraphs = [
    doubts.length === 0
      ? `${path} is right.`
      : [`A hub would start with ${path}, but this is most likely wrong in it:`, ...doubts.map(lineOf)].join('\n'),
    table(
      ['destination', 'adapter', 'publish', ''],
      config.destinations.map(({ name, adapter, publish, dryRun }) => [
        name,
        adapter,
        publish === 'all' ? 'all kinds' : (publish?.join(', ') ?? ''),
        dryRun ? 'dry run: nothing is sent' : '',
      ]),
      'It has no destinations: every event will be kept as unrouted.',
    ),
    ...(findings.length === 0 ? [] : [findings.map(findingLine).join('\n')]),
    ...(unheld ? [UNHELD] : []),
    ...(held === null ? [] : [`${held} To do: ${BORNE_OUT_BY}`]),
    ...(guessed === null ? [] : [`${guessed} To do: let \`doctor\` ask the platform (docs/evidence.md).`]),
  ]
  return paragraphs.join('\n\n')

  function lineOf(problem: Verdict['doubts'][number]): string {
    return problemLine(path, problem)
  }
}

const UNHELD =
  "Its stores and stocks were not looked at: the platform's are not known here. To do: `check --online`, or again when the hub has run."

export const schema = new Command('schema')
  .description('Print the JSON Schema of the config, for editors')
  .action(async () => show(true, configJsonSchema(await builtInAdapters()), () => ''))
