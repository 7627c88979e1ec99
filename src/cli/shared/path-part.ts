import { UserError } from '../../domain/values/errors.ts'

/** A text that a person typed, as a part of a path. A path leaves out "." and "..", and would lead elsewhere. Throws a UserError. */
export function pathPart(typed: string): string {
  if (/^\.{1,2}$/.test(typed)) throw new UserError(`"${typed}" names nothing here: type a number or a name.`)
  return encodeURIComponent(typed)
}
