import type pg from 'pg'

/** While a connection is out, its pool does not listen for its end: unheard, that would end the process. */
function ignore() {}

/**
 * Lends a connection of a pool to `work`. `isUsable`: whether it may be lent again after work that failed; else the pool
 * makes another in its place.
 */
export async function lend<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  isUsable: (error: unknown, client: pg.PoolClient) => boolean | Promise<boolean>,
): Promise<T> {
  const client = await connect(pool)
  client.on('error', ignore)
  let usable = true
  try {
    return await work(client)
  } catch (error) {
    usable = await isUsable(error, client)
    throw error
  } finally {
    client.off('error', ignore)
    client.release(!usable)
  }
}

/** The SQLSTATE of a server, a database or a role that has no connection left, and what PgBouncer says, which has no code for it. */
const TOO_MANY = '53300'
const TOO_MANY_CLIENTS = 'no more connections allowed'

/** A pool that was refused a connection asks for no more than it has for so long (milliseconds). */
const ASK_AGAIN = 10_000

/** A connection of a pool; where the server has no more, the next of those that the pool has. */
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

/** Pools that ask for no more just now, and how many connections each may have. */
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
