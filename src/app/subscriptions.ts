import type { Config } from '../config/config.ts'
import { UserError } from '../domain/values/errors.ts'
import { readUnresolved } from '../ingest/unresolved-events.ts'
import { knownSubscriptions, readCallback, wantedIds } from '../jobs/subscriptions/decide.ts'
import { keptKinds } from '../jobs/subscriptions/subscriptions.ts'
import type { Logger } from '../lib/logger.ts'
import { KINDS } from '../platform/payloads/kinds.ts'
import type { Platform } from '../platform/platform.ts'
import type { CompletenessContext, ReadWantedLogs } from '../storage/read-completeness.ts'
import type { Storage } from '../storage/storage.ts'

export function createCompletenessContext(
  { server, platform: asked }: Pick<Config, 'server' | 'platform'>,
  storage: Pick<Storage, 'jobs' | 'stores' | 'events' | 'bodies' | 'formerPlaces'>,
  platform: Pick<Platform, 'operations'> | null,
): CompletenessContext {
  const { kinds } = asked.webhooks
  return {
    wantedLogs: createWantedLogs({ server, platform: asked }, storage, platform),
    unresolved: (of) => readUnresolved(storage, asked.payloads, of),
    async kinds() {
      if (platform === null) return { offered: [], wanted: [] }
      const specified = KINDS.map(({ name }) => name)
      if (kinds !== 'all') return { offered: [...new Set([...specified, ...(kinds ?? [])])], wanted: kinds ?? [] }
      // Before the first subscriptions check: all kinds of the specification.
      const offered = await keptKinds(storage)
      return { offered: offered.length > 0 ? offered : specified, wanted: offered }
    },
  }
}

/**
 * Chooses the event logs to scan: subscribed kinds and those compared by day lists. If it is unknown whether the platform lists
 * subscriptions, a kind proven by day lists needs no log unless its subscription id is known.
 */
function createWantedLogs(
  { server, platform: asked }: Pick<Config, 'server' | 'platform'>,
  storage: Pick<Storage, 'jobs' | 'stores'>,
  platform: Pick<Platform, 'operations'> | null,
): ReadWantedLogs {
  const { kinds: wanted, stores: named } = asked.webhooks
  if (platform === null || server.publicUrl === undefined) return async () => []
  return async (marks) => {
    const kinds = wanted === 'all' ? await keptKinds(storage) : (wanted ?? [])
    const byLists = marks.filter(({ level }) => level === 'lists').map(({ kind }) => kind)
    const hasList = await platform.operations.isProven('webhooks.list')
    const byId = hasList ? [] : (await knownSubscriptions(storage, asked.webhooks.ids)).map(({ kind }) => kind)
    const stores = await storesOf()
    return [...new Set([...kinds, ...byLists])]
      .filter((kind) => hasList || byId.includes(kind) || !byLists.includes(kind))
      .flatMap((kind) => (kinds.includes(kind) ? stores : [undefined]).map((storeId) => ({ kind, storeId })))
  }

  /** Undefined: a filter set elsewhere stays, or config names an unknown store. */
  async function storesOf(): Promise<readonly (string | null | undefined)[]> {
    if (named === undefined) return [undefined]
    if (named === 'all') return [null]
    return wantedIds(named, await storage.stores()) ?? [undefined]
  }
}

/**
 * Throws a UserError if config drops a token that the platform still sends: its webhooks would be refused. A platform that cannot be
 * asked is logged and ignored.
 */
export async function refuseTokenInUse(
  before: { config: Pick<Config, 'server' | 'platform'>; platform: Pick<Platform, 'webhooks'> | null },
  after: Pick<Config, 'platform'>,
  logger: Logger,
): Promise<void> {
  const { publicUrl } = before.config.server
  const dropped = before.config.platform.webhooks.tokens.filter((one) => !after.platform.webhooks.tokens.includes(one))
  if (dropped.length === 0) return
  const listed = await before.platform?.webhooks.list(AbortSignal.timeout(TIMEOUT_MS)).catch(() => null)
  if (!listed || publicUrl === undefined) return logger.warn({ todo: REMEDY }, 'config.tokens-not-looked-at')
  const inUse = listed.rows.filter(({ url }) => dropped.includes(readCallback(url, publicUrl)?.token ?? ''))
  if (inUse.length === 0) return
  const moved =
    after.platform.webhooks.kinds === undefined ? 'reload, change their addresses at the platform' : 'reload'
  throw new UserError(
    `platform.webhooks.tokens: ${inUse.length} subscriptions still send with a token that is taken out: each would be refused. Nothing was taken in: put the new token first, leave the old one below it, ${moved}, and take it out when tillbridge subscriptions list says that each has the first one.`,
  )
}

const TIMEOUT_MS = 10_000

const REMEDY =
  'A token was taken out, and whether the platform still sends with it could not be looked at: tillbridge subscriptions list.'
