import type { z } from 'zod'

export interface Nearest {
  schema: z.ZodType
  write(payload: object, record: object | undefined): object
}

/** The schema is that of what is written; what is read are the sandbox's own payloads. */
export function nearest<Schema extends z.ZodType, From>(
  schema: Schema,
  write: (from: From) => z.infer<Schema>,
): Nearest {
  return { schema, write: (payload, record) => write((record ?? payload) as From) as object }
}
