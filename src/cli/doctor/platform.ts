import { PLATFORM } from '../../domain/queue/event.ts'
import { adviceOn } from '../../domain/queue/outcome.ts'
import type { StoreRecord } from '../../domain/stores/store-index.ts'
import { pluralize, stripPrefix } from '../../domain/values/text.ts'
import { isRecord, type Unreadable } from '../../platform/http/read.ts'
import { KINDS } from '../../platform/payloads/kinds.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Finding, finding, sentenceOf } from './hub.ts'

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
  if (code === 'certificate-refused') return adviceOn(code).todo
  if (/^http-(429|5\d\d)$/.test(code)) return 'the platform is down or busy; look again later.'
  return 'something answers, but not as the platform does: look at platform.baseUrl (without /api) and platform.preset.'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
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
