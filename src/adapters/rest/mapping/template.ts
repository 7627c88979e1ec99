import { z } from 'zod'
import { checkedText } from '../../../lib/checked-text.ts'
import { syntaxFault } from '../../../lib/jsonata.ts'
import { shownFault } from './mapping-error.ts'
import { textFault } from './text-template.ts'

/* What an operator writes about one request. */

/** JSONata, checked as it is read. */
const Expression = checkedText((text) => {
  const fault = syntaxFault(text)
  return fault && `Is not JSONata: ${shownFault(fault)}.`
})

const Text = checkedText(textFault)

/** Headers that the connection or the adapter sets. */
const RESERVED = /^(authorization|content-length|host|transfer-encoding|connection|keep-alive|upgrade|expect)$/i

const HeaderName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Is not a header name.')
  .refine((name) => !RESERVED.test(name), 'Is set by Tillbridge and cannot be changed here.')

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const request = {
  path: checkedText((text) =>
    text.startsWith('/') ? textFault(text) : 'Must begin with /: it follows the url.',
  ).describe(
    'What follows the url. {{JSONata}} in it is filled in and percent-encoded; one that gives nothing is an error.',
  ),
  query: z
    .record(z.string().min(1), Text)
    .optional()
    .describe(
      'Parameters of the query, as texts with {{JSONata}}. One that is nothing but JSONata without a result is left out.',
    ),
  headers: z
    .record(HeaderName, Text)
    .optional()
    .describe(
      'Headers of this request, as texts with {{JSONata}}. One that is nothing but JSONata without a result is left out.',
    ),
  type: z.enum(['json', 'form']).default('json').describe('What the body is: json or form (URL-encoded).'),
  body: Expression.optional().describe('JSONata that makes the body. Without it there is none.'),
  statuses: z
    .record(
      z.string().regex(/^[2-5]\d\d$/, 'Must be a status: 409.'),
      z.enum(['done', 'permanent', 'later', 'unknown']),
    )
    .optional()
    .describe(
      'What a status means, where it is not as usual: done, permanent (never), later, or unknown (it may have happened).',
    ),
  refusedWhen: Expression.optional().describe(
    'JSONata over a good answer: true where it says that this will never work.',
  ),
  laterWhen: Expression.optional().describe('JSONata over a good answer: true where it says that this may work later.'),
}

const method = z.enum(METHODS)

export const Request = z.strictObject({
  method: method.default('POST').describe('The HTTP method; POST by default.'),
  ...request,
})

/** Asks, and changes nothing. */
export const Read = z.strictObject({
  method: method.default('GET').describe('The HTTP method; GET by default.'),
  ...request,
})

const Paging = z
  .strictObject({
    first: z.union([z.string(), z.int()]).optional().describe('What `page` is at first. Without it, nothing.'),
    next: Expression.optional().describe(
      'JSONata over the answer: what `page` is next (a number, a cursor). Nothing: it was the last.',
    ),
    link: Expression.optional().describe(
      'JSONata over the answer: the address of the next page, at the same host. Nothing: it was the last.',
    ),
    most: z.int().min(1).max(100).default(10).describe('How many pages are read at most.'),
  })
  .refine(({ next, link }) => (next === undefined) !== (link === undefined), 'Must have `next` or `link`.')

const paging = { paging: Paging.optional().describe('How more pages are asked for. Without it, there is one.') }

/** Makes one effect. */
const Effect = z.strictObject({
  when: Expression.optional().describe(
    'Of several requests: JSONata that says whether it is this one. The first counts.',
  ),
  ...Request.shape,
  link: Expression.optional().describe("JSONata over the answer: the system's own id of what was made."),
  idempotent: z
    .boolean()
    .default(false)
    .describe('true: the system promises that the same request twice does no more than once (an idempotency key).'),
  find: z
    .strictObject({
      ...Read.shape,
      found: Expression.describe(
        "JSONata over the answer: the system's own id of what is there, or true. Nothing: it is not there.",
      ),
    })
    .optional()
    .describe('How to look whether the effect of an uncertain try is there.'),
})

/** One request, or several of which one is made. */
export const Effects = z.union([Effect, z.array(Effect).min(1).max(10)])

/** Asks for a list. */
export const Search = z.strictObject({
  ...Read.shape,
  ...paging,
  answer: Expression.describe('JSONata over the answer: what was found, in the hub’s form.'),
})

/** Asks for what there is. */
export const Levels = z.strictObject({
  ...Read.shape,
  first: z.union([z.string(), z.int()]).optional().describe('What `page` is at first. Without it, nothing.'),
  answer: Expression.describe(
    'JSONata over the answer: { levels, next }. `levels` is a list of { gtin, sku, level }; `next` what `page` is next, nothing after the last.',
  ),
})

/** Asks for what is new. */
export const Poll = z.strictObject({
  ...Read.shape,
  first: z.string().optional().describe('What `cursor` is the first time.'),
  items: Expression.describe(
    'JSONata over the answer: what is new, as a list of { resource, key, theirId, place, value }.',
  ),
  cursor: Expression.describe('JSONata over the answer: where to go on next time. Nothing: where it was.'),
  more: Expression.optional().describe('JSONata over the answer: true where there is more at once.'),
})

export type RequestTemplate = z.output<typeof Request>
export type EffectTemplate = z.output<typeof Effect>
export type SearchTemplate = z.output<typeof Search>
export type LevelsTemplate = z.output<typeof Levels>
export type PollTemplate = z.output<typeof Poll>
