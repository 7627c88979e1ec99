import type { Config } from '../../config/config.ts'
import { type Env, readProgramEnv } from '../../config/reading/placeholders.ts'
import { PermanentError, UserError } from '../../domain/values/errors.ts'
import { readConfig } from '../../hub/read-config.ts'
import { listIfThere } from '../../platform/areas/webhooks/webhooks.ts'
import { createPlatform, type PlatformOptions } from '../../platform/create-platform.ts'
import type { EndpointOverrides } from '../../platform/http/endpoint.ts'
import { asideText } from '../../platform/http/read.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import { openToOthers } from '../../store/disk.ts'
import { type Client, createClient } from '../shared/client.ts'
import { examineFields, judgeFields } from './fields.ts'
import { createRowsSeen, examineEndpoints, examineHub, examineRows, type Finding, sentenceOf } from './hub.ts'
import { attempted, examineAccess, examinePreset, judgeKinds, unreadable } from './platform.ts'
import { examineEventId, examineWithoutList, judgeSubscriptions, keptWebhooks, oursOf } from './webhooks.ts'

const TIMEOUT_MS = 10_000

export const BORNE_OUT_BY =
  'set platform.baseUrl and its keys, or platform.trustWebhooks: true if nobody else can know the webhook token.'

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
  const [hub, here] = await Promise.all([examineHub(() => createClient(env)), diagnoseHere(env)])
  return [...hub, ...here]
}

async function diagnoseHere(env: Env & NodeJS.ProcessEnv): Promise<Finding[]> {
  const read = await readConfig(env).catch((error: unknown) => {
    if (error instanceof UserError) return error
    throw error
  })
  if (read instanceof UserError)
    return isElsewhere(read, env)
      ? [NO_CONFIG_HERE]
      : [{ check: 'config', state: 'problem', says: sentenceOf(read), todo: 'correct it; the rest is looked at then.' }]
  const { config } = read
  const isRight: Finding = { check: 'config', state: 'ok', says: `${readProgramEnv(env).configPath} is right.` }
  return [isRight, ...rightsOf(config.store.url), ...(await askPlatform(config, env)), destinationsOf(config)]
}

async function askPlatform(config: Config, env: Env & NodeJS.ProcessEnv): Promise<Finding[]> {
  const settings = settingsOf(config.platform)
  if (settings === null) {
    const held = notBorneOut(config)
    const orders: Finding[] =
      held === null ? [] : [{ check: 'orders', state: 'problem', says: held, todo: BORNE_OUT_BY }]
    return [NO_PLATFORM, judgeFields(null, config), ...orders]
  }
  const seen = createRowsSeen(Date.now)
  const hub = () => createClient(env)
  try {
    await using platform = createPlatform({ ...settings, asides: seen, timeout: TIMEOUT_MS })
    const findings = await diagnosePlatform(platform, settings, config, hub)
    return [...findings, ...(await examineRows(seen.all(), hub))]
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return [{ check: 'platform', state: 'problem', says: error.message, todo: 'correct it in the config.' }]
  }
}

async function diagnosePlatform(
  platform: Platform,
  settings: PlatformOptions,
  config: Config,
  hub: () => Promise<Client>,
): Promise<Finding[]> {
  const { tokens, kinds, eventIdHeader } = config.platform.webhooks
  const { publicUrl } = config.server
  const { findings, stores } = await examineAccess(platform)
  if (stores === null) return findings
  let offered: string[] = []
  let listed: Subscription[] = []
  const checks: [Finding['check'], () => Promise<Finding>][] = [
    ['preset', () => examinePreset(settings.preset, (preset) => settlementsAs({ ...settings, preset }))],
    [
      'kinds',
      async () => {
        const { rows, aside } = await platform.webhooks.types()
        offered = rows
        if (rows.length === 0 && aside.length > 0) return unreadable('kinds', 'webhooks.types', aside)
        return judgeKinds(offered, kinds, aside.length)
      },
    ],
    ['fields', () => examineFields(platform, offered, config)],
    [
      'subscriptions',
      async () => {
        const found = await listIfThere({ platform, isListProven: () => platform.operations.isProven('webhooks.list') })
        if (found === null) return await examineWithoutList(hub)
        const { rows, aside } = found
        listed = rows
        if (rows.length === 0 && aside.length > 0) return unreadable('subscriptions', 'webhooks.list', aside)
        return judgeSubscriptions(rows, { publicUrl, tokens, wanted: kinds, offered, unread: aside.length })
      },
    ],
    [
      'event id',
      async () => {
        const kept = await keptWebhooks(await hub())
        return Array.isArray(kept)
          ? await examineEventId(platform, oursOf(listed, publicUrl), kept, eventIdHeader)
          : kept
      },
    ],
  ]
  for (const [check, run] of checks) findings.push(await attempted(check, run))
  return [...findings, ...(await examineEndpoints(hub))]
}

function isElsewhere({ cause }: UserError, env: Env): boolean {
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  return isMissing && Boolean(env.TILLBRIDGE_URL) && !env.TILLBRIDGE_CONFIG
}

/** Asks for the settlements of today as a preset does, whatever config changes of it. */
async function settlementsAs(settings: PlatformOptions): Promise<void> {
  await using platform = createPlatform({ ...settings, endpoints: undefined, timeout: TIMEOUT_MS })
  const { rows, aside } = await platform.settlements.list({ day: new Date().toISOString().slice(0, 10) })
  const why = asideText(aside)
  // Rows of the other version may look so.
  if (rows.length === 0 && why !== null) throw new PermanentError(why, { code: 'unexpected-answer' })
}

/** Null: the hub takes webhooks, but asks the platform nothing. */
export function settingsOf(
  platform: Config['platform'] & { endpoints?: EndpointOverrides | undefined },
): PlatformOptions | null {
  const { preset, baseUrl, odataUrl, apiKey, subscriptionKey, endpoints } = platform
  if (baseUrl === undefined || apiKey === undefined || subscriptionKey === undefined) return null
  return { preset, baseUrl, odataUrl, apiKey, subscriptionKey, endpoints }
}

function destinationsOf({ destinations }: Config): Finding {
  if (destinations.length === 0)
    return { check: 'destinations', state: 'note', says: 'None: every event will be kept as unrouted.' }
  const names = destinations.map(({ name, adapter, dryRun }) => `${name} (${adapter}${dryRun ? ', dry run' : ''})`)
  return { check: 'destinations', state: 'ok', says: `Their options are right: ${names.join(', ')}.` }
}

/** Built-in adapters that no step about an online order goes to. */
const WITHOUT_ORDERS = ['files', 'http', 'sql']
const TELLING = ['smtp', 'sms-http']

/** That what webhooks say of orders will be held, since the platform cannot confirm it; null: it will not. */
export function notBorneOut({ platform, destinations }: Pick<Config, 'platform' | 'destinations'>): string | null {
  if (platform.baseUrl !== undefined || platform.trustWebhooks) return null
  const held = destinations
    .filter(({ adapter }) => !WITHOUT_ORDERS.includes(adapter))
    .filter(({ adapter, messages }) => !TELLING.includes(adapter) || messages.length > 0)
    .map(({ name }) => name)
  if (held.length === 0) return null
  return `The platform cannot be asked, so what webhooks say of orders and refunds is held at ${held.join(', ')}.`
}

export function rightsOf(url: string): Finding[] {
  const files = openToOthers(url)
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
