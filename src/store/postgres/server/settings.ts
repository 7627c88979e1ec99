import type { Address } from './address.ts'

/**
 * The limits that the server itself enforces (milliseconds): on a statement, on a wait for a lock, and on a transaction whose
 * process stands still, which would keep others from its rows.
 */
const LIMITS = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 5_000,
}

/** None of them, whatever the role or the database has of its own. */
const NO_LIMITS = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, 0]))

/** The settings that the store relies on, as options of a session. */
export function sessionSettings({ schema }: Address): string {
  return asOptions({ search_path: schema, synchronous_commit: 'on', ...LIMITS })
}

/** Settings of a session that works for as long as it takes. */
export function patientSettings({ schema }: Address): string {
  return asOptions({ search_path: schema, client_min_messages: 'warning', ...NO_LIMITS })
}

/** The statement that sets them for one transaction: behind a pooler, the next one may be another session's. */
export function transactionSettings({ schema }: Address): string {
  return setting({ search_path: schema, synchronous_commit: 'on', ...LIMITS })
}

/** As `transactionSettings`, for one that takes as long as it takes. */
export function patientTransactionSettings({ schema }: Address): string {
  return setting({ search_path: schema, client_min_messages: 'warning', ...NO_LIMITS })
}

function asOptions(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/** The schema's name holds no quote (address.ts). */
function setting(settings: Readonly<Record<string, string | number>>): string {
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`)
  return `select ${calls.join(', ')}`
}
