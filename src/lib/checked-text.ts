import { z } from 'zod'

/** A text that is refused with what is wrong with it. */
export function checkedText(fault: (text: string) => string | null): z.ZodString {
  return z.string().superRefine((text, context) => {
    const message = fault(text)
    if (message) context.addIssue({ code: 'custom', message })
  })
}
