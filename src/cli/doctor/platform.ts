import type { StoreRecord } from '../../domain/places/store-index.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import { adviceOn } from '../../domain/queue/outcome.ts'
import { isNotThere } from '../../domain/values/errors.ts'
import { bareWhy, counted } from '../../domain/values/text.ts'
import { KINDS } from '../../payloads/kinds.ts'
import { PRESETS, type Preset } from '../../platform/http/endpoints.ts'
import { isRecord, type Unreadable } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Finding, finding, sentenceOf } from './finding.ts'

/** The findings, and the stores; null where they could not be asked for. */
interface Access {
  findings: Finding[]
  stores: StoreRecord[] | null
}

/** Whether the platform answers, whether it knows us, and its stores. What the stores are asked tells all three. */
export async function examineAccess(platform: Pick<Platform, 'stores'>): Promise<Access> {
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

/** The findings from a failed first question. Pure. */
export function judgeFailure(error: unknown): Finding[] {
  const says = bareWhy(PLATFORM, sentenceOf(error))
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'http-401' || code === 'http-403')
    return [
      { check: 'platform', state: 'ok', says: 'The platform answers.' },
      { check: 'credentials', state: 'problem', says, todo: keysToLookAt(code, says) },
    ]
  return [{ check: 'platform', state: 'problem', says, todo: remedyOf(code) }]
}

/** The finding on stores: how many there are, and which of them nobody could work with. Pure. */
export function judgeStores(stores: readonly StoreRecord[]): Finding {
  const named = (lacking: (store: StoreRecord) => boolean) =>
    stores.filter(lacking).map(({ storeId, name }) => `${name ?? 'store'} (${storeId})`)
  const zoneless = named(({ zone }) => zone === null)
  const numberless = named(({ number }) => number === null)
  const stockless = named(({ stockId }) => stockId === null)
  const currencies = currenciesOf(stores)
  const faults = [
    ...(stores.length === 0 ? ['So this key sees none.'] : []),
    ...(zoneless.length > 0
      ? [`Without a known time zone, so their times cannot be read: ${zoneless.join(', ')}.`]
      : []),
  ]
  const remarks = [
    ...(numberless.length > 0 ? [`Without a number of your own (StoreNo): ${numberless.join(', ')}.`] : []),
    ...(stockless.length > 0 ? [`Without a stock: ${stockless.join(', ')}.`] : []),
    ...(currencies.length > 1
      ? [`In several currencies, each of which needs a price list: ${currencies.join(', ')}.`]
      : []),
  ]
  const todo =
    stores.length === 0
      ? 'in the portal, see that the integration user is of type company.'
      : 'ask the contact at the platform to set what is missing.'
  return finding('stores', { fine: `${counted(stores.length, 'store')}.`, faults, remarks, todo })
}

/** The currencies of the stores, each once. */
export function currenciesOf(stores: readonly StoreRecord[]): string[] {
  return [...new Set(stores.flatMap(({ currency }) => currency ?? []))].sort()
}

/** The platform's kinds beside the hub's own list, and beside those that config wants. `unread`: how many could not be read. Pure. */
export function judgeKinds(
  offered: readonly string[],
  wanted: 'all' | readonly string[] | undefined,
  unread = 0,
): Finding {
  const fresh = offered.filter((kind) => KINDS.every(({ name }) => name !== kind))
  // Any of these may be among those that could not be read.
  const absent = unread > 0 ? [] : KINDS.map(({ name }) => name).filter((name) => !offered.includes(name))
  const strange = Array.isArray(wanted) && unread === 0 ? wanted.filter((kind) => !offered.includes(kind)) : []
  return finding('kinds', {
    fine: `The platform offers ${counted(offered.length, 'kind')} of events; this version knows ${KINDS.length}.`,
    faults: [
      ...(offered.length === 0 ? ['There is nothing to subscribe to.'] : []),
      ...(strange.length > 0 ? [`Config wants ${strange.join(', ')}, which it does not offer.`] : []),
    ],
    remarks: [
      ...(fresh.length > 0 ? [`New, taken as events that the hub knows nothing of: ${fresh.join(', ')}.`] : []),
      ...(unread > 0 ? [`${counted(unread, 'more row')} of its list cannot be read.`] : []),
      ...(absent.length > 0 ? [`Not offered: ${absent.join(', ')}.`] : []),
    ],
    todo:
      offered.length === 0
        ? 'ask the contact at the platform to switch webhooks on.'
        : 'correct platform.webhooks.kinds in the config.',
  })
}

/** Does a check; what it fails with is its finding. */
export async function attempted(check: Finding['check'], examine: () => Promise<Finding>): Promise<Finding> {
  try {
    return await examine()
  } catch (error) {
    return {
      check,
      state: 'problem',
      says: bareWhy(PLATFORM, sentenceOf(error)),
      todo: 'look again later; if it stays, ask the platform.',
    }
  }
}

const API_KEY =
  'platform.apiKey (sent as x-api-key) is made in the portal: Admin > Integration users > New Integration User, type company, save; the token is shown once'
const SUBSCRIPTION_KEY =
  'platform.subscriptionKey (sent as Ocp-Apim-Subscription-Key) is the key of your company in the developer portal of the platform'

/** The gateway in front of the platform says so where its own key is the wrong one. */
function keysToLookAt(code: string, said: string): string {
  if (/subscription[ -]key/i.test(said)) return `${SUBSCRIPTION_KEY}.`
  if (code === 'http-403') return `the keys are known, but may not do this. ${API_KEY}.`
  return `look at both keys. ${API_KEY}; ${SUBSCRIPTION_KEY}.`
}

function remedyOf(code: string): string {
  if (code === 'unreachable' || code === 'no-answer')
    return 'look at platform.baseUrl, and whether this machine may reach it (name, firewall, proxy).'
  if (code === 'certificate-refused') return adviceOn(code).todo
  if (/^http-(429|5\d\d)$/.test(code)) return 'the platform is in trouble or busy; look again later.'
  return 'something answers, but not as the platform does: look at platform.baseUrl (without /api) and platform.preset.'
}

/** Whether the platform answers at the address that a preset has for its settlements. */
type Answers = 'yes' | 'no' | 'unknown'

/**
 * The preset that the platform's answers look like. Only what is read can be tried; settlements are read at an address of
 * each preset's own. `ask` asks for them as a preset does, and rejects where that fails.
 */
export async function examinePreset(configured: Preset, ask: (preset: Preset) => Promise<unknown>): Promise<Finding> {
  const answers = {} as Record<Preset, Answers>
  for (const preset of Object.keys(PRESETS) as Preset[])
    answers[preset] = await ask(preset).then(
      () => 'yes' as const,
      (error: unknown) => answersOf(error),
    )
  return judgePreset(configured, answers)
}

/** The word of the answers on `platform.preset`. Pure. */
export function judgePreset(configured: Preset, answers: Readonly<Record<Preset, Answers>>): Finding {
  const like = (Object.keys(answers) as Preset[]).filter((preset) => answers[preset] === 'yes')
  const [other] = like
  if (like.includes(configured)) {
    const too =
      like.length > 1 ? ` It answers as ${like.filter((preset) => preset !== configured).join(', ')} does, too.` : ''
    return { check: 'preset', state: 'ok', says: `It answers as ${configured} does.${too}` }
  }
  if (other !== undefined && answers[configured] === 'no')
    return {
      check: 'preset',
      state: 'problem',
      says: `It answers as ${other} does, but config says ${configured}.`,
      todo: `set platform.preset: ${other} in the config.`,
    }
  return {
    check: 'preset',
    state: 'note',
    says: `Which preset it answers as cannot be told: these keys are not given its settlements. Config says ${configured}.`,
  }
}

/** An address that is not there says so; whatever else is wrong says nothing about the address. */
function answersOf(error: unknown): Answers {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return code === 'http-404' || code === 'http-405' || code === 'http-410' ? 'no' : 'unknown'
}

/** A price list, as far as it is looked at. */
type PriceList = Pick<Awaited<ReturnType<Platform['prices']['lists']>>['rows'][number], 'name' | 'productCount'>

/** The price lists that there are. The specification has no call that lists them, so not every platform can be asked. */
export async function examinePriceLists(
  platform: { prices: Pick<Platform['prices'], 'lists'> },
  currencies: readonly string[],
): Promise<Finding> {
  try {
    return judgePriceLists((await platform.prices.lists()).rows, currencies)
  } catch (error) {
    if (!isNotThere(error)) throw error
    return { check: 'price lists', state: 'note', says: 'This platform does not tell them.' }
  }
}

/** The finding on price lists, beside the currencies of the stores. Pure. */
export function judgePriceLists(lists: readonly PriceList[], currencies: readonly string[]): Finding {
  const empty = lists.filter(({ productCount }) => productCount === 0).map(({ name }) => name)
  const needed = `Stores sell in ${currencies.join(' and ')}, and price lists are needed there.`
  return finding('price lists', {
    fine:
      lists.length === 0 ? 'None.' : `${counted(lists.length, 'price list')}: ${named(lists.map(({ name }) => name))}.`,
    faults: [
      ...(lists.length === 0 && currencies.length > 1 ? [needed] : []),
      ...(lists.length > 0 && lists.length < currencies.length
        ? [`Fewer than the currencies of the stores: ${currencies.join(', ')}.`]
        : []),
    ],
    remarks: [
      ...(lists.length === 0 ? ['A store sells what has a price in its recommended retail price list.'] : []),
      ...(empty.length > 0 ? [`Without prices: ${named(empty)}.`] : []),
    ],
    todo: 'push prices, then assign a list to each store or region in the portal: Admin > Settings > POS settings.',
  })
}

function named(names: readonly string[]): string {
  const more = names.length - NAMED
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ')
}

const NAMED = 12

/** The most fields that are named. */
const MOST_NAMED = 12

/** A list of which no row can be read is not empty: the finding says what its rows have, and which key of config says where things stand. */
export function unreadable(check: Finding['check'], operation: string, aside: readonly Unreadable[]): Finding {
  const [first] = aside
  const names = isRecord(first?.record) ? Object.keys(first.record).slice(0, MOST_NAMED) : []
  const has = names.length === 0 ? '' : ` Its fields: ${names.join(', ')}.`
  return {
    check,
    state: 'problem',
    says: `What ${operation} answers cannot be read: ${counted(aside.length, 'row')}, of which row ${first?.row ?? 1} ${first?.why ?? 'is unknown'}.${has} So nothing is known of what it lists.`,
    todo: `say where it stands: list, record or fields of platform.endpoints.${operation} (docs/own-way.md).`,
  }
}
