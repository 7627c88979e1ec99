import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { UserError } from '../../domain/values/errors.ts'
import { isMap } from '../../lib/collections.ts'
import { orElse } from '../../lib/or-else.ts'
import { Text } from '../../lib/schema.ts'
import { suggest } from '../../lib/suggest.ts'
import type { OrderMessage } from '../../ports/ports.ts'
import { en, nb, type Wording } from './languages.ts'
import { parseTemplate, type Shape, type Template } from './template.ts'

const LANGUAGES = ['en', 'nb'] as const
type Language = (typeof LANGUAGES)[number]
export const WORDINGS: Readonly<Record<Language, Wording>> = { en, nb }

export const WORDING_OPTIONS = {
  language: z.enum(LANGUAGES).default('en').describe('The language that customers read: en or nb.'),
  wording: Text.optional().describe(
    'Path of a YAML or JSON file with a language, or words, of your own; in place of language.',
  ),
}

const LONGEST_NAME = 100

/** Empty if it is no name. Anyone can write one: a link in it would be tapped on. */
export function greetedName(name: string | null): string {
  const line = (name ?? '').replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  return line.length > LONGEST_NAME || /[/:@\\<>]|\p{L}\.\p{L}{2}|www\./iu.test(line) ? '' : line
}

export function goodsText(
  { type, goods }: Pick<OrderMessage, 'type' | 'goods'>,
  { someGoods, locale }: Pick<Wording, 'someGoods' | 'locale'>,
  times: '×' | 'x',
): string {
  if (type !== 'declined') return ''
  const name = goods?.name ?? goods?.gtin ?? null
  if (!goods || name === null) return someGoods
  const quantity = goods.quantity as Intl.StringNumericLiteral
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 6 }).format(quantity)} ${times} ${name}`
}

/** Untrusted: only web addresses become links. */
export function webLink(written: string | null): string {
  const url = URL.parse(written ?? '')
  if (written === null || !url || !/^https?:$/.test(url.protocol)) return ''
  return /^[\x21-\x7e]+$/.test(written) ? written : url.href
}

const word = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be a text') })
  .refine((text) => text.trim() !== '', 'must be a text')

function schemaOf(words: object): z.ZodObject {
  const shape = Object.entries(words).map(([name, value]) => [
    name,
    typeof value === 'string' ? word : schemaOf(value as object),
  ])
  return z.strictObject(Object.fromEntries(shape), { error: problemOfMap })
}

const problemOfMap: z.core.$ZodErrorMap = ({ code, input }) =>
  code === 'invalid_type' ? (input === undefined ? 'is missing' : 'must be a map') : undefined

const Words = schemaOf(en).extend({
  payments: z.record(z.string(), word, { error: problemOfMap }),
  locale: word.refine(
    (text) => orElse(() => Intl.getCanonicalLocales(text).length === 1, false),
    'must be one such as sv-SE',
  ),
})

/** Throws a UserError with every missing, unknown or empty word. */
export function readWording(
  destination: string,
  { language, wording: path }: { language: Language; wording?: string | undefined },
): Wording {
  if (path === undefined) return WORDINGS[language]
  const option = `destinations.${destination}.wording`
  const { extends: base, ...words } = readMap(path, option)
  const known = LANGUAGES.find((one) => one === base)
  if (base !== undefined && !known)
    throw new UserError(`${option}: in ${path}, \`extends\` must be one of ${LANGUAGES.join(', ')}.`)
  const read = Words.safeParse(known ? merged(WORDINGS[known], words) : words)
  if (read.success) return read.data as unknown as Wording
  const faults = read.error.issues.flatMap(faultsOf)
  throw new UserError(`${option}: the wording ${path} has faults: ${faults.join('; ')}.`)
}

/** Throws a UserError with the file and the word. */
export function wordTemplate(
  destination: string,
  { wording: path }: { wording?: string | undefined },
  [name, source]: readonly [name: string, source: string],
  shape: Shape,
): Template {
  try {
    return parseTemplate(source, shape)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const why = `destinations.${destination}.wording: in ${path}, \`${name}\`, ${error.message}.`
    throw new UserError(why, { cause: error })
  }
}

function merged(base: object, words: object): object {
  const all = Object.entries(words).map(([name, value]) => {
    const before: unknown = Object.hasOwn(base, name) ? base[name as keyof typeof base] : undefined
    return [name, isMap(before) && isMap(value) ? merged(before, value) : value]
  })
  return { ...base, ...Object.fromEntries(all) }
}

function faultsOf(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String)
  const shown = (name: string) => `\`${[...path, name].join('.')}\``
  if (issue.code !== 'unrecognized_keys') return [`\`${path.join('.')}\` ${issue.message}`]
  const known = path.reduce<unknown>((words, name) => (isMap(words) ? words[name] : words), en)
  return issue.keys.map((name) => {
    const near = suggest(name, Object.keys(isMap(known) ? known : {}))
    return `there is no ${shown(name)}${near ? `; did you mean ${shown(near)}?` : ''}`
  })
}

function readMap(path: string, option: string): Record<string, unknown> {
  let value: unknown
  try {
    value = parse(readFileSync(path, 'utf8'), { schema: 'core', maxAliasCount: 0, prettyErrors: true })
  } catch (cause) {
    const [why = ''] = cause instanceof Error ? cause.message.split('\n') : []
    const problem = cause instanceof Error && 'syscall' in cause ? 'cannot be read' : 'is no YAML or JSON'
    throw new UserError(`${option}: the file ${path} ${problem}: ${why}`, { cause })
  }
  if (isMap(value)) return value
  throw new UserError(`${option}: the file ${path} must hold a map of words.`)
}
