import type pg from 'pg'

/** An unheard 'error' of a lent connection would end the process. */
function ignore() {}

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

/** SQLSTATE; PgBouncer has a message only. */
const TOO_MANY = '53300'
const TOO_MANY_CLIENTS = 'no more connections allowed'

/** A refused pool does not grow for this long (ms). */
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
