import { hash } from 'node:crypto'
import { UserError } from './errors.ts'
import type { Instant } from './instant.ts'

/** What an own system (OMS, ERP, PIM …) may submit: the names of the resources of /v1. */
export const SCOPES = [
  'products',
  'prices',
  'cost-prices',
  'stock-adjustments',
  'deliveries',
  'sales',
  'orders',
  'customers',
] as const

export type Scope = (typeof SCOPES)[number]

/** An API key of an own system, without anything secret: what lists and answers show. */
export interface ApiKey {
  /** Names the key, and is part of it; no secret. */
  id: string
  /** The own system that it was made for. Several keys of one system may live at once, for rotation. */
  system: string
  scopes: Scope[]
  createdAt: Instant
  createdBy: string
  /** To the minute. */
  lastUsedAt: Instant | null
  revokedAt: Instant | null
}

/** Whether a key may submit to a resource; a revoked one may do nothing. */
export function mayDo({ scopes, revokedAt }: Pick<ApiKey, 'scopes' | 'revokedAt'>, scope: Scope): boolean {
  return revokedAt === null && scopes.includes(scope)
}

/** Reads `products,prices`, each once, in the order of SCOPES. Throws a UserError for none, or one that is unknown. */
export function parseScopes(text: string): Scope[] {
  const given = text.split(',').map((part) => part.trim())
  const unknown = given.find((part) => part !== '' && !SCOPES.some((scope) => scope === part))
  if (unknown !== undefined)
    throw new UserError(`may: "${unknown}" cannot be submitted. Choose from ${SCOPES.join(', ')}.`)
  const scopes = SCOPES.filter((scope) => given.includes(scope))
  if (scopes.length === 0) throw new UserError(`may: say what the key may submit: ${SCOPES.join(', ')}.`)
  return scopes
}

/** The key as its system sends it. */
export function writeKey(id: string, secret: string): string {
  return `tb_${id}_${secret}`
}

/** The parts of `tb_<id>_<secret>`; null: it is no such key. */
export function readKey(text: string): { id: string; secret: string } | null {
  const [, id, secret] = /^tb_([0-9a-f]{16})_([\w-]{43})$/.exec(text) ?? []
  return id !== undefined && secret !== undefined ? { id, secret } : null
}

/** What is kept of a secret, in hex. It is 256 random bits, which nobody can guess: a slow hash would add nothing. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}
