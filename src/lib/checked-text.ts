import { z } from 'zod'

export function checkedText(fault: (text: string) => string | null): z.ZodString {
  return z.string().superRefine((text, context) => {
    const message = fault(text)
    if (message) context.addIssue({ code: 'custom', message })
  })
}
