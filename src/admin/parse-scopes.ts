import { ANY_ORDER, SCOPES, type Scope } from '../domain/access/scope.ts'
import { UserError } from '../domain/values/errors.ts'
import { suggest } from '../lib/suggest.ts'

/**
 * Reads `products,read:stock`, each once, in the order of SCOPES. Throws a UserError where there is none, where one is
 * unknown, or where one gives nothing without another that is missing.
 */
export function parseScopes(text: string): Scope[] {
  const given = text.split(',').map((part) => part.trim())
  const unknown = given.find((part) => part !== '' && !isScope(part))
  if (unknown !== undefined) throw new UserError(`may: there is no scope ${JSON.stringify(unknown)}. ${meant(unknown)}`)
  const scopes = SCOPES.filter((scope) => given.includes(scope))
  if (scopes.length === 0) throw new UserError(`may: say what the key may: ${SCOPES.join(', ')}.`)
  if (scopes.includes(ANY_ORDER) && !scopes.includes('orders'))
    throw new UserError(`may: ${ANY_ORDER} is for keys that may submit orders: say orders,${ANY_ORDER}.`)
  return scopes
}

function isScope(text: string): boolean {
  return SCOPES.some((scope) => scope === text)
}

/** The scope that may have been meant: the name of a set alone means to read it. */
function meant(unknown: string): string {
  const nearest = isScope(`read:${unknown}`) ? `read:${unknown}` : suggest(unknown, SCOPES)
  return nearest === null ? `Choose from ${SCOPES.join(', ')}.` : `Did you mean ${nearest}?`
}
