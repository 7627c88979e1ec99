import { UserError } from '../../../domain/values/errors.ts'
import type { Address } from './address.ts'

/** The table that a schema has while a copy into it is unfinished (src/store/copy/unfinished.ts). */
export const UNFINISHED_COPY = 'copying'

/** The setting of a session that may write there all the same: the copy itself. */
export const PASS_UNFINISHED = 'tillbridge.copying=on'

export function unfinishedError({ schema, server }: Address): UserError {
  return new UserError(
    `A copy is unfinished in the schema ${schema} at ${server}: type \`store copy\` once more, which goes on with it, or drop the schema.`,
  )
}
