import type { JobStatus } from '../../domain/health/job-status.ts'
import { counted, sentence } from '../../domain/values/text.ts'
import type { Subscription } from '../../platform/platform.ts'
import type { Client } from '../shared/client.ts'
import { type Finding, finding } from './finding.ts'
import { askHub } from './hub.ts'

/** The wishes that the subscriptions are held against. */
export interface Expected {
  /** Where the platform reaches this hub. */
  publicUrl: string | undefined
  /** Tokens that the hub accepts. */
  tokens: readonly string[]
  /** The kinds that the hub is to subscribe to by itself; undefined: it does not. */
  wanted: 'all' | readonly string[] | undefined
  /** The kinds that the platform offers, where they are known. */
  offered: readonly string[]
  /** How many of the list could not be read: any of them may send to this hub. */
  unread?: number
}

/** Subscriptions that send to this hub: their URL begins with publicUrl. */
export function oursOf(listed: readonly Subscription[], publicUrl: string | undefined): Subscription[] {
  return publicUrl === undefined ? [] : listed.filter(({ url }) => callbackOf(url, publicUrl) !== null)
}

/** Whether what the platform sends will arrive, and be taken. Pure. */
export function judgeSubscriptions(listed: readonly Subscription[], expected: Expected): Finding {
  const { publicUrl, tokens, wanted, unread = 0 } = expected
  const all = `${counted(listed.length, 'subscription')} at the platform`
  if (publicUrl === undefined)
    return {
      check: 'subscriptions',
      state: 'problem',
      says: `${all}; which of them send to this hub cannot be told.`,
      todo: 'set server.publicUrl in the config.',
    }
  const ours = oursOf(listed, publicUrl).map((one) => ({ ...one, callback: callbackOf(one.url, publicUrl) }))
  const kinds = new Set(ours.map(({ event }) => event))
  const missing = (wanted === 'all' ? expected.offered : (wanted ?? [])).filter((kind) => !kinds.has(kind))
  const refused = ours.filter(({ callback }) => !tokens.includes(callback?.token ?? ''))
  const mixedUp = ours.filter(({ event, callback }) => callback?.kind !== event)
  const twice = [...Map.groupBy(ours, ({ event, storeId }) => `${event} ${storeId ?? ''}`).values()].filter(
    ({ length }) => length > 1,
  )
  const limited = ours.filter(({ storeId }) => storeId !== null)
  const left = expected.offered.filter((kind) => !kinds.has(kind) && !missing.includes(kind))
  const unwatched = left.length === 0 ? '' : ` Not watched: ${counted(left.length, 'kind')} (${left.join(', ')}).`
  const remedy = wanted
    ? 'start the hub, which subscribes by itself at start and each hour; "tillbridge status" tells what it met.'
    : 'set platform.webhooks.kinds to all and the hub subscribes by itself, or correct them at the platform.'
  return finding('subscriptions', {
    fine: `${all}; ${ours.length} of them to this hub.${unwatched}`,
    faults: [
      ...(ours.length === 0 && unread === 0 ? ['The hub will get no webhooks.'] : []),
      ...(ours.length > 0 && missing.length > 0 && unread === 0 ? [`None for ${missing.join(', ')}.`] : []),
      ...(refused.length > 0 ? [`With a token that the hub does not accept: ${eventsOf(refused)}.`] : []),
      ...(mixedUp.length > 0
        ? [`With a URL that is not ${publicUrl}/webhooks/ and their kind: ${eventsOf(mixedUp)}.`]
        : []),
    ],
    remarks: [
      ...(unread > 0 ? [`${counted(unread, 'more row')} of its list cannot be read: any may send to this hub.`] : []),
      ...(twice.length > 0 ? [`More than one for ${eventsOf(twice.flat())}.`] : []),
      ...(limited.length > 0 ? [`For one store only: ${eventsOf(limited)}.`] : []),
    ],
    todo: remedy,
  })
}

/** The parts of a callback URL of ours; null: it sends to somebody else. `https://hub.example.com.evil.org` does. */
function callbackOf(text: string, publicUrl: string): { kind: string | null; token: string | null } | null {
  const url = URL.parse(text)
  const base = new URL(publicUrl)
  const begin = `${base.pathname.replace(/\/$/, '')}/`
  if (url?.origin !== base.origin || !url.pathname.startsWith(begin)) return null
  const [folder, kind = null] = url.pathname.slice(begin.length).split('/')
  return { kind: folder === 'webhooks' ? kind : null, token: url.searchParams.get('token') }
}

function eventsOf(subscriptions: readonly Subscription[]): string {
  return [...new Set(subscriptions.map(({ event }) => event))].join(', ')
}

/** What a running hub knows of its subscriptions, where the platform shows no list of them. */
export async function examineWithoutList(hub: () => Promise<Pick<Client, 'get'>>): Promise<Finding> {
  const says = 'The platform shows no list of subscriptions'
  const known = await askHub<{ jobs: JobStatus[] }>(hub, '/admin/jobs')
  if (known === null)
    return { check: 'subscriptions', state: 'note', says: `${says}, and no hub answers that remembers them.` }
  const job = known.jobs.find(({ name }) => name === 'subscriptions')
  if (job?.problem) return { check: 'subscriptions', state: 'problem', says: `${says}. ${sentence(job.problem)}` }
  const remembers = job?.note ? `the hub remembers: ${job.note}` : 'the hub makes none itself (platform.webhooks.kinds)'
  return { check: 'subscriptions', state: job?.note ? 'ok' : 'note', says: `${says}; ${remembers}.` }
}
