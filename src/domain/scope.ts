import { hash } from 'node:crypto'
import type { Instant } from './values/instant.ts'

export const SUBMIT_SCOPES = [
  'products',
  'prices',
  'cost-prices',
  'stock-adjustments',
  'goods-deliveries',
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

export const SET_NAMES = [
  'stores',
  'stock',
  'movements',
  'reservations',
  'settlements',
  'sales',
  'sales-lines',
  'goods-deliveries',
  'products',
  'customers',
] as const

export type SetName = (typeof SET_NAMES)[number]
export const ANY_ORDER = 'orders:any'
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

export interface ApiKey {
  id: string
  system: string
  scopes: Scope[]
  createdAt: Instant
  createdBy: string
  lastUsedAt: Instant | null
  revokedAt: Instant | null
}

export function hasScope({ scopes, revokedAt }: Pick<ApiKey, 'scopes' | 'revokedAt'>, scope: Scope): boolean {
  const isGiven = scopes.includes(scope) || (scope.startsWith('read:') && scopes.includes(READ_ALL))
  return revokedAt === null && isGiven
}

export function writeKey(id: string, secret: string): string {
  return `tb_${id}_${secret}`
}

export function readKey(text: string): { id: string; secret: string } | null {
  const [, id, secret] = /^tb_([0-9a-f]{16})_([\w-]{43})$/.exec(text) ?? []
  return id !== undefined && secret !== undefined ? { id, secret } : null
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/** Actor for the audit: the credential's holder, with the client's own claim as a note: `admin (says kari)`. */
export function actorOf(holder: string, says: string | undefined): string {
  const note = says?.slice(0, 80)
  return note && note !== holder ? `${holder} (says ${note})` : holder
}
