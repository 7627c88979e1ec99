import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StoreUnavailableError } from '../../../domain/values/errors.ts'
import { textOf } from '../../tables/statement.ts'
import type { Address } from './address.ts'
import { lend } from './connections.ts'
import { type Database, type Prepared, RepeatError, type Session } from './database.ts'
import { createListener } from './listener.ts'
import { lookInstead } from './look-instead.ts'
import { sessionSettings, transactionSettings } from './settings.ts'
import { asStoreError, isInTheWay, isUnavailable } from './unavailable.ts'
import { createVacuuming } from './vacuuming.ts'

/** A transaction that others stand in the way of is begun so often. */
const MOST_TURNS = 10

/** How long a new connection may take, and how long one answer may; then the server counts as gone (milliseconds). */
const CONNECT = 5_000
const ANSWER = 20_000
/** How long a connection is quiet before it is asked for a sign of life (milliseconds). */
const QUIET = 10_000

/** Columns of 64 bits are ids, instants and counts: numbers, far below 2^53. */
const BIGINT = 20
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/** How a connection is made; also for those that are not of a pool. */
export function connectionOptions(address: Address): pg.ClientConfig {
  return {
    connectionString: address.connectionString,
    types,
    application_name: 'tillbridge',
    connectionTimeoutMillis: CONNECT,
    query_timeout: ANSWER,
    // A connection that is quiet is asked now and then whether it still stands: what lies between would forget it.
    keepAlive: true,
    keepAliveInitialDelayMillis: QUIET,
    // A pooler takes none: there, each transaction sets them.
    ...(!address.pooled && { options: sessionSettings(address) }),
  }
}

/** A pool of so many connections at most. Whoever made it ends it. */
export function createConnections(address: Address, most: number): pg.Pool {
  // Statements that do not wait for each other's rows go out together.
  // They are kept: whoever else fills the server meanwhile would keep the hub out.
  const kept = { max: most, idleTimeoutMillis: 0 }
  const pool = new pg.Pool({ ...connectionOptions(address), pipeline: true, ...kept } as pg.PoolConfig)
  // An idle connection that breaks is replaced; whoever needs one next is told if that fails.
  pool.on('error', () => {})
  return pool
}

/** The hub's work on connections of a pool, which it ends with itself. */
export function createPool(pool: pg.Pool, address: Address): Database {
  const { pooled } = address
  const settings = transactionSettings(address)

  function once<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return lend(
      pool,
      async (client) => {
        // The `begin` goes out with the first statement; if it fails, that fails too.
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
        // A session of before a failover may be read-only for ever.
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

/** Statements have no names where the next one may be on another session. */
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
