import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StoreUnavailableError } from '../../../domain/values/errors.ts'
import { textOf } from '../../tables/statement.ts'
import { type Address, patientSettings, sessionSettings, transactionSettings } from './address.ts'
import { lend } from './connections.ts'
import { type Database, type Prepared, RepeatError, type Session } from './database.ts'
import { createListener, lookInstead } from './listener.ts'
import { asStoreError, isInTheWay, isUnavailable } from './unavailable.ts'

const MOST_TURNS = 10

const CONNECT = 5_000
const ANSWER = 20_000
/** TCP keep-alive (ms). */
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
        const result = await work({ query: (statement, values) => ask(client, statement, values, pooled) })
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
        if (repeat && turn < MOST_TURNS) await delay(Math.random() * 10 * turn)
        else if (error instanceof RepeatError)
          throw new StoreUnavailableError('Too many hubs write about the same at once.', { cause: error })
        else throw asStoreError(error, address.server)
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
          (client) => ask(client, statement, values, false),
          (error) => !isUnavailable(error),
        )
      } catch (error) {
        throw asStoreError(error, address.server)
      }
    },

    transaction,

    listen: (channel, heard) =>
      pooled ? lookInstead(heard) : createListener(() => new pg.Client(connectionOptions(address)), channel, heard),

    vacuum: createVacuuming((settings) => new pg.Client({ ...connectionOptions(address), ...settings }), address),

    async [Symbol.asyncDispose]() {
      await pool.end()
    },
  }
}

/** Unnamed behind a pooler: the next may be on another session. */
async function ask<Row>(
  client: pg.ClientBase,
  { name, text }: Prepared<Row>,
  values: readonly unknown[] = [],
  pooled: boolean,
) {
  const { rows } = await client.query({ ...(!pooled && { name }), text, values: values.map(asParameter) })
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
  const options = `${patientSettings(address)} -c lock_timeout=${LOCK}`
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
