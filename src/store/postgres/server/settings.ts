import type { Address } from './address.ts'

/** Enforced by the server (ms); a stalled process must not keep others from its rows. */
const LIMITS = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 5_000,
}

/** Whatever role or database have set. */
const NO_LIMITS = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, 0]))

export function sessionSettings({ schema }: Address): string {
  return asOptions({ search_path: schema, synchronous_commit: 'on', ...LIMITS })
}

/** Without limits. */
export function patientSettings({ schema }: Address): string {
  return asOptions({ search_path: schema, client_min_messages: 'warning', ...NO_LIMITS })
}

/** Behind a pooler the next transaction may be on another session. */
export function transactionSettings({ schema }: Address): string {
  return setting({ search_path: schema, synchronous_commit: 'on', ...LIMITS })
}

export function patientTransactionSettings({ schema }: Address): string {
  return setting({ search_path: schema, client_min_messages: 'warning', ...NO_LIMITS })
}

function asOptions(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/** The schema's name has no quote (address.ts). */
function setting(settings: Readonly<Record<string, string | number>>): string {
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`)
  return `select ${calls.join(', ')}`
}
