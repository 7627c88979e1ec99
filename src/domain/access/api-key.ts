import { hash } from 'node:crypto'
import type { Instant } from '../values/instant.ts'
import { giveScope, type Scope } from './scope.ts'

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

/** Whether a key may do something; a revoked one may do nothing. */
export function mayDo({ scopes, revokedAt }: Pick<ApiKey, 'scopes' | 'revokedAt'>, scope: Scope): boolean {
  return revokedAt === null && giveScope(scopes, scope)
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

/** The hash of a secret that is kept, in hex. A secret is 256 random bits, which nobody can guess: a slow hash would add nothing. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/**
 * Who acts, as the audit has it: the holder of the credential. What the client says besides (a user of its machine) is a note behind
 * it, since a credential may be in several hands, and proves nothing: `admin (says kari)`.
 */
export function actorOf(holder: string, says: string | undefined): string {
  const note = says?.slice(0, 80)
  return note && note !== holder ? `${holder} (says ${note})` : holder
}
