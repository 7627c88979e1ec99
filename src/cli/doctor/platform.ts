import type { EventList } from '../../admin/events.ts'
import type { CheckedSystem, Doctored, Status } from '../../admin/health.ts'
import type { Offline } from '../../app/offline.ts'
import {
  type HealthItem,
  itemNameOf,
  type JobStatus,
  listHealth,
  type RejectedRows,
  type UnshownEndpoint,
  WORKED,
} from '../../domain/health/health.ts'
import { PLATFORM, plainGuid } from '../../domain/queue/event.ts'
import { adviceOn } from '../../domain/queue/outcome.ts'
import type { StoreRecord } from '../../domain/stores/store-index.ts'
import { isNoEndpointCode, messageOf, UserError } from '../../domain/values/errors.ts'
import { pluralize, sentence, stripPrefix } from '../../domain/values/text.ts'
import { NEEDS } from '../../jobs/engine/job.ts'
import { isRecord, type RejectedRowsLog, type Unreadable } from '../../platform/http/read.ts'
import { KINDS } from '../../platform/payloads/kinds.ts'
import { GUESSED_KINDS, SHAPES } from '../../platform/payloads/known/kinds.ts'
import { isPath, type Mappings } from '../../platform/payloads/mapping/mapping.ts'
import { knownFrom, locationOf } from '../../platform/payloads/read-field.ts'
import { judgeSchema, type SchemaVerdict } from '../../platform/payloads/schema/match.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import { readSchema } from '../../platform/resources/webhooks.ts'
import type { EventDetail } from '../../storage/rows.ts'
import { type Client, codeOf } from '../shared/client.ts'
import { ownLines, stateWord, when } from '../shared/output.ts'

/** Null: stores could not be read. */
export async function checkAccess(
  platform: Pick<Platform, 'stores'>,
): Promise<{ findings: Finding[]; stores: StoreRecord[] | null }> {
  try {
    const { rows: stores } = await platform.stores.list()
    const findings: Finding[] = [
      { check: 'platform', state: 'ok', says: 'The platform answers.' },
      { check: 'credentials', state: 'ok', says: 'It accepts both keys.' },
      judgeStores(stores),
    ]
    return { findings, stores }
  } catch (error) {
    return { findings: judgeFailure(error), stores: null }
  }
}

export function judgeFailure(error: unknown): Finding[] {
  const says = stripPrefix(PLATFORM, sentenceOf(error))
  const code = codeOf(error)
  if (code === 'http-401' || code === 'http-403')
    return [
      { check: 'platform', state: 'ok', says: 'The platform answers.' },
      { check: 'credentials', state: 'problem', says, todo: keysToLookAt(code, says) },
    ]
  return [{ check: 'platform', state: 'problem', says, todo: remedyOf(code) }]
}

export function judgeStores(stores: readonly StoreRecord[]): Finding {
  const named = (lacking: (store: StoreRecord) => boolean) =>
    stores.filter(lacking).map(({ storeId, name }) => `${name ?? 'store'} (${storeId})`)
  const zoneless = named(({ zone }) => zone === null)
  const numberless = named(({ number }) => number === null)
  const stockless = named(({ stockId }) => stockId === null)
  const currencies = [...new Set(stores.flatMap(({ currency }) => currency ?? []))].sort()
  const faults = [
    stores.length === 0 && 'So this key sees none.',
    zoneless.length > 0 && `Without a known time zone, so their times cannot be read: ${zoneless.join(', ')}.`,
  ]
  const remarks = [
    numberless.length > 0 && `Without a number of your own (StoreNo): ${numberless.join(', ')}.`,
    stockless.length > 0 && `Without a stock: ${stockless.join(', ')}.`,
    currencies.length > 1 && `In several currencies, each of which needs a price list: ${currencies.join(', ')}.`,
  ]
  const todo =
    stores.length === 0
      ? 'in the portal, see that the integration user is of type company.'
      : 'ask the contact at the platform to set what is missing.'
  return finding('stores', { fine: `${pluralize(stores.length, 'store')}.`, faults, remarks, todo })
}

export function judgeKinds(
  offered: readonly string[],
  wanted: 'all' | readonly string[] | undefined,
  unread = 0,
): Finding {
  const fresh = offered.filter((kind) => KINDS.every(({ name }) => name !== kind))
  const absent = unread > 0 ? [] : KINDS.map(({ name }) => name).filter((name) => !offered.includes(name))
  const strange = Array.isArray(wanted) && unread === 0 ? wanted.filter((kind) => !offered.includes(kind)) : []
  return finding('kinds', {
    fine: `The platform offers ${pluralize(offered.length, 'kind')} of events; this version knows ${KINDS.length}.`,
    faults: [
      offered.length === 0 && 'There is nothing to subscribe to.',
      strange.length > 0 && `Config wants ${strange.join(', ')}, which it does not offer.`,
    ],
    remarks: [
      fresh.length > 0 && `New, taken as events that the hub knows nothing of: ${fresh.join(', ')}.`,
      unread > 0 && `${pluralize(unread, 'more row')} of its list cannot be read.`,
      absent.length > 0 && `Not offered: ${absent.join(', ')}.`,
    ],
    todo:
      offered.length === 0
        ? 'ask the contact at the platform to switch webhooks on.'
        : 'correct platform.webhooks.kinds in the config.',
  })
}

export async function attempted(check: Finding['check'], healthCheck: () => Promise<Finding>): Promise<Finding> {
  try {
    return await healthCheck()
  } catch (error) {
    return {
      check,
      state: 'problem',
      says: stripPrefix(PLATFORM, sentenceOf(error)),
      todo: 'look again later; if it stays, ask the platform.',
    }
  }
}

const API_KEY =
  'platform.apiKey (sent as x-api-key) is made in the portal: Admin > Integration users > New Integration User, type company, save; the token is shown once'
const SUBSCRIPTION_KEY =
  'platform.subscriptionKey (sent as Ocp-Apim-Subscription-Key) is the key of your company in the developer portal of the platform'

function keysToLookAt(code: string, said: string): string {
  if (/subscription[ -]key/i.test(said)) return `${SUBSCRIPTION_KEY}.`
  if (code === 'http-403') return `the keys are known, but may not do this. ${API_KEY}.`
  return `look at both keys. ${API_KEY}; ${SUBSCRIPTION_KEY}.`
}

function remedyOf(code: string): string {
  if (code === 'unreachable' || code === 'no-answer')
    return 'look at platform.baseUrl, and whether this machine may reach it (name, firewall, proxy).'
  if (/^(certificate|address)-refused$/.test(code)) return adviceOn(code).todo
  if (/^http-(429|5\d\d)$/.test(code)) return 'the platform is down or busy; look again later.'
  return 'something answers, but not as the platform does: look at platform.baseUrl (without /api) and platform.preset.'
}

const MAX_NAMED = 12

/** An unreadable list is not empty. */
export function unreadable(check: Finding['check'], operation: string, rejected: readonly Unreadable[]): Finding {
  const [first] = rejected
  const names = isRecord(first?.record) ? Object.keys(first.record).slice(0, MAX_NAMED) : []
  const has = names.length === 0 ? '' : ` Its fields: ${names.join(', ')}.`
  return {
    check,
    state: 'problem',
    says: `What ${operation} answers cannot be read: ${pluralize(rejected.length, 'row')}, of which row ${first?.row ?? 1} ${first?.why ?? 'is unknown'}.${has} So nothing is known of what it lists.`,
    todo: `say where it stands: list, record or fields of platform.endpoints.${operation} (docs/own-way.md).`,
  }
}

export type KeptWebhook = Pick<EventDetail, 'kind' | 'receivedAt' | 'headers'>

const HOUR = 3_600_000
/** A chain may have a subscription per store. */
const MAX_LOGS = 20

/** Compares headers of the newest stored webhooks with event ids of the platform's log. */
export async function checkEventId(
  platform: Pick<Platform, 'events'>,
  hub: Pick<Client, 'get'>,
  ours: readonly Subscription[],
  configured: string | undefined,
): Promise<Finding> {
  const kept = await storedWebhooks(hub)
  if (!Array.isArray(kept)) return kept
  const kinds = new Set(kept.map(({ kind }) => kind))
  const times = kept.map(({ receivedAt }) => receivedAt)
  const window = { from: Math.min(...times) - HOUR, to: Math.max(...times) + HOUR }
  const ids = new Set<string>()
  if (kept.length > 0)
    for (const { id } of ours.filter(({ event }) => kinds.has(event)).slice(0, MAX_LOGS))
      for (const { webhookEventId } of (await platform.events.list({ webhookId: id, ...window })).rows)
        ids.add(plainGuid(webhookEventId) ?? '')
  ids.delete('')
  return judgeEventId(kept, ids, configured)
}

/** `ids`: plain GUIDs of the platform's log. */
export function judgeEventId(
  kept: readonly KeptWebhook[],
  ids: ReadonlySet<string>,
  configured: string | undefined,
): Finding {
  const check = 'event id'
  if (kept.length === 0)
    return { check, state: 'note', says: 'The hub has kept no webhook lately. Look again when some have come.' }
  const headers = kept.flatMap((one) => Object.entries(one.headers))
  const named = headers.flatMap(([name, value]) => (ids.has(plainGuid(value) ?? '') ? [name] : []))
  const found = [...Map.groupBy(named, (name) => name)].sort(([, a], [, b]) => b.length - a.length)
  const [best] = found.map(([name]) => name)
  const compared = `${pluralize(kept.length, 'kept webhook')} and ${pluralize(ids.size, 'event')} of the platform's log`
  const own = found.find(([name]) => name === configured)
  if (own) {
    const says = `${configured} names the event in ${own[1].length} of ${pluralize(kept.length, 'kept webhook')}.`
    return { check, state: 'ok', says }
  }
  if (best !== undefined) {
    const names = found.map(([name]) => name).join(' or ')
    const instead = configured === undefined ? '' : `, not ${configured}`
    const says = `The platform names the event in the header ${names}${instead} (${compared}).`
    const todo = `set platform.webhooks.eventIdHeader: ${best}, so that duplicates are recognised by it.`
    return { check, state: 'problem', says, todo }
  }
  if (configured !== undefined && headers.every(([name]) => name !== configured)) {
    const todo = 'take platform.webhooks.eventIdHeader out of the config, or correct it.'
    return { check, state: 'problem', says: `No kept webhook has the header ${configured} (${compared}).`, todo }
  }
  return { check, state: 'note', says: `No header names an event of the platform's log (${compared}).` }
}

const LOOKED_AT = 20

/** The newest webhooks, or why there are none. */
async function storedWebhooks(hub: Pick<Client, 'get'>): Promise<KeptWebhook[] | Finding> {
  try {
    const kept: KeptWebhook[] = []
    const { events } = await hub.get<Pick<EventList, 'events'>>('/admin/events', { webhooks: true, limit: LOOKED_AT })
    for (const { id } of events) {
      const { kind, receivedAt, headers } = await hub.get<KeptWebhook>(`/admin/events/${id}`)
      kept.push({ kind, receivedAt, headers })
    }
    return kept
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    // No hub answers: not set up yet. A hub that refuses: the token is wrong.
    const state = error.cause ? 'note' : 'problem'
    const says = `The header that names the event is learnt from webhooks that the hub keeps.${error.cause ? '' : ` ${error.message}`}`
    return { check: 'event id', state, says, todo: 'look again when the hub works and webhooks have come.' }
  }
}

interface Expected {
  publicUrl: string | undefined
  tokens: readonly string[]
  /** Undefined: the hub does not subscribe. */
  wanted: 'all' | readonly string[] | undefined
  offered: readonly string[]
  /** Unreadable rows: any may send to this hub. */
  unread?: number
}

export function oursOf(listed: readonly Subscription[], publicUrl: string | undefined): Subscription[] {
  return publicUrl === undefined ? [] : listed.filter(({ url }) => callbackOf(url, publicUrl) !== null)
}

export function judgeSubscriptions(listed: readonly Subscription[], expected: Expected): Finding {
  const { publicUrl, tokens, wanted, unread = 0 } = expected
  const all = `${pluralize(listed.length, 'subscription')} at the platform`
  if (publicUrl === undefined)
    return {
      check: 'subscriptions',
      state: 'problem',
      says: `${all}; which of them send to this hub is not known.`,
      todo: 'set server.publicUrl in the config.',
    }
  const ours = oursOf(listed, publicUrl).map((one) => ({ ...one, callback: callbackOf(one.url, publicUrl) }))
  const kinds = new Set(ours.map(({ event }) => event))
  const missing = (wanted === 'all' ? expected.offered : (wanted ?? [])).filter((kind) => !kinds.has(kind))
  const refused = ours.filter(({ callback }) => !tokens.includes(callback?.token ?? ''))
  const mixedUp = ours.filter(({ event, callback }) => callback?.kind !== event)
  const limited = ours.filter(({ storeId }) => storeId !== null)
  const left = expected.offered.filter((kind) => !kinds.has(kind) && !missing.includes(kind))
  const unwatched = left.length === 0 ? '' : ` Not watched: ${pluralize(left.length, 'kind')} (${left.join(', ')}).`
  const remedy = wanted
    ? 'start the hub, which subscribes by itself at start and each hour; "tillbridge status" shows what it met.'
    : 'set platform.webhooks.kinds to all and the hub subscribes by itself, or correct them at the platform.'
  return finding('subscriptions', {
    fine: `${all}; ${ours.length} of them to this hub.${unwatched}`,
    faults: [
      ours.length === 0 && unread === 0 && 'The hub will get no webhooks.',
      ours.length > 0 && missing.length > 0 && unread === 0 && `None for ${missing.join(', ')}.`,
      refused.length > 0 && `With a token that the hub does not accept: ${eventsOf(refused)}.`,
      mixedUp.length > 0 && `With a URL that is not ${publicUrl}/webhooks/ and their kind: ${eventsOf(mixedUp)}.`,
    ],
    remarks: [
      unread > 0 && `${pluralize(unread, 'more row')} of its list cannot be read: any may send to this hub.`,
      limited.length > 0 && `For one store only: ${eventsOf(limited)}.`,
    ],
    todo: remedy,
  })
}

/** Null: another host's, such as `https://hub.example.com.evil.org`. */
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

/** Where the platform has no list of subscriptions. */
export async function checkWithoutList(hub: () => Promise<Pick<Client, 'get'>>): Promise<Finding> {
  const says = 'The platform shows no list of subscriptions'
  const known = await askHub<{ jobs: JobStatus[] }>(hub, '/admin/jobs')
  if (known === null)
    return { check: 'subscriptions', state: 'note', says: `${says}, and no hub answers that remembers them.` }
  const job = known.jobs.find(({ name }) => name === 'subscriptions')
  if (job?.problem) return { check: 'subscriptions', state: 'problem', says: `${says}. ${sentence(job.problem)}` }
  const remembers = job?.note ? `the hub remembers: ${job.note}` : 'the hub makes none itself (platform.webhooks.kinds)'
  return { check: 'subscriptions', state: job?.note ? 'ok' : 'note', says: `${says}; ${remembers}.` }
}

export interface Acting extends Pick<Offline, 'actingOn'> {
  mappings: Mappings
}

export async function checkFields(
  platform: Pick<Platform, 'webhooks'>,
  offered: readonly string[],
  acting: Acting,
): Promise<Finding> {
  const verdicts: SchemaVerdict[] = []
  for (const kind of offered.filter((one) => SHAPES.has(one))) {
    // A platform need not show schemas.
    const fields = await readSchema(platform, kind)
    if (fields !== null) verdicts.push(judgeSchema(kind, fields, acting.mappings))
  }
  return judgeFields(verdicts, acting)
}

/** Null: no platform to ask. */
export function judgeFields(asked: readonly SchemaVerdict[] | null, acting: Acting): Finding {
  const verdicts = asked ?? []
  // An ambiguous field is no evidence.
  const found = new Set(
    verdicts.flatMap(({ kind, fields }) =>
      fields.filter(({ state }) => state === 'found').map(({ field }) => `${kind}.${field}`),
    ),
  )
  const guesses = guessesText(guessesOf(acting, (kind, field) => found.has(`${kind}.${field}`)))
  const acted = verdicts.filter(({ kind }) => acting.actingOn(kind).length > 0)
  const lacking = acted.filter(({ otherwise }) => otherwise.length > 0)
  const warnings = acted.flatMap(({ kind, fields }) =>
    fields
      .filter(({ state }) => state === 'ambiguous')
      .map(
        ({ field, at }) =>
          `${kind}: its schema has ${at.join(' and ')}, and the hub reads the first that is there as ${field}; platform.payloads.${kind}.${field} says which is meant.`,
      ),
  )
  const held = 'Events of these kinds are held or quarantined before config says where it stands.'
  return finding('fields', {
    fine: fineOf(asked),
    faults: [...lacking.map(absentText), ...(lacking.length > 0 ? [held] : [])].map(onOwnLine),
    remarks: [...warnings, ...(guesses === null ? [] : [guesses])].map(onOwnLine),
    todo: `\n  have the mapping written for you, with what is open marked: tillbridge kinds propose ${lacking
      .map(({ kind }) => kind)
      .join(' ')}`,
  })
}

const MAX_FIELDS = 3

function absentText({ kind, otherwise }: SchemaVerdict): string {
  const fields = otherwise.map(({ fields, candidates }) => {
    const named = candidates.slice(0, MAX_FIELDS).join(', ')
    const more = candidates.length > MAX_FIELDS ? ', …' : ''
    return `${fields.join(' or ')}${named === '' ? '' : ` (it has ${named}${more})`}`
  })
  return `${kind}: its schema does not have, by the names that the hub reads: ${fields.join('; ')}.`
}

function onOwnLine(text: string): string {
  return `\n  ${text}`
}

function fineOf(asked: readonly SchemaVerdict[] | null): string {
  if (asked === null) return 'The platform cannot be asked what the fields of its kinds are called.'
  if (asked.length === 0) return 'The platform shows no schema of its kinds.'
  return `The platform shows the schema of ${pluralize(asked.length, 'kind')}.`
}

interface Guess {
  kind: string
  destinations: string[]
  /** Essential fields with guessed names. */
  fields: string[]
}

/** Kinds that destinations act on whose essential fields are guessed: not documented, mapped, or in the platform's schema. */
export function guessesOf(
  { actingOn, mappings }: Acting,
  inSchema: (kind: string, field: string) => boolean = () => false,
): Guess[] {
  return GUESSED_KINDS.flatMap((kind) => {
    const destinations = actingOn(kind)
    const shape = SHAPES.get(kind)
    if (destinations.length === 0 || !shape) return []
    const given = Object.hasOwn(mappings, kind) ? (mappings[kind] ?? {}) : {}
    const isGuess = (field: string) => {
      const known = shape.fields[field]
      return known && knownFrom(known, Object.hasOwn(given, field), inSchema(kind, field)) === 'guess'
    }
    // One field of a group is enough.
    const groups = shape.essentials.filter((group) =>
      group.every((field) => isGuess(field) && !isComputed(field, given)),
    )
    const fields = groups.flat()
    return fields.length === 0 ? [] : [{ kind, destinations, fields }]
  })
}

/** Config computes its list, with the hub's own names. */
function isComputed(field: string, given: Readonly<Record<string, string>>): boolean {
  const { list } = locationOf(field)
  const where = list === null ? undefined : given[list]
  return where !== undefined && !isPath(where)
}

export function guessesText(guesses: readonly Guess[]): string | null {
  if (guesses.length === 0) return null
  const kinds = guesses.map(({ kind, destinations }) => `${kind} (${destinations.join(', ')})`)
  return `The field names of these are documented nowhere, so they are guessed; a field that cannot be read holds its delivery, and nothing is sent incomplete: ${kinds.join(', ')}.`
}

export async function checkHub(hub: () => Promise<Pick<Client, 'get'>>): Promise<Finding[]> {
  const client = await orWhy(hub)
  if (client instanceof UserError) return [notAsked('unknown', client)]
  const doctored = await orWhy(() => client.get<Doctored>('/admin/doctor'))
  if (!(doctored instanceof UserError)) return [...judgeHub(doctored.items), ...doctored.systems.flatMap(judgeSystem)]
  return [notAsked(doctored.cause ? 'unknown' : 'problem', doctored)]
}

/** Null: no answer; the check of the event id says why. */
async function askHub<T>(hub: () => Promise<Pick<Client, 'get'>>, path: string): Promise<T | null> {
  const answer = await orWhy(async () => (await hub()).get<T>(path))
  return answer instanceof UserError ? null : answer
}

function notAsked(state: Finding['state'], error: UserError): Finding {
  return { check: 'hub', state, says: `It cannot be asked how it is. ${sentenceOf(error)}` }
}

async function orWhy<T>(ask: () => Promise<T>): Promise<T | UserError> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
}

/** Unreadable rows are reported with the doctor's own (checkRows). */
function judgeHub(items: readonly HealthItem[]): Finding[] {
  const reported = items.filter(({ state, area }) => state !== 'ok' && area !== 'list')
  if (reported.length === 0)
    return [{ check: 'hub', state: 'ok', says: 'It runs, can write, and nothing needs a person.' }]
  return reported.map((item) => ({
    check: 'hub',
    state: item.state,
    says: `${itemNameOf(item)}: ${item.means}`,
    ...(item.todo !== null && { todo: item.todo }),
  }))
}

export function judgeSystem({ destination, found }: CheckedSystem): Finding[] {
  const check = 'destinations'
  if (found === null) return [{ check, state: 'note', says: `${destination}: nothing to ask it by.` }]
  return found.map(({ what, state, says, todo }) => ({
    ...{ check, state, says: `${destination}, ${what}: ${says}` },
    ...(todo !== undefined && { todo }),
  }))
}

export function createRowsSeen(now: () => number): RejectedRowsLog & { all(): RejectedRows[] } {
  const seen: RejectedRows[] = []
  return {
    listed(operation, about, rejected) {
      for (const [why, rows] of Map.groupBy(rejected, (one) => one.why))
        seen.push({ operation, why, rows: rows.length, about: about === '' ? [] : [about], since: now() })
    },
    all: () => seen,
  }
}

/** One finding per operation and cause, seen by the doctor or the hub. */
export async function checkRows(
  seen: readonly RejectedRows[],
  hub: () => Promise<Pick<Client, 'get'>>,
): Promise<Finding[]> {
  const all = new Map<string, RejectedRows>()
  const status = await askHub<Partial<Status>>(hub, '/admin/status')
  for (const one of [...seen, ...(status?.rejected ?? [])]) {
    const key = `${one.operation} ${one.why}`
    if (!all.has(key)) all.set(key, one)
  }
  return listHealth([...all.values()]).map(({ state, means, todo }) => ({
    ...{ check: 'rows', state, says: means },
    ...(todo !== null && { todo }),
  }))
}

export async function checkEndpoints(hub: () => Promise<Pick<Client, 'get'>>): Promise<Finding[]> {
  const known = await askHub<{ endpoints: UnshownEndpoint[] }>(hub, '/admin/endpoints')
  return (known?.endpoints ?? []).flatMap(judgeEndpoint)
}

function judgeEndpoint({ operation, address, use }: UnshownEndpoint): Finding[] {
  if (use === null || use.came === WORKED) return []
  const { came, firstAt } = use
  const jobs = Object.entries(NEEDS).flatMap(([job, needs]) => (needs === operation ? [job] : []))
  const off = jobs.length === 0 ? 'What needs it may not be done.' : `Off without it: ${jobs.join(', ')}.`
  // There may have been nothing to answer with.
  const isUnsure =
    came === 'nothing' || (came === 'http-404' && (address.includes('{') || operation.startsWith('orders.')))
  // The hub has another way, or the job that is off says so.
  const isAbsent = isNoEndpointCode(came) && (CAN_BE_ABSENT.includes(operation) || jobs.length > 0)
  return [
    {
      check: 'endpoints',
      state: isUnsure || isAbsent ? 'note' : 'problem',
      says: `${operation} (${address}) is a guess, was first used ${when(firstAt)}, and has never worked: it answered ${ANSWERS[came] ?? came.replace(/^http-/, '')}.${isUnsure ? ' There may have been nothing to answer with.' : ''} ${MEANS[operation] ?? off}`,
      todo: `ask the contact at the platform how it is called there, and set platform.endpoints.${operation} (docs/platform-unknowns.md); null where there is none.`,
    },
  ]
}

/** The consequences that cost money or goods. */
const MEANS: Readonly<Record<string, string>> = {
  'orders.read':
    'Until it returns an order, its word that there is none is not believed: an order whose answer was lost waits for an operator, and is not sent twice.',
  'orders.delete': 'Cancelled orders may still be at their stores: each one that was not cancelled is a dead letter.',
  'orders.update': 'Changed orders may be at their stores as they were: each is a dead letter.',
}

const CAN_BE_ABSENT = [
  ...['prices.lists', 'webhooks.list', 'events.resend', 'events.get', 'stockStatus.list'],
  'products.bulkUpsert',
]

const ANSWERS: Readonly<Record<string, string>> = {
  nothing: 'success and nothing in it',
  'not-json': 'a page, not data',
  'unexpected-answer': 'something else than is known elsewhere',
  refused: 'an id that is none',
}

/** `note`: nothing is wrong; `unknown`: could not be asked. */
export interface Finding {
  check: string
  state: HealthItem['state']
  /** Without secrets and personal data. */
  says: string
  todo?: string
}

type Sentences = readonly (string | false)[]

/** Faults first, then remarks, else `fine`. */
function finding(
  check: string,
  { fine, faults = [], remarks = [], todo }: { fine: string; faults?: Sentences; remarks?: Sentences; todo?: string },
): Finding {
  const [wrong, noted] = [faults, remarks].map((all) => all.filter((one) => one !== false))
  const state = wrong?.length ? 'problem' : noted?.length ? 'note' : 'ok'
  const says = [fine, ...(wrong ?? []), ...(noted ?? [])].join(' ').replaceAll(' \n', '\n')
  return { check, state, says, ...(state === 'problem' && todo !== undefined && { todo }) }
}

export function findingLine({ check, state, says, todo }: Finding): string {
  const words = todo === undefined ? says : `${says} To do: ${todo}`
  return `${stateWord(state)}  ${check.padEnd(13)}  ${ownLines(words)}`
}

export function sentenceOf(error: unknown): string {
  return sentence(messageOf(error))
}
