import { z } from 'zod'
import { checkedText } from '../../lib/checked-text.ts'
import { secret } from '../../lib/secret.ts'
import { ownHeaders } from '../shared/http-options.ts'
import { LANGUAGES } from '../wording/languages.ts'
import { RECEIPT_FIELDS, REQUEST_FIELDS } from './fields.ts'
import { bodyFault, urlFault } from './option-faults.ts'
import { placeholderFaults, templateFault } from './placeholder-faults.ts'

const value = z.union([z.string(), z.number(), z.boolean()])
const values = z.union([value, z.array(value).min(1)])

/** Headers that the connection sets. */
const RESERVED = /^(content-length|host|transfer-encoding|connection|keep-alive|upgrade|expect)$/i

/** Options that an operator writes under a destination with `adapter: sms-http`. */
export const SmsHttpOptions = z
  .strictObject({
    url: checkedText(urlFault).describe(
      'Where the gateway takes a text: http or https. Its query may have {{placeholders}}; it is never logged.',
    ),
    method: z.enum(['POST', 'PUT', 'GET']).default('POST').describe('POST, PUT or GET; a GET has no body.'),
    headers: ownHeaders(RESERVED)
      .optional()
      .describe('Headers of your own, such as authorization: a whole value from the environment each.'),
    secrets: z
      .record(z.string().regex(/^\w+$/, 'Must be letters, digits and _.'), secret(z.string().min(4)))
      .optional()
      .describe('Passwords that the gateway wants in the body or the query: {{secrets.name}} puts one there.'),
    type: z.enum(['json', 'form']).default('json').describe('What the body is: json or form (URL-encoded).'),
    body: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .optional()
      .describe('The body with {{placeholders}}: a map that becomes JSON or a form, or the text of one.'),
    text: checkedText((text) => templateFault(text, RECEIPT_FIELDS))
      .optional()
      .describe(
        "The words of a receipt, with {{store}}, {{link}}, {{receipt}}, {{total}} and {{name}}; without it, the language's own.",
      ),
    shortText: checkedText((text) => templateFault(text, RECEIPT_FIELDS, 'link'))
      .optional()
      .describe('The words in place of `text` where that does not fit one message with the link.'),
    language: z.enum(LANGUAGES).default('en').describe('The language of the texts: en or nb.'),
    wording: z
      .string()
      .min(1)
      .optional()
      .describe('Path of a YAML or JSON file with a language, or words, of your own; in place of language.'),
    failWhen: z
      .strictObject({
        path: z.string().min(1).describe('Where to look in the JSON of the answer: messages.0.status.'),
        equals: values.optional().describe('It failed if the value there is this, or one of these.'),
        not: values.optional().describe('It failed if the value there is anything but this, or one of these.'),
        retry: values
          .optional()
          .describe('Of these failures: the values that may pass later. Others are dead letters.'),
      })
      .refine(({ equals, not }) => (equals === undefined) !== (not === undefined), 'Must have `equals` or `not`.')
      .optional()
      .describe('What in a 2xx answer says that the gateway refused, if it answers so.'),
  })
  .superRefine((options, context) => {
    const { method, body, type, secrets } = options
    const fault = (key: string, message: string | null) => {
      if (message) context.addIssue({ code: 'custom', path: [key], message })
    }
    const names = [...REQUEST_FIELDS, ...Object.keys(secrets ?? {}).map((name) => `secrets.${name}`)]
    fault('body', method === 'GET' && body !== undefined ? 'Must not be given: a GET has no body.' : null)
    fault('body', body === undefined ? null : bodyFault(body, type))
    for (const [key, message] of placeholderFaults(options, names)) fault(key, message)
  })

export type SmsHttpOptions = z.output<typeof SmsHttpOptions>
