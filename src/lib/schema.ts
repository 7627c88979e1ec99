import { z } from 'zod'

/** Only from the environment, never shown or logged. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), secret: true, writeOnly: true }) as Schema
}

export function isSecret(schema: z.ZodType): boolean {
  return schema.meta()?.secret === true
}

export function checkedText(fault: (text: string) => string | null): z.ZodString {
  return z.string().superRefine((text, context) => {
    const message = fault(text)
    if (message) context.addIssue({ code: 'custom', message })
  })
}
