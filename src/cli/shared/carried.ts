import { UserError } from '../../domain/values/errors.ts'

/** Signs that no header carries. */
const NOT_CARRIED = /[^\t\u0020-\u007e\u0080-\u00ff]/

/** A token or a key, as a request carries it. Throws a UserError, which does not repeat it. */
export function carried(name: string, secret: string): string {
  if (!NOT_CARRIED.test(secret)) return secret
  throw new UserError(`${name} has a sign in it that no token has, such as a line break at its end: copy it again.`)
}
