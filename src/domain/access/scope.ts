/** Scopes to submit, for own systems (OMS, ERP, PIM …): the names of the resources of /v1. */
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

/** Sets of the hub's copy that own systems may read: those of `GET /v1/{set}`. */
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

/** Beside `orders`: to change and cancel also the orders that other systems submitted. */
export const ANY_ORDER = 'orders:any'

/** To read every set, also those that are still to come. */
export const READ_ALL = 'read:*'

/** To ask whether everything is here, and close a day on it. */
export const READ_COMPLETENESS = 'read:completeness'

/** To read the numbers of `GET /metrics`. */
export const READ_METRICS = 'read:metrics'

type ReadScope = `read:${SetName}`

/** Everything that a key may be made for. */
export type Scope =
  | SubmitScope
  | ReadScope
  | typeof ANY_ORDER
  | typeof READ_ALL
  | typeof READ_COMPLETENESS
  | typeof READ_METRICS

/** The scopes that there are. */
export const SCOPES: readonly Scope[] = [
  ...SUBMIT_SCOPES,
  ANY_ORDER,
  READ_ALL,
  READ_COMPLETENESS,
  READ_METRICS,
  ...SET_NAMES.map(readScope),
]

/** The scope that it takes to read a set. */
export function readScope(set: SetName): ReadScope {
  return `read:${set}`
}

/** Whether these scopes give this one. */
export function giveScope(scopes: readonly Scope[], scope: Scope): boolean {
  return scopes.includes(scope) || (scope.startsWith('read:') && scopes.includes(READ_ALL))
}
