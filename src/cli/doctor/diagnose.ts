import { VERIFIED_BY } from '../../app/compose.ts'
import { composeLoaded, type Offline } from '../../app/offline.ts'
import { readConfig } from '../../app/read-config.ts'
import type { Config } from '../../config/config.ts'
import type { Env } from '../../config/placeholders.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { EndpointOverrides } from '../../platform/http/endpoint.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import { createPlatform, type PlatformOptions } from '../../platform/platform.ts'
import { listIfThere } from '../../platform/resources/webhooks.ts'
import { openToOthers } from '../../storage/disk.ts'
import { type Client, createClient } from '../shared/client.ts'
import { type Acting, checkFields, judgeFields } from './fields.ts'
import { checkEndpoints, checkHub, checkRows, createRowsSeen, type Finding, sentenceOf } from './hub.ts'
import { attempted, checkAccess, judgeKinds, unreadable } from './platform.ts'
import { checkEventId, checkWithoutList, judgeSubscriptions, oursOf } from './webhooks.ts'

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

/** Null: no platform to ask. */
export function settingsOf(
  platform: Config['platform'] & { endpoints?: EndpointOverrides | undefined },
): PlatformOptions | null {
  const { preset, baseUrl, odataUrl, apiKey, subscriptionKey, endpoints } = platform
  if (baseUrl === undefined || apiKey === undefined || subscriptionKey === undefined) return null
  return { preset, baseUrl, odataUrl, apiKey, subscriptionKey, endpoints }
}

/** Null: nothing is held for want of verification. */
export function unverifiedText({ unverified }: Pick<Offline, 'unverified'>): string | null {
  if (unverified.length === 0) return null
  return `The platform cannot be asked, so what webhooks say of orders and refunds is held at ${unverified.join(', ')}.`
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
