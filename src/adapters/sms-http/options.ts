import { z } from 'zod'
import { checkedText, secret } from '../../lib/schema.ts'
import { suggest } from '../../lib/suggest.ts'
import { addressFault, ownHeaders } from '../shared/http-options.ts'
import { LANGUAGES } from '../wording/file.ts'

export const RECEIPT_FIELDS = ['store', 'link', 'receipt', 'total', 'name'] as const

/** `greeting` is `Hello Kari!`, or nothing where it does not fit. */
export const ORDER_FIELDS = ['store', 'order', 'goods', 'greeting', 'name'] as const
const REQUEST_FIELDS = ['to', 'toDigits', 'text', 'key', 'order', ...RECEIPT_FIELDS] as const
export type TextValues = Readonly<
  Record<'store' | 'link' | 'receipt' | 'total' | 'name' | 'order' | 'goods' | 'greeting', string>
>

export type Template = readonly (string | { name: string })[]
const TAG = /\{\{([^{}]*)\}\}/

export function parseTemplate(source: string): Template {
  return source.split(TAG).map((piece, index) => (index % 2 === 0 ? piece : { name: piece.trim() }))
}

export function namesIn(template: Template): string[] {
  return template.flatMap((piece) => (typeof piece === 'string' ? [] : piece.name))
}

export function fillTemplate(
  template: Template,
  values: Readonly<Record<string, string>>,
  safe: (value: string) => string,
): string {
  return template.map((piece) => (typeof piece === 'string' ? piece : safe(values[piece.name] ?? ''))).join('')
}

function escapeJson(value: string): string {
  return JSON.stringify(value.toWellFormed()).slice(1, -1)
}

/** A space is %20, for a query and a form alike. */
export function escapeUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

interface Body {
  template: Template
  safe: (value: string) => string
}

export function parseBody(written: string | Record<string, unknown>, type: 'json' | 'form'): Body | null {
  const safe = type === 'json' ? escapeJson : escapeUrl
  if (typeof written === 'string') return { template: parseTemplate(written), safe }
  if (type === 'json') return { template: parseTemplate(JSON.stringify(written)), safe }
  const fields = Object.entries(written)
  if (fields.some(([, value]) => typeof value === 'object')) return null
  return { template: fields.flatMap(formField), safe }
}

export function fillBody({ template, safe }: Body, values: Readonly<Record<string, string>>): string {
  return fillTemplate(template, values, safe)
}

function formField([name, value]: [string, unknown], index: number): Template {
  const words = parseTemplate(String(value)).map((piece) => (typeof piece === 'string' ? escapeUrl(piece) : piece))
  return [`${index === 0 ? '' : '&'}${escapeUrl(name)}=`, ...words]
}

function urlFault(text: string): string | null {
  const [address = ''] = text.split('?')
  const isWeb = /^https?:$/.test(URL.parse(text)?.protocol ?? '')
  if (isWeb && address.includes('{{')) return 'Must have placeholders in its query only, after the question mark.'
  return addressFault(text)
}

function bodyFault(written: string | Record<string, unknown>, type: 'json' | 'form'): string | null {
  const body = parseBody(written, type)
  if (body === null) return 'Must be a map of texts, numbers and booleans: a form has no maps or lists in it.'
  if (type === 'form') return null
  // A quotation mark shows a placeholder outside of a text.
  const samples = namesIn(body.template).map((name) => [name, name === 'toDigits' ? '4791234567' : '"'])
  try {
    JSON.parse(fillBody(body, Object.fromEntries(samples)))
    return null
  } catch {
    return 'Is not JSON: is a placeholder without quotes around it, or a comma missing?'
  }
}

export function templateFault(text: string, known: readonly string[], needed?: string): string | null {
  const names = namesIn(parseTemplate(text))
  if (needed && !names.includes(needed)) return `Must have {{${needed}}} in it.`
  return text.trim() === '' ? 'Must not be empty.' : unknownName(names, known)
}

function placeholderFaults(
  { url, body, type }: { url: string; body?: string | Record<string, unknown> | undefined; type: 'json' | 'form' },
  known: readonly string[],
): [option: string, fault: string][] {
  const ofUrl = namesIn(parseTemplate(url))
  const ofBody = namesIn((body === undefined ? null : parseBody(body, type))?.template ?? [])
  const all = [...ofUrl, ...ofBody]
  const place = body === undefined ? 'url' : 'body'
  const found: [string, string | null][] = [
    ['url', unknownName(ofUrl, known)],
    ['body', unknownName(ofBody, known)],
    [
      place,
      all.includes('to') || all.includes('toDigits') ? null : 'Must say whom to send to: {{to}} or {{toDigits}}.',
    ],
    [place, all.includes('text') || all.includes('link') ? null : 'Must say what to send: {{text}}.'],
  ]
  return found.filter((one): one is [string, string] => one[1] !== null)
}

function unknownName(names: readonly string[], known: readonly string[]): string | null {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return null
  const near = suggest(unknown, known)
  return `There is no {{${unknown}}}${near ? `; did you mean {{${near}}}?` : `. There are: ${known.join(', ')}.`}`
}

const value = z.union([z.string(), z.number(), z.boolean()])
const values = z.union([value, z.array(value).min(1)])
const RESERVED = /^(content-length|host|transfer-encoding|connection|keep-alive|upgrade|expect)$/i
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
