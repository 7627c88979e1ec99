import type { PlannedChange, SubscriptionPlan, SubscriptionState } from '../../domain/health/subscription-plan.ts'
import { UserError } from '../../domain/values/errors.ts'
import { counted, digestOf } from '../../domain/values/text.ts'
import type { Subscription } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { type Callback, type Decided, decide, readCallback, type SubscriptionWishes } from './decide.ts'
import { keptKinds } from './subscriptions.ts'

interface Options extends SubscriptionWishes {
  tokens: readonly string[]
  store: Pick<Store, 'jobs'>
}

/** Decides what a run of the job would change, and changes nothing. Throws a UserError where the platform shows no list. */
export async function readPlan({ tokens, store, ...wishes }: Options): Promise<SubscriptionPlan> {
  const decided = await decide(wishes, await keptKinds(store))
  return planOf(decided, wishes.wanted, tokens)
}

function planOf({ strange, found }: Decided, wanted: Callback, tokens: readonly string[]): SubscriptionPlan {
  if (found === null)
    throw new UserError(
      'The platform shows no list of subscriptions: the hub subscribes once to each kind, and can do no more.',
    )
  const { changes, listed } = found
  const stateOf = ({ url, storeId = null }: { url: string; storeId?: string | null }): SubscriptionState => {
    const token = tokens.indexOf(readCallback(url, wanted.publicUrl)?.token ?? '')
    return { url: placeOf(url), storeId, token: token === -1 ? null : token + 1 }
  }
  const removed = (one: Subscription, why: string): PlannedChange => ({
    do: 'delete',
    kind: one.event,
    id: one.id,
    before: stateOf(one),
    after: null,
    why,
  })
  const all: PlannedChange[] = [
    ...changes.create.map(
      (one): PlannedChange => ({
        do: 'create',
        kind: one.event,
        id: null,
        before: null,
        after: stateOf(one),
        why: 'config wants it, and it is not subscribed',
      }),
    ),
    ...changes.keep.flatMap(({ subscription, update, replaces }): PlannedChange[] => [
      ...(update === null ? [] : [updated(subscription, stateOf(subscription), stateOf(update))]),
      ...replaces.map((one) => removed(one, 'there is another one of ours for it')),
    ]),
    ...changes.remove.map((one) => removed(one, 'config does not want it any more')),
  ]
  const { left, doubtful, limited } = changes
  const remarks = [
    ...strange.map((kind) => `${kind}: the platform offers no such kind (platform.webhooks.kinds)`),
    ...limited.map((kind) => `${kind}: limited to stores, and platform.webhooks.stores does not say all: left so`),
    ...doubtful.map((kind) => `${kind}: may be among those that cannot be read: not subscribed again`),
    ...left.map(({ event, id }) => `${event} (${id}): config does not want it, and never did: left as it is`),
    ...(listed.aside.length > 0 ? [`${counted(listed.aside.length, 'row')} of the list cannot be read`] : []),
  ]
  const foreign = listed.rows.filter(({ url }) => readCallback(url, wanted.publicUrl) === null).length
  const right = changes.keep.filter(({ update }) => update === null).length
  return { changes: all, right, foreign, remarks }
}

function updated({ id, event }: Subscription, before: SubscriptionState, after: SubscriptionState): PlannedChange {
  const differs = [
    ...(before.url === after.url ? [] : ['its address']),
    ...(before.token === after.token ? [] : ['its token']),
    ...(before.storeId === after.storeId ? [] : ['its store']),
  ]
  const why = `${differs.length === 0 ? 'its spelling' : differs.join(', ')} is not what config says`
  return { do: 'update', kind: event, id, before, after, why }
}

function placeOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.origin}${parsed.pathname}` : (url.split(/[?#]/)[0] ?? '')
}
