import { UserError } from '../../../domain/values/errors.ts'

export interface Address {
  /** For the driver. */
  connectionString: string
  schema: string
  /** Pooler in transaction mode: each transaction may be on another session. */
  pooled: boolean
  /** Host and database, without credentials. */
  server: string
}

/**
 * Reads `postgres://user:password@host:5432/database?schema=tillbridge&pooled=true`; errors never show the password.
 */
export function readAddress(url: string): Address {
  const address = URL.canParse(url) ? new URL(url) : null
  if (!address) throw new UserError('store.url: it is no address such as postgres://user:password@host:5432/database.')
  const schema = address.searchParams.get('schema') ?? 'tillbridge'
  // It becomes part of statements.
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema))
    throw new UserError(`store.url: "${schema}" is no name for a schema: small letters, digits and _, 40 at most.`)
  const pooled = address.searchParams.get('pooled') ?? 'false'
  if (pooled !== 'true' && pooled !== 'false')
    throw new UserError(
      'store.url: pooled is true where a pooler in transaction mode stands before the server, else false.',
    )
  address.searchParams.delete('schema')
  address.searchParams.delete('pooled')
  const server = `${address.host || 'the local socket'}${address.pathname}`
  return { connectionString: address.toString(), schema, pooled: pooled === 'true', server }
}
