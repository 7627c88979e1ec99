import { type KnownStore, numberKey, presentOf } from '../../domain/places/store-index.ts'
import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { type ListSource, listIfThere } from '../../platform/areas/webhooks/list-if-there.ts'
import { asideText, type Listed } from '../../platform/http/listed.ts'
import type { Subscription } from '../../platform/platform.ts'
import type { Callback } from './callback-url.ts'
import { type Changes, doubtfulKinds, type SubscribedStores, subscriptionChanges } from './subscription-changes.ts'

/** As config names them: numbers, or countries such as NO. */
export type StoresWanted = 'all' | readonly string[] | undefined

/** Whom to ask, and what config wants. */
export interface SubscriptionWishes extends ListSource {
  /** The callback to subscribe with, and the kinds; `all`: whatever the platform offers, unknown new ones too. */
  wanted: Callback & { kinds: 'all' | readonly string[]; stores?: StoresWanted }
  /** The platform's stores, as far as they are known: config names them by number or country. */
  known?(): Promise<readonly KnownStore[]>
}

/** The result of holding config against what the platform has. */
export interface Decided {
  /** Wanted kinds that the platform offers. */
  kinds: string[]
  /** Wanted kinds that it does not, where all that it offers could be read. */
  strange: string[]
  /** Kinds that were wanted before, and are not any more. */
  dropped: string[]
  /** Kinds to remember: those that were subscribed before may be among the ones that cannot be read. */
  remembered: string[]
  /** Null: the platform shows no list of subscriptions, as far as anybody knows. */
  found: { listed: Listed<Subscription>; changes: Changes } | null
}

/**
 * Reads what is subscribed, and decides what to change; changes nothing. `before`: the kinds that were subscribed last time. Throws a
 * RetryLaterError where the platform names no kinds, or config a store that is not known.
 */
export async function decide(
  wishes: SubscriptionWishes,
  before: readonly string[],
  signal?: AbortSignal,
): Promise<Decided> {
  const { platform, wanted, known } = wishes
  const [listed, offered] = await Promise.all([listIfThere(wishes, signal), typesOffered(platform, signal)])
  const types = offered.rows
  if (types.length === 0 && wanted.kinds === 'all')
    throw new RetryLaterError(
      `the platform names no kinds (WebhooksTypes${offered.why === null ? '' : `: ${offered.why}`}); nothing was changed. Name them in platform.webhooks.kinds`,
      { code: 'no-kinds' },
    )
  const all = [...new Set(wanted.kinds === 'all' ? types : wanted.kinds)]
  // A kind that is not offered may be among those that could not be read, and then config's word is taken.
  const isSure = offered.aside.length === 0 && types.length > 0
  const strange = isSure ? all.filter((kind) => !types.includes(kind)) : []
  const kinds = all.filter((kind) => !strange.includes(kind))
  // A kind that is missing may be misspelt: nothing is taken down while the list names one that does not exist.
  const knowingly = wanted.kinds !== 'all' && isSure && strange.length === 0
  const dropped = before.filter((kind) => !all.includes(kind))
  const remembered = isSure ? kinds : [...new Set([...kinds, ...before])]
  if (listed === null) return { kinds, strange, dropped, remembered, found: null }
  const changes = subscriptionChanges(
    listed.rows,
    {
      kinds,
      dropped: knowingly ? dropped : [],
      doubtful: doubtfulKinds(listed.aside, before, wanted),
      stores: wantedStores(wanted.stores, (await known?.()) ?? []),
    },
    wanted,
  )
  return { kinds, strange, dropped, remembered, found: { listed, changes } }
}

/** The kinds that the platform names. `why`: what keeps them from being read; null: they could be. */
async function typesOffered(
  { webhooks }: SubscriptionWishes['platform'],
  signal?: AbortSignal,
): Promise<Listed<string> & { why: string | null }> {
  try {
    const listed = await webhooks.types(signal)
    return { ...listed, why: asideText(listed.aside) }
  } catch (error) {
    if (error instanceof PermanentError) return { rows: [], aside: [], why: error.message }
    throw error
  }
}

/** Store numbers and countries of config as the platform's ids. Throws a RetryLaterError where one of them is not known. */
export function wantedStores(wanted: StoresWanted, known: readonly KnownStore[]): SubscribedStores {
  if (wanted === undefined || wanted === 'all') return wanted
  const present = presentOf(known)
  const ids = wanted.map((entry) =>
    present.filter(({ number, countryCode }) =>
      /^[a-z]{2}$/i.test(entry.trim())
        ? countryCode === entry.trim().toUpperCase()
        : number !== null && numberKey(number) === numberKey(entry),
    ),
  )
  const strange = wanted.filter((_, index) => ids[index]?.length === 0)
  if (strange.length > 0)
    throw new RetryLaterError(
      `platform.webhooks.stores: no store ${strange.join(', ')} is known; nothing was changed`,
      { code: 'no-such-store' },
    )
  return [...new Set(ids.flat().map(({ storeId }) => storeId))]
}
