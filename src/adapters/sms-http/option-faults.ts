import { addressFault } from '../shared/http-options.ts'
import { fillBody, parseBody } from './body.ts'
import { namesIn } from './template.ts'

export function urlFault(text: string): string | null {
  const [address = ''] = text.split('?')
  const isWeb = /^https?:$/.test(URL.parse(text)?.protocol ?? '')
  if (isWeb && address.includes('{{')) return 'Must have placeholders in its query only, after the question mark.'
  return addressFault(text)
}

/** The fault of a body, its names left aside. */
export function bodyFault(written: string | Record<string, unknown>, type: 'json' | 'form'): string | null {
  const body = parseBody(written, type)
  if (body === null) return 'Must be a map of texts, numbers and booleans: a form has no maps or lists in it.'
  if (type === 'form') return null
  // A quotation mark shows a placeholder that stands outside of a text; the digits alone may.
  const samples = namesIn(body.template).map((name) => [name, name === 'toDigits' ? '4791234567' : '"'])
  try {
    JSON.parse(fillBody(body, Object.fromEntries(samples)))
    return null
  } catch {
    return 'Is not JSON: is a placeholder without quotes around it, or a comma missing?'
  }
}
