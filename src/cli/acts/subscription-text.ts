import type { SubscriptionsApplied } from '../../admin/subscriptions.ts'
import type { PlannedChange, SubscriptionPlan, SubscriptionState } from '../../domain/health/subscription-plan.ts'
import { counted } from '../../domain/values/text.ts'
import { oneLine } from '../shared/harmless-text.ts'

const SIGNS = { create: '+', update: '~', delete: '-' } as const

/** A plan as a difference: what comes, what changes, what goes, and what stays. */
export function planText({ changes, right, foreign, remarks }: SubscriptionPlan): string {
  const stays = `${right} as they should be; ${foreign} of somebody else, left alone.`
  return [
    ...(changes.length === 0 ? ['Nothing is to be changed.'] : changes.flatMap(changeLines)),
    stays,
    ...remarks.map((remark) => oneLine(remark)),
  ].join('\n')
}

/** The changes that were made, and what is still different. */
export function appliedText({ changes, note, problem, left }: SubscriptionsApplied): string {
  return [
    changes.length === 0
      ? 'Nothing was to be changed.'
      : `${counted(changes.length, 'change')} ${changes.length === 1 ? 'was' : 'were'} to be made.`,
    ...(problem === null ? [`Done: ${oneLine(note ?? '')}.`] : [`Not all could be done: ${oneLine(problem)}`]),
    ...(left.length === 0
      ? ['The platform has what config wants.']
      : ['', 'Still different:', ...left.flatMap(changeLines)]),
  ].join('\n')
}

function changeLines({ do: doing, kind, id, before, after, why }: PlannedChange): string[] {
  const states =
    before !== null && after !== null ? differences(before, after) : [stateText(after ?? before)].filter(Boolean)
  return [
    oneLine(`${SIGNS[doing]} ${doing} ${kind}${id === null ? '' : ` (${id})`}: ${why}`),
    ...states.map((line) => oneLine(`    ${line}`)),
  ]
}

function stateText(state: SubscriptionState | null): string {
  return state === null ? '' : `${state.url}, ${storeText(state)}, ${tokenText(state)}`
}

function differences(before: SubscriptionState, after: SubscriptionState): string[] {
  const pairs = [
    ['address', before.url, after.url],
    ['store', storeText(before), storeText(after)],
    ['token', tokenText(before), tokenText(after)],
  ] as const
  return pairs.flatMap(([name, was, is]) => (was === is ? [] : [`${name}: ${was} → ${is}`]))
}

function storeText({ storeId }: SubscriptionState): string {
  return storeId === null ? 'all stores' : `store ${storeId}`
}

function tokenText({ token }: SubscriptionState): string {
  return token === null ? 'a token that this hub refuses' : `token ${token} of config`
}
