import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { UserError } from '../../domain/values/errors.ts'
import { suggest } from '../../lib/suggest.ts'
import { en, type Wording } from './en.ts'
import { nb } from './nb.ts'

export const LANGUAGES = ['en', 'nb'] as const
export type Language = (typeof LANGUAGES)[number]

/** A name for a greeting; empty where it is none. Anyone can write one: a link in it would be tapped on. */
export function greetedName(name: string | null): string {
  const line = (name ?? '').replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  return line.length > LONGEST_NAME || /[/:@\\<>]|\p{L}\.\p{L}{2}|www\./iu.test(line) ? '' : line
}

const LONGEST_NAME = 100
export const WORDINGS: Readonly<Record<Language, Wording>> = { en, nb }
type Words = { [name: string]: string | Words }

/** Payment kinds are the platform's. */
const OPEN = 'payments'

/** From the wording file, else the language. Throws a UserError that names every missing, unknown or empty word. */
export function readWording(
  destination: string,
  { language, wording: path }: { language: Language; wording?: string | undefined },
): Wording {
  if (path === undefined) return WORDINGS[language]
  const option = `destinations.${destination}.wording`
  const { extends: base, ...words } = readMap(path, option)
  if (base !== undefined && !isLanguage(base))
    throw new UserError(`${option}: in ${path}, \`extends\` must be one of ${LANGUAGES.join(', ')}.`)
  const faults: string[] = []
  // What is left out comes from the language that the file extends.
  const read = merge(words, {
    model: asWords(WORDINGS.en),
    base: base ? asWords(WORDINGS[base]) : {},
    path: '',
    faults,
  })
  if (faults.length === 0 && !isLocale(String(read.locale))) faults.push('`locale` must be one such as sv-SE')
  if (faults.length > 0) throw new UserError(`${option}: the wording ${path} has faults: ${faults.join('; ')}.`)
  return read as unknown as Wording
}

interface Section {
  model: Words
  base: Words
  path: string
  faults: string[]
}

function merge(written: Record<string, unknown>, { model, base, path, faults }: Section): Words {
  const isOpen = path === `${OPEN}.`
  for (const name of Object.keys(written)) {
    if (isOpen || Object.hasOwn(model, name)) continue
    const near = suggest(name, Object.keys(model))
    faults.push(`there is no \`${path}${name}\`${near ? `; did you mean \`${path}${near}\`?` : ''}`)
  }
  const names = isOpen ? new Set([...Object.keys(base), ...Object.keys(written)]) : Object.keys(model)
  return Object.fromEntries([...names].map((name) => [name, wordAt(name)]))

  function wordAt(name: string): string | Words {
    const value = Object.hasOwn(written, name) ? written[name] : undefined
    const inner = isOpen ? '' : (model[name] ?? '')
    const fallback = Object.hasOwn(base, name) ? base[name] : undefined
    if (typeof inner !== 'string') {
      if (value !== undefined && !isMap(value)) faults.push(`\`${path}${name}\` must be a map`)
      const within = typeof fallback === 'object' ? fallback : {}
      return merge(isMap(value) ? value : {}, { model: inner, base: within, path: `${path}${name}.`, faults })
    }
    if (typeof value === 'string' && value.trim() !== '') return value
    if (value === undefined && typeof fallback === 'string') return fallback
    faults.push(`\`${path}${name}\` ${value === undefined ? 'is missing' : 'must be a text'}`)
    return ''
  }
}

function readMap(path: string, option: string): Record<string, unknown> {
  let source: string
  try {
    source = readFileSync(path, 'utf8')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`${option}: the file ${path} cannot be read: ${why}`, { cause })
  }
  let value: unknown
  try {
    value = parse(source, { schema: 'core', maxAliasCount: 0, prettyErrors: true })
  } catch (cause) {
    const [why = ''] = cause instanceof Error ? cause.message.split('\n') : []
    throw new UserError(`${option}: the file ${path} is no YAML or JSON: ${why}`, { cause })
  }
  if (isMap(value)) return value
  throw new UserError(`${option}: the file ${path} must hold a map of words.`)
}

function asWords(wording: Wording): Words {
  return wording as unknown as Words
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value)
}

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}
