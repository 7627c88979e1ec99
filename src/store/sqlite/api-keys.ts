import type { Database } from 'better-sqlite3'
import type { Scope } from '../../domain/access/scope.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { KeptApiKey } from '../kept.ts'

type Row = Omit<KeptApiKey, 'scopes'> & { scopes: string }

/** The keys of own systems. It runs inside a transaction of the caller. */
export function createApiKeys(db: Database) {
  const all = db.prepare<[], Row>(
    `select id, system, scopes, secret_hash as secretHash,
       created_at as createdAt, created_by as createdBy, last_used_at as lastUsedAt, revoked_at as revokedAt from api_keys order by created_at, id`,
  )
  const add = db.prepare(
    `insert into api_keys (id, system, scopes, secret_hash, created_at, created_by)
       values (@id, @system, @scopes, @secretHash, @createdAt, @createdBy)`,
  )
  const used = db.prepare('update api_keys set last_used_at = ? where id = ?')
  const revoke = db.prepare('update api_keys set revoked_at = ? where id = ? and revoked_at is null')
  const note = db.prepare('insert into audit (at, by, action, selection, changed) values (?, ?, ?, ?, 1)')

  return {
    apiKeys: (): KeptApiKey[] => all.all().map(keyOf),

    createApiKey(key: KeptApiKey): void {
      const { id, system, scopes } = key
      add.run({ ...key, scopes: scopes.join(',') })
      note.run(key.createdAt, key.createdBy, 'create-key', JSON.stringify({ id, system, scopes }))
    },

    apiKeyUsed(id: string, at: Instant): void {
      used.run(at, id)
    },

    revokeApiKey(id: string, by: string, at: Instant): void {
      if (revoke.run(at, id).changes > 0) note.run(at, by, 'revoke-key', JSON.stringify({ id }))
    },
  }
}

function keyOf(row: Row): KeptApiKey {
  return { ...row, scopes: row.scopes.split(',') as Scope[] }
}
