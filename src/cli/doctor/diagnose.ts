import { checkSystems } from '../../admin/health.ts'
import { VERIFIED_BY } from '../../app/compose.ts'
import { type Lists, listsOnline, OFFLINE, warningsOf } from '../../app/config-checks.ts'
import { composeLoaded, type Offline } from '../../app/offline.ts'
import { readConfig } from '../../app/read-config.ts'
import type { Config } from '../../config/config.ts'
import { problemLine } from '../../config/issues.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { Env } from '../../config/placeholders.ts'
import type { Problem } from '../../config/yaml-file.ts'
import { UserError } from '../../domain/values/errors.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Mappings } from '../../platform/payloads/mapping/mapping.ts'
import { createPlatform, type Platform, type Subscription } from '../../platform/platform.ts'
import { listIfThere } from '../../platform/resources/webhooks.ts'
import { findExposedFiles } from '../../storage/disk.ts'
import { settingsOf } from '../platform.ts'
import { type Client, createClient } from '../shared/client.ts'
import { type Columns, tableOf } from '../shared/output.ts'
import {
  type Acting,
  attempted,
  checkAccess,
  checkEndpoints,
  checkEventId,
  checkFields,
  checkHub,
  checkRows,
  checkWithoutList,
  createRowsSeen,
  type Finding,
  findingLine,
  guessesOf,
  guessesText,
  judgeFields,
  judgeKinds,
  judgeSubscriptions,
  judgeSystem,
  oursOf,
  sentenceOf,
  unreadable,
} from './platform.ts'

const TIMEOUT_MS = 10_000

const NO_CONFIG_HERE: Finding = {
  check: 'config',
  state: 'unknown',
  says: 'There is none on this machine: only the hub was asked, and not what the platform has of subscriptions, tokens and addresses.',
  todo: 'run doctor where the hub runs, or set TILLBRIDGE_CONFIG.',
}

const NO_PLATFORM: Finding = {
  check: 'platform',
  state: 'note',
  says: 'Config has no platform.baseUrl: the hub takes webhooks, but asks the platform nothing.',
  todo: 'set platform.baseUrl, apiKey and subscriptionKey to have the platform looked at.',
}

export async function diagnose(env: Env & NodeJS.ProcessEnv): Promise<Finding[]> {
  const [hub, here] = await Promise.all([checkHub(() => createClient(env)), diagnoseHere(env)])
  return [...hub, ...here]
}

async function diagnoseHere(env: Env & NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    const loaded = await readConfig(env)
    await using composed = await composeLoaded(loaded)
    const { config, path } = loaded
    const isRight: Finding = { check: 'config', state: 'ok', says: `${path} is right.` }
    return [isRight, ...rightsOf(config.store.url), ...(await askPlatform(config, composed, env))]
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    if (isElsewhere(error, env)) return [NO_CONFIG_HERE]
    const todo = 'correct it; the rest is looked at then.'
    return [{ check: 'config', state: 'problem', says: sentenceOf(error), todo }]
  }
}

async function askPlatform(config: Config, composed: Offline, env: Env & NodeJS.ProcessEnv): Promise<Finding[]> {
  const settings = settingsOf(config.platform)
  const acting = { actingOn: composed.actingOn, mappings: config.platform.payloads }
  if (settings === null) {
    const held = unverifiedText(composed)
    const orders: Finding = { check: 'orders', state: 'problem', says: held ?? '', todo: VERIFIED_BY }
    return [NO_PLATFORM, judgeFields(null, acting), ...(held === null ? [] : [orders])]
  }
  const seen = createRowsSeen(Date.now)
  const hub = () => createClient(env)
  await using platform = createPlatform({ ...settings, rejectedRows: seen, timeout: TIMEOUT_MS })
  const findings = await diagnosePlatform(platform, config, acting, hub)
  return [...findings, ...(await checkRows(seen.all(), hub))]
}

async function diagnosePlatform(
  platform: Platform,
  config: Config,
  acting: Acting,
  hub: () => Promise<Client>,
): Promise<Finding[]> {
  const { tokens, kinds, eventIdHeader } = config.platform.webhooks
  const { publicUrl } = config.server
  const { findings, stores } = await checkAccess(platform)
  if (stores === null) return findings
  let offered: string[] = []
  let listed: Subscription[] = []
  const check = async (name: string, run: () => Promise<Finding>) => findings.push(await attempted(name, run))

  await check('kinds', async () => {
    const { rows, rejected } = await platform.webhooks.types()
    offered = rows
    if (rows.length === 0 && rejected.length > 0) return unreadable('kinds', 'webhooks.types', rejected)
    return judgeKinds(offered, kinds, rejected.length)
  })
  await check('fields', () => checkFields(platform, offered, acting))
  await check('subscriptions', async () => {
    const found = await listIfThere({ platform, isListProven: () => platform.operations.isProven('webhooks.list') })
    if (found === null) return await checkWithoutList(hub)
    const { rows, rejected } = found
    listed = rows
    if (rows.length === 0 && rejected.length > 0) return unreadable('subscriptions', 'webhooks.list', rejected)
    return judgeSubscriptions(rows, { publicUrl, tokens, wanted: kinds, offered, unread: rejected.length })
  })
  await check('event id', async () => checkEventId(platform, await hub(), oursOf(listed, publicUrl), eventIdHeader))
  return [...findings, ...(await checkEndpoints(hub))]
}

function isElsewhere({ cause }: UserError, env: Env): boolean {
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  return isMissing && Boolean(env.TILLBRIDGE_URL) && !env.TILLBRIDGE_CONFIG
}

/** Null: nothing is held for want of verification. */
function unverifiedText({ unverified }: Pick<Offline, 'unverified'>): string | null {
  if (unverified.length === 0) return null
  return `The platform cannot be asked, so what webhooks say of orders and refunds is held at ${unverified.join(', ')}.`
}

export function rightsOf(url: string): Finding[] {
  const files = findExposedFiles(url)
  if (files.length === 0) return []
  const shown = files.map(({ path, rights }) => `${path} (${rights})`).join(', ')
  return [
    {
      check: 'store',
      state: 'note',
      says: `Others on this machine than its owner may read it: ${shown}. It holds people's data.`,
      todo: 'chmod 600, unless the group reads it on purpose.',
    },
  ]
}

interface Verdict {
  warnings: Problem[]
  findings: Finding[]
  notes: string[]
}

/** Composes the hub without starting it. Throws a ConfigError with every issue. `online`: also asks the platform and destinations, reading only. */
export async function judgeConfig(loaded: LoadedConfig, online: boolean): Promise<Verdict> {
  const { config, problemsOf } = loaded
  await using setup = await composeLoaded(loaded)
  const asked = online ? await checkOnline(setup.platform) : { findings: [], lists: OFFLINE }
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

async function checkOnline(platform: Platform | null): Promise<{ findings: Finding[]; lists: Lists }> {
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

export function configVerdictText({ config, path }: LoadedConfig, verdict: Verdict): string {
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
