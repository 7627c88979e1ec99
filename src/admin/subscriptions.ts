import { type Response, Router } from 'express'
import { z } from 'zod'
import { problemOfRun } from '../domain/health/job-status.ts'
import type { SubscriptionPlan } from '../domain/health/subscription-plan.ts'
import { PermanentError, RetryLaterError, UserError } from '../domain/values/errors.ts'
import { answerProblem } from '../lib/http/problem.ts'
import type { Platform, Subscription } from '../platform/platform.ts'
import type { Acts } from './acts.ts'
import { notFound } from './asking.ts'
import { parse, Reason } from './filters.ts'
import type { Jobs } from './jobs.ts'

interface Options {
  /** Null: config has none. */
  platform: Pick<Platform, 'webhooks'> | null
  /** Where the platform reaches this hub, as config says; undefined: it does not. */
  publicUrl: string | undefined
  /** Tokens that the hub takes; the first is the one that it subscribes with. */
  tokens: readonly string[]
  /** Reads a callback URL as one of the hub at that address; null: it is somebody else's. */
  callbackAt: (url: string, publicUrl: string) => { token: string | null } | null
  /** The difference between what config wants and what is there. */
  plan: () => Promise<SubscriptionPlan>
  jobs: Pick<Jobs, 'run'>
  acts: Acts
}

/** A subscription at the platform; its URL without what is secret. */
export interface ShownSubscription extends Pick<Subscription, 'id' | 'event' | 'storeId'> {
  url: string
  /** The subscription sends to this hub; null: config does not say where that is. */
  own: boolean | null
  /** The token of this hub's: the first in config, another of them, or one that it refuses; null: the subscription is somebody else's. */
  token: 'first' | 'other' | 'refused' | null
}

export interface SubscriptionsRemoved {
  removed: ShownSubscription[]
  /** Subscriptions that the platform did not remove, and why. */
  failed: { id: string; why: string }[]
}

/** The result of bringing the platform to what config wants. */
export interface SubscriptionsApplied {
  /** The changes that were to be made. */
  changes: SubscriptionPlan['changes']
  /** The account of the run; what failed is in `problem`. */
  note: string | null
  problem: string | null
  /** Differences that are left, read anew. */
  left: SubscriptionPlan['changes']
}

const Apply = z.strictObject({
  /** The digest of the plan that somebody has read: another one is not carried out. */
  plan: z.string(),
  reason: Reason,
})

const Remove = z
  .strictObject({
    ids: z.array(z.string()).min(1).optional(),
    url: z.url({ protocol: /^https?$/ }).optional(),
    /** Also those of this hub. */
    own: z.boolean().default(false),
    dryRun: z.boolean().default(false),
    reason: Reason,
  })
  .refine(
    ({ ids, url }) => (ids === undefined) !== (url === undefined),
    'say which: ids, or the address of a hub (url)',
  )

/** `/admin/subscriptions`: what the platform sends to whom, and an end to what nobody takes any more. */
export function createSubscriptionsAdmin({
  platform,
  publicUrl,
  tokens,
  callbackAt,
  plan,
  jobs,
  acts,
}: Options): Router {
  const router = Router()

  router.get('/', async (_, response) => {
    const listed = await listIn(response)
    if (listed) response.json({ subscriptions: listed.map(shown) })
  })

  router.get('/plan', async (_, response) => {
    const read = await planIn(response)
    if (read) response.json(read)
  })

  // The job does it, under its lease: hubs that share a store do not change the same at once, and what is left undone is done again.
  router.post('/apply', acts.of('apply-subscriptions'), async (request, response) => {
    const { plan: read, reason } = parse(Apply, request.body)
    const now = await planIn(response)
    if (!now) return
    if (now.digest !== read)
      throw new UserError(
        'plan: what is subscribed, or config, has changed since. Look again: tillbridge subscriptions plan.',
      )
    const selection = { changes: now.changes.map(({ do: doing, kind, id }) => ({ do: doing, kind, id })) }
    await acts.note(request, { action: 'apply-subscriptions', selection, reason, changed: now.changes.length })
    const job = await jobs.run('subscriptions')
    const after = await planIn(response)
    if (after)
      response.json({
        changes: now.changes,
        note: job.note,
        problem: problemOfRun(job),
        left: after.changes,
      } satisfies SubscriptionsApplied)
  })

  router.post('/remove', acts.of('remove-subscriptions'), async (request, response) => {
    const { ids, url, own, dryRun, reason } = parse(Remove, request.body)
    const listed = await listIn(response)
    if (!listed) return
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
    if (dryRun) return void response.json({ removed: chosen.map(shown), failed: [] })
    const selection = { ...(ids && { ids }), ...(url && { url: placeOf(url) }) }
    await acts.note(request, { action: 'remove-subscriptions', selection, reason, changed: chosen.length })
    response.json(await remove(chosen))
  })
  return router

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

  /** Null: that there is no platform, or why it does not tell, is answered. */
  async function listIn(response: Response): Promise<Subscription[] | null> {
    if (!platform) {
      notFound(response, 'The config has no platform (platform.baseUrl).')
      return null
    }
    return await toldIn(response, async () => (await platform.webhooks.list()).rows)
  }

  function planIn(response: Response): Promise<SubscriptionPlan | null> {
    return toldIn(response, plan)
  }

  /** Null: why the platform does not tell is answered. */
  async function toldIn<T>(response: Response, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof RetryLaterError || error instanceof PermanentError)) throw error
      answerProblem(response, {
        status: 502,
        code: 'platform-does-not-tell',
        title: 'The platform does not tell its subscriptions',
        detail: error.message,
      })
      return null
    }
  }

  function shown({ id, event, storeId, url }: Subscription): ShownSubscription {
    const callback = publicUrl === undefined ? null : callbackAt(url, publicUrl)
    return {
      id,
      event,
      storeId,
      url: placeOf(url),
      own: publicUrl === undefined ? null : callback !== null,
      token: callback && standingOf(callback.token),
    }
  }

  function standingOf(token: string | null): ShownSubscription['token'] {
    const place = token === null ? -1 : tokens.indexOf(token)
    if (place === -1) return 'refused'
    return place === 0 ? 'first' : 'other'
  }
}

/** Without the token, and whatever else is behind a question mark. */
function placeOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.origin}${parsed.pathname}` : url.split(/[?#]/)[0] || url
}
