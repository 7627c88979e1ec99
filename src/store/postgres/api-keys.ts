import type { ApiKey, Scope } from '../../domain/access/scope.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { KeptApiKey } from '../kept.ts'
import { type Database, prepared } from './server/database.ts'

type Row = Omit<KeptApiKey, 'scopes'> & { scopes: string }

const COLUMNS = `id, system, scopes, secret_hash as "secretHash",
  created_at as "createdAt", created_by as "createdBy", last_used_at as "lastUsedAt", revoked_at as "revokedAt"`

const all = prepared<Row>(`select ${COLUMNS} from api_keys order by created_at, id`)
const find = prepared<Row>(`select ${COLUMNS} from api_keys where id = $1`)
const add = prepared(`
  insert into api_keys (id, system, scopes, secret_hash, created_at, created_by)
    values ($1, $2, $3, $4, $5, $6)`)
const used = prepared(`
  update api_keys set last_used_at = $2 where id = $1 and (last_used_at is null or $2 - last_used_at >= 60000)`)
const revoke = prepared<{ id: string }>(
  'update api_keys set revoked_at = $2 where id = $1 and revoked_at is null returning id',
)
const note = prepared('insert into audit (at, by, action, selection, changed) values ($1, $2, $3, $4, 1)')

/** The keys of own systems. Each question is one for the server: a key that one hub revokes is good for no other. */
export function createApiKeys(db: Database) {
  async function apiKey(id: string): Promise<KeptApiKey | null> {
    const [row] = await db.query(find, [id])
    return row ? keyOf(row) : null
  }

  return {
    async apiKeys(): Promise<ApiKey[]> {
      return (await db.query(all)).map((row) => shown(keyOf(row)))
    },

    apiKey,

    async createApiKey(key: KeptApiKey): Promise<void> {
      const { id, system, scopes, secretHash, createdAt, createdBy } = key
      const row = [id, system, scopes.join(','), secretHash, createdAt, createdBy]
      await db.transaction(async (session) => {
        await session.query(add, row)
        await session.query(note, [createdAt, createdBy, 'create-key', JSON.stringify({ id, system, scopes })])
      })
    },

    async apiKeyUsed(id: string, at: Instant): Promise<void> {
      await db.query(used, [id, at])
    },

    async revokeApiKey(id: string, by: string, at: Instant): Promise<ApiKey | null> {
      await db.transaction(async (session) => {
        const [revoked] = await session.query(revoke, [id, at])
        if (revoked) await session.query(note, [at, by, 'revoke-key', JSON.stringify({ id })])
      })
      const key = await apiKey(id)
      return key && shown(key)
    },
  }
}

function keyOf(row: Row): KeptApiKey {
  return { ...row, scopes: row.scopes.split(',') as Scope[] }
}

function shown({ secretHash: _hash, ...key }: KeptApiKey): ApiKey {
  return key
}
