import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StorageUnavailableError } from '../../../domain/values/errors.ts'
import { textOf } from '../../tables/statement.ts'
import { type Address, sessionSettings, transactionSettings } from './address.ts'
import { type Database, type Prepared, RepeatError, type Session } from './database.ts'
import { createNotificationListener } from './notices.ts'
import { asStorageError, isInTheWay, isUnavailable } from './unavailable.ts'

const MAX_TURNS = 10

const CONNECT = 5_000
const ANSWER = 20_000
const QUIET = 10_000

/** 64-bit columns are ids, instants and counts, far below 2^53. */
const BIGINT = 20
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

export function connectionOptions(address: Address): pg.ClientConfig {
  return {
    connectionString: address.connectionString,
    types,
    application_name: 'tillbridge',
    connectionTimeoutMillis: CONNECT,
    query_timeout: ANSWER,
    keepAlive: true,
    keepAliveInitialDelayMillis: QUIET,
    // A pooler takes no options: there each transaction sets them.
    ...(!address.pooled && { options: sessionSettings(address) }),
  }
}

export function createConnections(address: Address, most: number): pg.Pool {
  // Pipelining; connections are never given up, as others might take them.
  const kept = { max: most, idleTimeoutMillis: 0 }
  const pool = new pg.Pool({ ...connectionOptions(address), pipeline: true, ...kept } as pg.PoolConfig)
  pool.on('error', () => {})
  // An unhandled 'error' would end the process, and a server may end a session with the answer that opens it.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

export function createPool(pool: pg.Pool, address: Address): Database {
  const { pooled } = address
  const settings = transactionSettings(address)

  function once<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return lend(
      pool,
      async (client) => {
        // Goes out with the first statement, which fails too if this does.
        client.query('begin').catch(() => undefined)
        if (pooled) client.query(settings).catch(() => undefined)
        const result = await work({ query: (statement, values) => askOn(client, statement, values, pooled) })
        await client.query('commit')
        return result
      },
      async (error, client) => {
        if (isUnavailable(error) && !isInTheWay(error)) return false
        return await client.query('rollback').then(
          () => true,
          () => false,
        )
      },
    )
  }

  async function transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    for (let turn = 1; ; turn++) {
      try {
        return await once(work)
      } catch (error) {
        const repeat = error instanceof RepeatError || isInTheWay(error)
        if (repeat && turn < MAX_TURNS) await delay(Math.random() * 10 * turn)
        else if (error instanceof RepeatError)
          throw new StorageUnavailableError('Too many hubs write about the same at once.', { cause: error })
        else throw asStorageError(error, address.server)
      }
    }
  }

  return {
    async query(statement, values) {
      if (pooled) return await transaction((session) => session.query(statement, values))
      try {
        // After a failover an old session may be read-only for ever.
        return await lend(
          pool,
          (client) => askOn(client, statement, values, false),
          (error) => !isUnavailable(error),
        )
      } catch (error) {
        throw asStorageError(error, address.server)
      }
    },

    transaction,

    /** Behind a pooler there is no LISTEN: hubs look with each beat (storage.ts). */
    listen: (channel, heard) =>
      pooled
        ? new AsyncDisposableStack()
        : createNotificationListener(() => new pg.Client(connectionOptions(address)), channel, heard),

    vacuum: createVacuuming((settings) => new pg.Client({ ...connectionOptions(address), ...settings }), address),

    async [Symbol.asyncDispose]() {
      await pool.end()
    },
  }
}

/** Unnamed behind a pooler, as the next may be on another session; and where the plan is to fit the values. */
export async function askOn<Row>(
  client: pg.ClientBase,
  { name, text }: Prepared<Row>,
  values: readonly unknown[] = [],
  isUnnamed: boolean,
) {
  const { rows } = await client.query({ ...(!isUnnamed && { name }), text, values: values.map(asParameter) })
  return rows as Row[]
}

function asParameter(value: unknown): unknown {
  return Array.isArray(value) ? value.map(textOf) : textOf(value)
}

const LOCK = 10_000

/**
 * On a connection of its own without limits, as large tables take long. Behind a pooler the server's limits hold:
 * VACUUM cannot be in a transaction.
 */
function createVacuuming(connect: (settings: pg.ClientConfig) => pg.Client, address: Address): Database['vacuum'] {
  const { schema, pooled } = address
  const options = `${sessionSettings(address, true)} -c lock_timeout=${LOCK}`
  return async (tables) => {
    const client = connect({ query_timeout: 0, ...(!pooled && { options }) })
    client.on('error', () => {})
    const connected = client.connect()
    const failed: { table: string; error: unknown }[] = []
    for (const table of tables)
      await connected
        .then(() => client.query(`vacuum ${schema}.${table}`))
        .catch((error: unknown) => failed.push({ table, error }))
    await client.end().catch(() => undefined)
    return failed
  }
}

export async function lend<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  isUsable: (error: unknown, client: pg.PoolClient) => boolean | Promise<boolean>,
): Promise<T> {
  const client = await connect(pool)
  let usable = true
  try {
    return await work(client)
  } catch (error) {
    usable = await isUsable(error, client)
    throw error
  } finally {
    client.release(!usable)
  }
}

const TOO_MANY = '53300'
const TOO_MANY_CLIENTS = 'no more connections allowed'

const ASK_AGAIN = 10_000

/** Where the server has no more, waits for one that the pool has. */
async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  for (;;) {
    try {
      return await pool.connect()
    } catch (error) {
      if (!isTooMany(error) || pool.totalCount === 0) throw error
      askForNoMore(pool)
    }
  }
}

function isTooMany(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === TOO_MANY) || error.message.startsWith(TOO_MANY_CLIENTS)
}

const content = new WeakMap<pg.Pool, number>()

function askForNoMore(pool: pg.Pool): void {
  const { options, totalCount } = pool
  const most = content.get(pool) ?? options.max
  options.max = totalCount
  if (content.has(pool)) return
  content.set(pool, most)
  setTimeout(() => {
    options.max = most
    content.delete(pool)
  }, ASK_AGAIN).unref()
}
