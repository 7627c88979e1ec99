import type { ApiKey } from '../../domain/access/api-key.ts'
import { ANY_ORDER, SUBMIT_SCOPES } from '../../domain/access/scope.ts'

/** The keys that may more than a new one would, for the same `--may`: they are good, and were made before scopes. */
export function wideKeys(keys: readonly ApiKey[]): ApiKey[] {
  return keys.filter(({ madeBeforeScopes, revokedAt }) => madeBeforeScopes && revokedAt === null)
}

/** A sentence on what such a key may, and why. */
export function wideText({ id, system, scopes }: ApiKey): string {
  const orders = scopes.includes(ANY_ORDER) ? " and change every system's orders" : ''
  return `Key ${id} of ${system} may read everything${orders}, because it was made before scopes.`
}

/** How its system comes to one that may less. */
export function narrowerText({ id, system, scopes }: ApiKey): string {
  const named = SUBMIT_SCOPES.filter((scope) => scopes.includes(scope))
  const create = `tillbridge keys create ${system} --may ${named.join(',')}`
  return `make a new one with "${create}" (and read:<set> for each set that it reads), then "tillbridge keys revoke ${id}"`
}
