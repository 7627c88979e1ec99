import { hash } from 'node:crypto'
import type { Instant } from '../values/instant.ts'
import { giveScope, type Scope } from './scope.ts'

/** An API key without its secret. */
export interface ApiKey {
  /** Part of the key; no secret. */
  id: string
  /** Several keys per system may live at once, for rotation. */
  system: string
  scopes: Scope[]
  createdAt: Instant
  createdBy: string
  /** To the minute. */
  lastUsedAt: Instant | null
  revokedAt: Instant | null
}

/** Revoked keys may do nothing. */
export function mayDo({ scopes, revokedAt }: Pick<ApiKey, 'scopes' | 'revokedAt'>, scope: Scope): boolean {
  return revokedAt === null && giveScope(scopes, scope)
}

export function writeKey(id: string, secret: string): string {
  return `tb_${id}_${secret}`
}

/** `tb_<id>_<secret>`; null: malformed. */
export function readKey(text: string): { id: string; secret: string } | null {
  const [, id, secret] = /^tb_([0-9a-f]{16})_([\w-]{43})$/.exec(text) ?? []
  return id !== undefined && secret !== undefined ? { id, secret } : null
}

/** Hex. The secret is 256 random bits: a slow hash would add nothing. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/** Actor for the audit: the credential's holder, with the client's own claim as a note: `admin (says kari)`. */
export function actorOf(holder: string, says: string | undefined): string {
  const note = says?.slice(0, 80)
  return note && note !== holder ? `${holder} (says ${note})` : holder
}
