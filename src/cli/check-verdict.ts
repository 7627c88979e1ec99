import { checkSystems } from '../admin/doctor.ts'
import { VERIFIED_BY } from '../app/compose.ts'
import { type Lists, listsOnline, OFFLINE, warningsOf } from '../app/config-checks.ts'
import { composeLoaded, type Offline } from '../app/offline.ts'
import { problemLine } from '../config/issues.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Problem } from '../config/yaml-file.ts'
import { systemClock } from '../lib/clock.ts'
import type { Mappings } from '../platform/payloads/mapping/mapping.ts'
import type { Platform } from '../platform/platform.ts'
import { unverifiedText } from './doctor/diagnose.ts'
import { guessesOf, guessesText } from './doctor/fields.ts'
import { type Finding, findingLine, judgeSystem, sentenceOf } from './doctor/hub.ts'
import { checkAccess } from './doctor/platform.ts'
import { type Columns, tableOf } from './shared/output.ts'

export interface Verdict {
  warnings: Problem[]
  findings: Finding[]
  notes: string[]
}

/** (ms) */
const TIMEOUT_MS = 10_000

/** Composes the hub without starting it. Throws a ConfigError with every issue. `online`: also asks the platform and destinations, reading only. */
export async function judgeConfig(loaded: LoadedConfig, online: boolean): Promise<Verdict> {
  const { config, problemsOf } = loaded
  await using setup = await composeLoaded(loaded)
  const asked = online ? await askPlatform(setup.platform) : { findings: [], lists: OFFLINE }
  return {
    warnings: problemsOf(warningsOf(config, setup.systems, asked.lists)),
    findings: [
      ...asked.findings,
      ...(online ? await checkSystems(setup.systems.checked, systemClock) : []).flatMap(judgeSystem),
    ],
    notes: notesOf(setup, config.platform.payloads),
  }
}

function notesOf(setup: Offline, mappings: Mappings): string[] {
  const held = unverifiedText(setup)
  const guessed = guessesText(guessesOf({ ...setup, mappings }))
  return [
    ...(held === null ? [] : [`${held} To do: ${VERIFIED_BY}`]),
    ...(guessed === null ? [] : [`${guessed} To do: let \`doctor\` ask the platform (docs/evidence.md).`]),
  ]
}

async function askPlatform(platform: Platform | null): Promise<{ findings: Finding[]; lists: Lists }> {
  if (platform === null) return { findings: [], lists: OFFLINE }
  const { findings, stores } = await checkAccess(platform)
  if (stores === null) return { findings, lists: OFFLINE }
  try {
    return { findings, lists: await listsOnline(platform, AbortSignal.timeout(TIMEOUT_MS)) }
  } catch (error) {
    const unknown: Finding = { check: 'kinds', state: 'problem', says: sentenceOf(error), todo: 'look again later.' }
    return { findings: [...findings, unknown], lists: OFFLINE }
  }
}

const DESTINATIONS: Columns<LoadedConfig['config']['destinations'][number]> = {
  destination: 'name',
  adapter: 'adapter',
  publish: ({ publish }) => (publish === 'all' ? 'all kinds' : publish?.join(', ')),
  '': ({ dryRun }) => (dryRun ? 'dry run: nothing is sent' : ''),
}

export function verdictText({ config, path }: LoadedConfig, verdict: Verdict): string {
  const { warnings, findings, notes } = verdict
  const paragraphs = [
    warnings.length === 0
      ? `${path} is right.`
      : [
          `A hub would start with ${path}, but this is most likely wrong in it:`,
          ...warnings.map((problem) => problemLine(path, problem)),
        ].join('\n'),
    tableOf(DESTINATIONS, config.destinations, 'It has no destinations: every event will be kept as unrouted.'),
    ...(findings.length === 0 ? [] : [findings.map(findingLine).join('\n')]),
    ...notes,
  ]
  return paragraphs.join('\n\n')
}
