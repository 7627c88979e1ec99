import { schemaOf } from '../schemas/schemas.ts'
import type { Dialect } from './dialect.ts'

/** The API as it stands: both documents in one, and the case of names does not matter. */
export const facts: Dialect = {
  base: '',
  operations: null,
  events: { isShown: () => true, write: (_, payload) => payload, schema: schemaOf },
}
