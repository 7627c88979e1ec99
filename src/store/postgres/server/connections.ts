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
  const client = await pool.connect()
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
