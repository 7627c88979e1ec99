import { z } from 'zod'
import { UserError } from '../../domain/values/errors.ts'
import { checkedText, secret } from '../../lib/schema.ts'
import { addressFault, ownHeaders } from '../shared/http-options.ts'
import { WORDING_OPTIONS } from '../wording/file.ts'
import {
  faultIn,
  fillTemplate,
  namesIn,
  parseTemplate,
  type Shape,
  type Template,
  templateFault,
} from '../wording/template.ts'

export const RECEIPT_FIELDS = fields('store link receipt total name')

export const ORDER_FIELDS = fields('store order goods greeting name')
/** What is missing is empty. */
export type TextValues = Readonly<
  Partial<Record<'store' | 'link' | 'receipt' | 'total' | 'name' | 'order' | 'goods' | 'greeting', string>>
>

function fields(names: string): Shape {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'text']))
}

function escapeJson(value: string): string {
  return JSON.stringify(value.toWellFormed()).slice(1, -1)
}

/** A space is %20, valid in queries and forms. */
export function escapeUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

type Written = Pick<SmsHttpOptions, 'url' | 'body' | 'type' | 'secrets'>

function requestFields({ secrets = {} }: Pick<Written, 'secrets'>): Shape {
  const names = ['to toDigits text key order', ...Object.keys(secrets).map((name) => `secrets.${name}`)]
  return { ...fields(names.join(' ')), ...RECEIPT_FIELDS }
}

interface Body {
  template: Template
  safe: (value: string) => string
}

export function parseBody(options: Written): Body | null {
  const { body: written, type } = options
  if (written === undefined) return null
  const shape = requestFields(options)
  const safe = type === 'json' ? escapeJson : escapeUrl
  if (typeof written === 'string') return { template: parseTemplate(written, shape), safe }
  if (type === 'json') return { template: parseTemplate(JSON.stringify(written), shape), safe }
  return { template: Object.entries(written).flatMap((field, index) => formField(field, index, shape)), safe }
}

export function parseQuery(options: Written): Template {
  const search = URL.parse(options.url)?.search ?? ''
  return parseTemplate(search.replace(/\{\{(?:%20)*([\w.]+)(?:%20)*\}\}/g, '{{$1}}'), requestFields(options))
}

function formField([name, value]: [string, unknown], index: number, shape: Shape): Template {
  if (typeof value === 'object')
    throw new UserError('a form is a map of texts, numbers and booleans, without maps or lists in it')
  const escaped = parseTemplate(String(value), shape).map((node) =>
    node.type === 'words' ? { ...node, words: escapeUrl(node.words) } : node,
  )
  return [{ type: 'words', words: `${index === 0 ? '' : '&'}${escapeUrl(name)}=` }, ...escaped]
}

function urlFault(text: string): string | null {
  const [address = ''] = text.split('?')
  const isWeb = /^https?:$/.test(URL.parse(text)?.protocol ?? '')
  if (isWeb && address.includes('{{')) return 'Must have placeholders in its query only, after the question mark.'
  return addressFault(text)
}

/** A quotation mark reveals a placeholder outside of a text. */
function jsonFault({ template, safe }: Body): string | null {
  const samples = namesIn(template).map((name) => [name, name === 'toDigits' ? '4791234567' : '"'])
  try {
    JSON.parse(fillTemplate(template, Object.fromEntries(samples), safe))
    return null
  } catch {
    return 'Is not JSON: is a placeholder without quotes around it, or a comma missing?'
  }
}

function wordsFault(text: string, needed?: string): string | null {
  if (text.trim() === '') return 'Must not be empty.'
  const fault = templateFault(text, RECEIPT_FIELDS)
  const isMissing =
    fault === null && needed !== undefined && !namesIn(parseTemplate(text, RECEIPT_FIELDS)).includes(needed)
  return isMissing ? `Must have {{${needed}}} in it.` : fault
}

export function requestNames(options: Written): string[] {
  return [...namesIn(parseQuery(options)), ...namesIn(parseBody(options)?.template ?? [])]
}

function requestFault(options: Written): [option: 'url' | 'body', fault: string] | null {
  const ofUrl = faultIn(() => parseQuery(options))
  if (ofUrl !== null) return ['url', ofUrl]
  const ofBody = faultIn(() => parseBody(options))
  if (ofBody !== null) return ['body', ofBody]
  const body = parseBody(options)
  const fault = body && options.type === 'json' ? jsonFault(body) : null
  if (fault !== null) return ['body', fault]
  const names = requestNames(options)
  const place = body ? 'body' : 'url'
  if (!names.includes('to') && !names.includes('toDigits'))
    return [place, 'Must say whom to send to: {{to}} or {{toDigits}}.']
  return names.includes('text') || names.includes('link') ? null : [place, 'Must say what to send: {{text}}.']
}

const value = z.union([z.string(), z.number(), z.boolean()])
const values = z.union([value, z.array(value).min(1)])
export const SmsHttpOptions = z
  .strictObject({
    url: checkedText(urlFault).describe(
      'Where the gateway takes a text: http or https. Its query may have {{placeholders}}; it is never logged.',
    ),
    method: z.enum(['POST', 'PUT', 'GET']).default('POST').describe('POST, PUT or GET; a GET has no body.'),
    headers: ownHeaders()
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
    text: checkedText((text) => wordsFault(text))
      .optional()
      .describe(
        "The words of a receipt, with {{store}}, {{link}}, {{receipt}}, {{total}} and {{name}}; without it, the language's own.",
      ),
    shortText: checkedText((text) => wordsFault(text, 'link'))
      .optional()
      .describe('The words in place of `text` where that does not fit one message with the link.'),
    ...WORDING_OPTIONS,
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
    const isGetWithBody = options.method === 'GET' && options.body !== undefined
    const fault = isGetWithBody ? (['body', 'Must not be given: a GET has no body.'] as const) : requestFault(options)
    if (fault) context.addIssue({ code: 'custom', path: [fault[0]], message: fault[1] })
  })

export type SmsHttpOptions = z.output<typeof SmsHttpOptions>
