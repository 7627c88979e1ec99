import type { z } from 'zod'

/** Marks a config value as a secret: only from the environment, never shown, never logged. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), secret: true, writeOnly: true }) as Schema
}

/** Whether `secret()` marked this schema. */
export function isSecret(schema: z.ZodType): boolean {
  return schema.meta()?.secret === true
}
