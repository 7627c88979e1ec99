import { z } from 'zod'
import { PermanentError, RetryLaterError, UserError } from '../domain/values/errors.ts'
import type { Subscription } from '../platform/platform.ts'
import { dryRun, Reason } from './asked.ts'
import type { AdminContext } from './context.ts'
import { get, NOTHING, notFound, ProblemError, post, type Route } from './routes.ts'

/** Its URL without the token. */
export interface ShownSubscription extends Pick<Subscription, 'id' | 'event' | 'storeId'> {
  url: string
  /** It sends to this hub; null: no `publicUrl`. */
  own: boolean | null
  /** Null: it is of another integration. */
  token: 'first' | 'other' | 'refused' | null
}

export interface SubscriptionsRemoved {
  removed: ShownSubscription[]
  failed: { id: string; why: string }[]
}

const Remove = z
  .strictObject({
    ids: z.array(z.string()).min(1).optional(),
    url: z.url({ protocol: /^https?$/ }).optional(),
    own: z.boolean().default(false),
    dryRun,
    reason: Reason,
  })
  .refine(
    ({ ids, url }) => (ids === undefined) !== (url === undefined),
    'say which: ids, or the address of a hub (url)',
  )

export function subscriptionRoutes({ config, platform, callbackAt }: AdminContext): Route[] {
  const { publicUrl } = config.server
  const { tokens } = config.platform.webhooks

  function shown({ id, event, storeId, url }: Subscription): ShownSubscription {
    const callback = publicUrl === undefined ? null : callbackAt(url, publicUrl)
    const place = callback === null || callback.token === null ? -1 : tokens.indexOf(callback.token)
    const token = place === -1 ? 'refused' : place === 0 ? 'first' : 'other'
    const own = publicUrl === undefined ? null : callback !== null
    return { id, event, storeId, url: withoutSecrets(url), own, token: callback && token }
  }

  async function list(): Promise<Subscription[]> {
    if (!platform) throw notFound('The config has no platform (platform.baseUrl).')
    return await orProblem(async () => (await platform.webhooks.list()).rows)
  }

  async function remove(chosen: readonly Subscription[]): Promise<SubscriptionsRemoved> {
    const result: SubscriptionsRemoved = { removed: [], failed: [] }
    for (const one of chosen)
      try {
        await platform?.webhooks.delete(one.id)
        result.removed.push(shown(one))
      } catch (error) {
        result.failed.push({ id: one.id, why: error instanceof Error ? error.message : String(error) })
      }
    return result
  }

  return [
    get('/subscriptions', NOTHING, async () => ({ subscriptions: (await list()).map(shown) })),

    post('/subscriptions/remove', 'remove-subscriptions', Remove, async (call): Promise<SubscriptionsRemoved> => {
      const { ids, url, own, dryRun, reason } = call.asked
      const listed = await list()
      const unknown = ids?.find((id) => listed.every((one) => one.id !== id))
      if (unknown !== undefined) throw new UserError(`ids: the platform has no subscription ${unknown}.`)
      const chosen = listed.filter((one) => (ids ? ids.includes(one.id) : callbackAt(one.url, url ?? '') !== null))
      if (!own && publicUrl === undefined)
        throw new UserError(
          'server.publicUrl is not set, so which are of this hub cannot be told: own says that you know.',
        )
      const ours = own ? [] : chosen.filter((one) => shown(one).own)
      if (ours.length > 0)
        throw new UserError(
          `${ours.length} of them send to this hub (${ours[0]?.event} …): without them it gets nothing. own removes them all the same.`,
        )
      if (dryRun) return { removed: chosen.map(shown), failed: [] }
      const selection = { ...(ids && { ids }), ...(url && { url: withoutSecrets(url) }) }
      await call.note({ selection, reason, changed: chosen.length })
      return await remove(chosen)
    }),
  ]
}

async function orProblem<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof RetryLaterError || error instanceof PermanentError)) throw error
    const title = 'The platform does not tell its subscriptions'
    throw new ProblemError({ status: 502, code: 'platform-does-not-tell', title, detail: error.message })
  }
}

function withoutSecrets(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.origin}${parsed.pathname}` : url.split(/[?#]/)[0] || url
}
