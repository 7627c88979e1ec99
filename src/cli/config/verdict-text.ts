import { problemLine } from '../../config/reading/issues.ts'
import type { readConfig } from '../../hub/read-config.ts'
import { guessesOf, guessesText } from '../doctor/acting-on.ts'
import { BORNE_OUT_BY, notBorneOut } from '../doctor/diagnose.ts'
import { findingLine } from '../doctor/finding.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import type { Verdict } from './check-verdict.ts'

const DESTINATIONS: Columns<Awaited<ReturnType<typeof readConfig>>['config']['destinations'][number]> = {
  destination: 'name',
  adapter: 'adapter',
  publish: ({ publish }) => (publish === 'all' ? 'all kinds' : publish?.join(', ')),
  '': ({ dryRun }) => (dryRun ? 'dry run: nothing is sent' : ''),
}

/** The verdict on a config in words. */
export function verdictText({ config, path }: Awaited<ReturnType<typeof readConfig>>, verdict: Verdict): string {
  const { doubts, findings, unheld } = verdict
  const held = notBorneOut(config)
  const guessed = guessesText(guessesOf(config))
  const paragraphs = [
    doubts.length === 0
      ? `${path} is right.`
      : [`A hub would start with ${path}, but this is most likely wrong in it:`, ...doubts.map(lineOf)].join('\n'),
    tableOf(DESTINATIONS, config.destinations, 'It has no destinations: every event will be kept as unrouted.'),
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
  "Not all of its stores and stocks were looked at: the platform's are not all known here. To do: `check --online`; those of its stores and of shops are known when the hub has run."
