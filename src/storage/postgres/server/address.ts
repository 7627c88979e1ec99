import { UserError } from '../../../domain/values/errors.ts'

export interface Address {
  connectionString: string
  schema: string
  /** Pooler in transaction mode: each transaction may be on another session. */
  pooled: boolean
  server: string
}

/**
 * Reads `postgres://user:password@host:5432/database?schema=tillbridge&pooled=true`; errors never show the password.
 */
export function readAddress(url: string): Address {
  const address = URL.canParse(url) ? new URL(url) : null
  if (!address) throw new UserError('store.url: it is no address such as postgres://user:password@host:5432/database.')
  const schema = address.searchParams.get('schema') ?? 'tillbridge'
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

/** Enforced by the server (ms); a stalled process must not keep others from its rows. */
const LIMITS = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 5_000,
}

/** As options of a new connection. `patient`: without limits. */
export function sessionSettings(address: Address, patient = false): string {
  return settingsOf(address, patient)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/** As a statement: behind a pooler the next transaction may be on another session. */
export function transactionSettings(address: Address, patient = false): string {
  const calls = settingsOf(address, patient).map(([name, value]) => `set_config('${name}', '${value}', true)`)
  return `select ${calls.join(', ')}`
}

function settingsOf({ schema }: Address, patient: boolean): [name: string, value: string | number][] {
  const limits = Object.entries(LIMITS).map(([name, limit]): [string, number] => [name, patient ? 0 : limit])
  return [
    ['search_path', schema],
    patient ? ['client_min_messages', 'warning'] : ['synchronous_commit', 'on'],
    ...limits,
  ]
}
