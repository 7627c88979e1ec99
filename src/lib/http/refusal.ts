import type { HttpRequest } from './http.ts'
import type { HttpAnswer } from './http-exchange.ts'
import { jsonTextOf } from './json-text.ts'
import { codesIn, faultsIn, namesIn } from './refusal-members.ts'
import { isName } from './refusal-words.ts'
import { type Sent, sentIn } from './sent.ts'

/** A longer body is not taken apart (bytes). */
const LARGEST = 65_536

/** More names than this are no hint: the answer says the whole request back. */
const MOST_NAMES = 8

/**
 * The part of a refusal's body that may be kept, on one line: its machine code and the names of the fields that it is about,
 * `rest_invalid_param (billing.email)`; without a code, what kind of text it is, how long, and the fields of the request that it names. Its words may say anybody's
 * data back, so they are never kept, and neither is a word that was sent as a value. Empty where there is no body.
 */
export function saidIn(answer: HttpAnswer, request: Pick<HttpRequest, 'path' | 'body'>): string {
  if (answer.body.length === 0) return ''
  const text = answer.body.length > LARGEST ? '' : jsonTextOf(answer.body)
  const json = text === '' ? undefined : parsed(text)
  const sent = sentIn(request)
  const isTheirs = (word: string) => !sent.values.has(word.toLowerCase())
  const code = codesIn(json).filter(isTheirs).join(', ')
  const listed = shown(namesIn(json).filter(isTheirs))
  if (code) return listed ? `${code} (${listed})` : code
  const names = listed || shown(named(json === undefined ? text : valuesOf(json), sent))
  return names ? `${sizeOf(answer)}; it names ${names}` : sizeOf(answer)
}

/** Whether a refusal lists what is wrong with the request, field by field: who answers so has read it, and may take another. */
export function listsFaults({ body }: Pick<HttpAnswer, 'body'>): boolean {
  return body.length > 0 && body.length <= LARGEST && faultsIn(parsed(jsonTextOf(body))).length > 0
}

function shown(names: string[]): string {
  return names.length > MOST_NAMES ? '' : names.join(', ')
}

/** The fields of the request that the words of a refusal name: mostly what is to be put right. */
function named(words: string, { names }: Sent): string[] {
  const said = new Set(words.toLowerCase().match(/[a-z_]\w*/g))
  // Names of one or two letters (`to`, `id`) are words of any sentence.
  return names.filter((name) => name.length > 2 && isName(name) && said.has(name.toLowerCase()))
}

/** All texts of JSON, without the names that they stand under. */
function valuesOf(json: unknown): string {
  const texts: string[] = []
  const open = [json]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') texts.push(value)
    else if (value !== null && typeof value === 'object') for (const inner of Object.values(value)) open.push(inner)
  }
  return texts.join(' ')
}

function sizeOf({ headers, body, complete }: HttpAnswer): string {
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  const size = `${complete ? '' : 'more than '}${body.length} bytes`
  return /^[a-z]+\/[a-z.+-]{1,60}$/.test(type.trim()) ? `${type.trim()}, ${size}` : size
}

/** Undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
