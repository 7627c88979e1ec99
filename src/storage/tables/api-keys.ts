import type { ApiKey, Scope } from '../../domain/scope.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { StoredApiKey } from '../rows.ts'
import { acts } from './audit.ts'
import { query, type Steps, statement } from './statement.ts'

type Row = Omit<StoredApiKey, 'scopes'> & { scopes: string }

const COLUMNS = `id, system, scopes, secret_hash as "secretHash",
  created_at as "createdAt", created_by as "createdBy", last_used_at as "lastUsedAt", revoked_at as "revokedAt"`

const all = statement<Row>(`select ${COLUMNS} from api_keys order by created_at, id`)
const find = statement<Row>(`select ${COLUMNS} from api_keys where id = $1`)
const add = statement(`
  insert into api_keys (id, system, scopes, secret_hash, created_at, created_by) values ($1, $2, $3, $4, $5, $6)`)
const used = statement(`
  update api_keys set last_used_at = $2 where id = $1 and (last_used_at is null or $2 - last_used_at >= 60000)`)
const revoke = statement<{ id: string }>(
  'update api_keys set revoked_at = $2 where id = $1 and revoked_at is null returning id',
)

export const apiKeyReads = {
  *apiKeys(): Steps<ApiKey[]> {
    return (yield* query(all)).map(shown)
  },
  *apiKey(id: string): Steps<StoredApiKey | null> {
    const [row] = yield* query(find, [id])
    return row ? { ...row, scopes: row.scopes.split(',') as Scope[] } : null
  },
}

export const apiKeyWrites = {
  *createApiKey({ id, system, scopes, secretHash, createdAt, createdBy }: StoredApiKey): Steps<void> {
    yield* query(add, [id, system, scopes.join(','), secretHash, createdAt, createdBy])
    yield* note(createdAt, createdBy, 'create-key', { id, system, scopes })
  },

  *apiKeyUsed(id: string, at: Instant): Steps<void> {
    yield* query(used, [id, at])
  },

  *revokeApiKey(id: string, by: string, at: Instant): Steps<ApiKey | null> {
    const [revoked] = yield* query(revoke, [id, at])
    if (revoked) yield* note(at, by, 'revoke-key', { id })
    const [row] = yield* query(find, [id])
    return row ? shown(row) : null
  },
}

function* note(at: Instant, by: string, action: string, selection: object): Steps<void> {
  yield* acts.noteAct({ at, by, action, selection, changed: 1 })
}

function shown({ secretHash: _, scopes, ...key }: Row): ApiKey {
  return { ...key, scopes: scopes.split(',') as Scope[] }
}
