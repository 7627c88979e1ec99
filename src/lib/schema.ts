import { z } from 'zod'

/* What many options are. */

export const Text = z.string().min(1)
export const Texts = z.array(Text).min(1)
export const Named = z.record(Text, Text).default({})
export const Off = z.boolean().default(false)
export const On = z.boolean().default(true)

export function choice<const Word extends string>(...words: readonly Word[]) {
  return z.enum(words).optional()
}

export function count(least: number, most: number, usual: number) {
  return z.int().min(least).max(most).default(usual)
}

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
