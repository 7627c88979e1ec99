import type { Config } from '../config/config.ts'
import type { SubscriptionPlan } from '../domain/health/subscription-plan.ts'
import { UserError } from '../domain/values/errors.ts'
import { readCallback } from '../jobs/subscriptions/decide.ts'
import { readPlan } from '../jobs/subscriptions/plan.ts'
import type { Logger } from '../lib/logger.ts'
import type { Platform } from '../platform/platform.ts'
import type { Base } from './base.ts'

/** Reads what the hub would change of its subscriptions. Throws a UserError where config says too little for that. */
export async function planSubscriptions(
  { server, platform: asked }: Pick<Config, 'server' | 'platform'>,
  { store }: Pick<Base, 'store'>,
  platform: Platform | null,
): Promise<SubscriptionPlan> {
  const { kinds, stores, tokens } = asked.webhooks
  if (platform === null) throw new UserError('The config has no platform (platform.baseUrl).')
  if (server.publicUrl === undefined) throw new UserError('server.publicUrl is not set: nobody knows where to send to.')
  if (kinds === undefined)
    throw new UserError(
      'platform.webhooks.kinds is not set: subscriptions are left to you, so there is nothing to plan.',
    )
  return await readPlan({
    platform,
    isListProven: () => platform.operations.isProven('webhooks.list'),
    wanted: { publicUrl: server.publicUrl, subscription: 'all', token: tokens[0] ?? '', kinds, stores },
    known: () => store.stores(),
    tokens,
    store,
  })
}

/**
 * Throws a UserError where a token that config drops is one that the platform still sends with, whoever subscribed: each webhook would be
 * refused from then on. A platform that cannot be asked now holds nothing up, which is logged.
 */
export async function refuseTokenInUse(
  before: { config: Pick<Config, 'server' | 'platform'>; platform: Pick<Platform, 'webhooks'> | null },
  after: Pick<Config, 'platform'>,
  logger: Logger,
): Promise<void> {
  const { publicUrl } = before.config.server
  const dropped = before.config.platform.webhooks.tokens.filter((one) => !after.platform.webhooks.tokens.includes(one))
  if (dropped.length === 0) return
  const listed = await before.platform?.webhooks.list(AbortSignal.timeout(PATIENCE)).catch(() => null)
  if (!listed || publicUrl === undefined) return logger.warn({ todo: TODO }, 'config.tokens-not-looked-at')
  const inUse = listed.rows.filter(({ url }) => dropped.includes(readCallback(url, publicUrl)?.token ?? ''))
  if (inUse.length === 0) return
  const moved =
    after.platform.webhooks.kinds === undefined ? 'reload, change their addresses at the platform' : 'reload'
  throw new UserError(
    `platform.webhooks.tokens: ${inUse.length} subscriptions still send with a token that is taken out: each would be refused. Nothing was taken in: put the new token first, leave the old one below it, ${moved}, and take it out when tillbridge subscriptions list says that each has the first one.`,
  )
}

/** Nobody waits longer for a platform that is away (milliseconds). */
const PATIENCE = 10_000

const TODO =
  'A token was taken out, and whether the platform still sends with it could not be looked at: tillbridge subscriptions list.'
