import type { ApiKey, Scope } from '../../domain/scope.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { ConsoleSession, ConsoleUser, NewAuditRow, StoredApiKey, StoredConsoleUser } from '../rows.ts'
import { acts } from './audit.ts'
import { query, type Steps, statement } from './statement.ts'

type Row = Omit<StoredApiKey, 'scopes'> & { scopes: string }

const KEY_COLUMNS = `id, system, scopes, secret_hash as "secretHash",
  created_at as "createdAt", created_by as "createdBy", last_used_at as "lastUsedAt", revoked_at as "revokedAt"`

const allKeys = statement<Row>(`select ${KEY_COLUMNS} from api_keys order by created_at, id`)
const findKey = statement<Row>(`select ${KEY_COLUMNS} from api_keys where id = $1`)
const addKey = statement(`
  insert into api_keys (id, system, scopes, secret_hash, created_at, created_by) values ($1, $2, $3, $4, $5, $6)`)
const used = statement(`
  update api_keys set last_used_at = $2 where id = $1 and (last_used_at is null or $2 - last_used_at >= 60000)`)
const revoke = statement<{ id: string }>(
  'update api_keys set revoked_at = $2 where id = $1 and revoked_at is null returning id',
)

export const apiKeyReads = {
  *apiKeys(): Steps<ApiKey[]> {
    return (yield* query(allKeys)).map(shown)
  },
  *apiKey(id: string): Steps<StoredApiKey | null> {
    const [row] = yield* query(findKey, [id])
    return row ? { ...row, scopes: row.scopes.split(',') as Scope[] } : null
  },
}

export const apiKeyWrites = {
  *createApiKey({ id, system, scopes, secretHash, createdAt, createdBy }: StoredApiKey): Steps<void> {
    yield* query(addKey, [id, system, scopes.join(','), secretHash, createdAt, createdBy])
    yield* note(createdAt, createdBy, 'create-key', { id, system, scopes })
  },

  *apiKeyUsed(id: string, at: Instant): Steps<void> {
    yield* query(used, [id, at])
  },

  *revokeApiKey(id: string, by: string, at: Instant): Steps<ApiKey | null> {
    const [revoked] = yield* query(revoke, [id, at])
    if (revoked) yield* note(at, by, 'revoke-key', { id })
    const [row] = yield* query(findKey, [id])
    return row ? shown(row) : null
  },
}

function* note(at: Instant, by: string, action: string, selection: object): Steps<void> {
  yield* acts.noteAct({ at, by, action, selection, changed: 1 })
}

function shown({ secretHash: _, scopes, ...key }: Row): ApiKey {
  return { ...key, scopes: scopes.split(',') as Scope[] }
}

const USER = `name, role, password, created_at as "createdAt", created_by as "createdBy", disabled_at as "disabledAt", subject`

const allUsers = statement<StoredConsoleUser>(`select ${USER} from console_users order by name`)
const findUser = statement<StoredConsoleUser>(`select ${USER} from console_users where name = $1`)
const ofSubject = statement<{ name: string }>('select name from console_users where subject = $1')
const addUser = statement<{ name: string }>(`
  insert into console_users (name, role, password, created_at, created_by, subject) values ($1, $2, $3, $4, $5, $6)
    on conflict do nothing returning name`)
const setRole = statement<StoredConsoleUser>(`update console_users set role = $2 where subject = $1 returning ${USER}`)
const setPassword = statement<{ name: string }>(
  'update console_users set password = $2, disabled_at = null where name = $1 returning name',
)
const disable = statement<{ name: string }>('update console_users set disabled_at = $2 where name = $1 returning name')

const open = statement('insert into console_sessions (id, name, created_at, seen_at) values ($1, $2, $3, $3)')
const session = statement<ConsoleSession>(
  'select id, name, created_at as "createdAt", seen_at as "seenAt" from console_sessions where id = $1',
)
const seen = statement('update console_sessions set seen_at = $2 where id = $1')
const close = statement('delete from console_sessions where id = $1')
const closeAll = statement('delete from console_sessions where name = $1')
const closeOld = statement('delete from console_sessions where created_at < $1 or seen_at < $2')

export const userReads = {
  *consoleUsers(): Steps<ConsoleUser[]> {
    return (yield* query(allUsers)).map(({ password: _, ...user }) => user)
  },

  *consoleUser(name: string): Steps<StoredConsoleUser | null> {
    return (yield* query(findUser, [name]))[0] ?? null
  },

  *consoleSession(id: string): Steps<ConsoleSession | null> {
    return (yield* query(session, [id]))[0] ?? null
  },

  *consoleSessionSeen(id: string, at: Instant): Steps<void> {
    yield* query(seen, [id, at])
  },

  *closeConsoleSession(id: string): Steps<void> {
    yield* query(close, [id])
  },

  /** Of the user of this subject, where there is one. */
  *closeConsoleSessionsOf(subject: string): Steps<void> {
    const [user] = yield* query(ofSubject, [subject])
    if (user) yield* query(closeAll, [user.name])
  },
}

export const userWrites = {
  /** False: the name is taken. */
  *addConsoleUser(user: StoredConsoleUser, act: NewAuditRow): Steps<boolean> {
    const { name, role, password, createdAt, createdBy, subject } = user
    const [added] = yield* query(addUser, [name, role, password, createdAt, createdBy, subject])
    if (added) yield* acts.noteAct(act)
    return added !== undefined
  },

  /** The user of this subject, in this role from now on; added where there is none. Null: the name is another user's. */
  *admitConsoleUser(user: StoredConsoleUser, act: NewAuditRow): Steps<StoredConsoleUser | null> {
    const [known] = yield* query(setRole, [user.subject, user.role])
    if (known) return known
    return (yield* userWrites.addConsoleUser(user, act)) ? user : null
  },

  /** Ends their sessions; a disabled user may sign in again. False: there is no such user. */
  *setConsolePassword(name: string, password: string, act: NewAuditRow): Steps<boolean> {
    return yield* endAll(yield* query(setPassword, [name, password]), act)
  },

  /** Ends their sessions. False: there is no such user. */
  *disableConsoleUser(name: string, act: NewAuditRow): Steps<boolean> {
    return yield* endAll(yield* query(disable, [name, act.at]), act)
  },

  /** Sessions begun or seen before these instants end. */
  *openConsoleSession(id: string, act: NewAuditRow, over: { begun: Instant; seen: Instant }): Steps<void> {
    yield* query(closeOld, [over.begun, over.seen])
    yield* query(open, [id, act.by, act.at])
    yield* acts.noteAct(act)
  },
}

function* endAll([changed]: readonly { name: string }[], act: NewAuditRow): Steps<boolean> {
  if (changed === undefined) return false
  yield* query(closeAll, [changed.name])
  yield* acts.noteAct(act)
  return true
}
