import { z } from 'zod'
import type { KindAcknowledged } from '../domain/catalogue/finding.ts'
import { messageOf, PermanentError, RetryLaterError, UserError } from '../domain/values/errors.ts'
import { refusal } from '../http/problem.ts'
import { SHAPES } from '../platform/payloads/known/kinds.ts'
import { type KindReport, kindReport } from '../platform/payloads/schema/match.ts'
import { UNREAD } from '../platform/payloads/unread.ts'
import type { Subscription } from '../platform/platform.ts'
import { didYouMean, dryRun, Reason, Why } from './asked.ts'
import type { AdminContext } from './context.ts'
import { get, NOTHING, notFound, post, type Route } from './routes.ts'

export interface KindState extends KindReport {
  /** Deliveries held for an unreadable field. */
  held: number
  /** Events without a business key. */
  quarantined: number
  acknowledged: KindAcknowledged | null
}

const MAX_COUNTED = 2_000
const PAGE = 500

export function kindRoutes({ storage, mappings, schemas, acknowledgedKinds, clock }: AdminContext): Route[] {
  async function statesOf(kinds: readonly string[]): Promise<KindState[]> {
    const kept = await schemas()
    const reports = kinds.flatMap((kind) => kindReport(kind, kept[kind] ?? [], mappings) ?? [])
    if (reports.length === 0) return []
    const waiting = await newest((before) => storage.deliveries({ state: 'held', limit: PAGE, ...before }))
    const held = waiting.filter(({ code }) => code === UNREAD)
    const quarantined = await newest((before) =>
      storage.events({ state: 'quarantined', dismissed: false, limit: PAGE, ...before }),
    )
    const countOf = (rows: readonly { kind: string }[], kind: string) => rows.filter((row) => row.kind === kind).length
    const said = await acknowledgedKinds()
    return reports.map((report) => ({
      ...report,
      held: countOf(held, report.kind),
      quarantined: countOf(quarantined, report.kind),
      acknowledged: said.get(report.kind) ?? null,
    }))
  }

  return [
    get('/kinds', NOTHING, async () => ({ kinds: await statesOf([...SHAPES.keys()]) })),

    get('/kinds/:kind', NOTHING, async ({ params: { kind = '' } }) => {
      const [found] = await statesOf([kind])
      if (!found) throw notFound(`The hub reads no kind "${kind}". ${didYouMean(kind, [...SHAPES.keys()], 'Kinds')}`)
      return found
    }),

    post('/kinds/:kind/acknowledge', 'acknowledge-kind', Why, async ({ params, asked: { reason }, note, operator }) => {
      const { kind = '' } = params
      if (!SHAPES.has(kind))
        throw notFound(`Nothing is known of the kind "${kind}". ${didYouMean(kind, [...SHAPES.keys()], 'Kinds')}`)
      const said: KindAcknowledged = { kind, at: clock.now(), by: operator, reason }
      await storage.saveFindings([{ type: 'keep', finding: { sort: 'kind-acknowledged', says: said } }])
      await note({ selection: { kind }, reason, changed: 1 })
      return said
    }),
  ]
}

async function newest<Row extends { id: number }>(
  read: (before: { before?: number }) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  while (rows.length < MAX_COUNTED) {
    const last = rows.at(-1)
    const page = await read(last ? { before: last.id } : {})
    rows.push(...page)
    if (page.length < PAGE) break
  }
  return rows
}

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
    try {
      return (await platform.webhooks.list()).rows
    } catch (error) {
      if (!(error instanceof RetryLaterError || error instanceof PermanentError)) throw error
      throw refusal('platform-does-not-tell', error.message)
    }
  }

  async function remove(chosen: readonly Subscription[]): Promise<SubscriptionsRemoved> {
    const result: SubscriptionsRemoved = { removed: [], failed: [] }
    for (const one of chosen)
      try {
        await platform?.webhooks.delete(one.id)
        result.removed.push(shown(one))
      } catch (error) {
        result.failed.push({ id: one.id, why: messageOf(error) })
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
          'server.publicUrl is not set, so which are of this hub is not known: own says that you know.',
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

function withoutSecrets(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.origin}${parsed.pathname}` : url.split(/[?#]/)[0] || url
}
