import type { ApiKey, Scope } from '../../domain/scope.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { ConsoleSession, ConsoleUser, NewAuditRow, StoredApiKey, StoredConsoleUser } from '../rows.ts'
import { acts } from './audit.ts'
import { execute, first, isAny, query, type Steps, selected, statement } from './statement.ts'

type Row = Omit<StoredApiKey, 'scopes'> & { scopes: string }

const KEY_COLUMNS = selected(
  ...['id', 'system', 'scopes', 'secretHash', 'createdAt', 'createdBy', 'lastUsedAt', 'revokedAt'],
)

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
    const row = yield* first(findKey, [id])
    return row && { ...row, scopes: row.scopes.split(',') as Scope[] }
  },
}

export const apiKeyWrites = {
  *createApiKey({ id, system, scopes, secretHash, createdAt, createdBy }: StoredApiKey): Steps<void> {
    yield* query(addKey, [id, system, scopes.join(','), secretHash, createdAt, createdBy])
    yield* note(createdAt, createdBy, 'create-key', { id, system, scopes })
  },

  apiKeyUsed: (id: string, at: Instant) => execute(used, [id, at]),

  *revokeApiKey(id: string, by: string, at: Instant): Steps<ApiKey | null> {
    if (yield* isAny(revoke, [id, at])) yield* note(at, by, 'revoke-key', { id })
    const row = yield* first(findKey, [id])
    return row && shown(row)
  },
}

function* note(at: Instant, by: string, action: string, selection: object): Steps<void> {
  yield* acts.noteAct({ at, by, action, selection, changed: 1 })
}

function shown({ secretHash: _, scopes, ...key }: Row): ApiKey {
  return { ...key, scopes: scopes.split(',') as Scope[] }
}

const SHOWN = selected('name', 'role', 'createdAt', 'createdBy', 'disabledAt', 'subject')
const USER = `${SHOWN}, password`

const allUsers = statement<ConsoleUser>(`select ${SHOWN} from console_users order by name`)
const findUser = statement<StoredConsoleUser>(`select ${USER} from console_users where name = $1`)
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
const closeOf = statement(
  'delete from console_sessions where name in (select name from console_users where subject = $1)',
)
const closeOld = statement('delete from console_sessions where created_at < $1 or seen_at < $2')

export const userReads = {
  consoleUsers: () => query(allUsers),
  consoleUser: (name: string) => first(findUser, [name]),
  consoleSession: (id: string) => first(session, [id]),
  consoleSessionSeen: (id: string, at: Instant) => execute(seen, [id, at]),
  closeConsoleSession: (id: string) => execute(close, [id]),
  /** Of the user of this subject, where there is one. */
  closeConsoleSessionsOf: (subject: string) => execute(closeOf, [subject]),
}

export const userWrites = {
  /** False: the name is taken. */
  *addConsoleUser(user: StoredConsoleUser, act: NewAuditRow): Steps<boolean> {
    const { name, role, password, createdAt, createdBy, subject } = user
    const isAdded = yield* isAny(addUser, [name, role, password, createdAt, createdBy, subject])
    if (isAdded) yield* acts.noteAct(act)
    return isAdded
  },

  /** The user of this subject, in this role from now on; added where there is none. Null: the name is another user's. */
  *admitConsoleUser(user: StoredConsoleUser, act: NewAuditRow): Steps<StoredConsoleUser | null> {
    const known = yield* first(setRole, [user.subject, user.role])
    if (known) return known
    return (yield* userWrites.addConsoleUser(user, act)) ? user : null
  },

  /** Ends their sessions; a disabled user may sign in again. False: there is no such user. */
  *setConsolePassword(name: string, password: string, act: NewAuditRow): Steps<boolean> {
    return yield* endAll(name, yield* isAny(setPassword, [name, password]), act)
  },

  /** Ends their sessions. False: there is no such user. */
  *disableConsoleUser(name: string, act: NewAuditRow): Steps<boolean> {
    return yield* endAll(name, yield* isAny(disable, [name, act.at]), act)
  },

  /** Sessions begun or seen before these instants end. */
  *openConsoleSession(id: string, act: NewAuditRow, over: { begun: Instant; seen: Instant }): Steps<void> {
    yield* query(closeOld, [over.begun, over.seen])
    yield* query(open, [id, act.by, act.at])
    yield* acts.noteAct(act)
  },
}

function* endAll(name: string, isChanged: boolean, act: NewAuditRow): Steps<boolean> {
  if (!isChanged) return false
  yield* query(closeAll, [name])
  yield* acts.noteAct(act)
  return true
}
