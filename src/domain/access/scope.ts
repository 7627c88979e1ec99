/** Scopes to submit: resources of /v1. */
export const SUBMIT_SCOPES = [
  'products',
  'prices',
  'cost-prices',
  'stock-adjustments',
  'deliveries',
  'sales',
  'orders',
  'customers',
  'transfers',
  'stock-corrections',
  'price-ends',
  'product-deletions',
  'customer-deletions',
] as const

export type SubmitScope = (typeof SUBMIT_SCOPES)[number]

/** Sets of `GET /v1/{set}`. */
export const SET_NAMES = [
  'stores',
  'stock',
  'movements',
  'reservations',
  'settlements',
  'sales',
  'sales-lines',
  'deliveries',
  'products',
  'customers',
] as const

export type SetName = (typeof SET_NAMES)[number]

/** With `orders`: also change and cancel orders of other systems. */
export const ANY_ORDER = 'orders:any'

/** All sets, future ones included. */
export const READ_ALL = 'read:*'

export const READ_COMPLETENESS = 'read:completeness'

export const READ_METRICS = 'read:metrics'

type ReadScope = `read:${SetName}`

export type Scope =
  | SubmitScope
  | ReadScope
  | typeof ANY_ORDER
  | typeof READ_ALL
  | typeof READ_COMPLETENESS
  | typeof READ_METRICS

export const SCOPES: readonly Scope[] = [
  ...SUBMIT_SCOPES,
  ANY_ORDER,
  READ_ALL,
  READ_COMPLETENESS,
  READ_METRICS,
  ...SET_NAMES.map(readScope),
]

export function readScope(set: SetName): ReadScope {
  return `read:${set}`
}

export function giveScope(scopes: readonly Scope[], scope: Scope): boolean {
  return scopes.includes(scope) || (scope.startsWith('read:') && scopes.includes(READ_ALL))
}
