import { evaluate, syntaxFault } from '../../../lib/jsonata.ts'
import { withAllDigits } from './expression.ts'
import { MappingError, shownFault } from './mapping-error.ts'

/** A text with JSONata in it: `/orders/{{order.number}}`, in pieces. */
type TextTemplate = readonly (string | { expression: string })[]

/** The fault of such a text; null: it has none. */
export function textFault(text: string): string | null {
  for (const piece of piecesOf(text)) {
    if (typeof piece === 'string') {
      if (/\{\{|\}\}/.test(piece)) return 'Has {{ without }}, or the other way round.'
    } else {
      const fault = syntaxFault(piece.expression)
      if (fault) return `{{${piece.expression}}} is not JSONata: ${shownFault(fault)}.`
    }
  }
  return null
}

/**
 * Fills in what the expressions give, each made safe for where it stands. Throws a MappingError where one gives nothing: a
 * request without it would be about something else.
 */
export function fillText(text: string, input: object, safe: (value: string) => string): string {
  return piecesOf(text)
    .map((piece) => (typeof piece === 'string' ? piece : safe(given(piece.expression, input))))
    .join('')
}

/** The same; null where the text is nothing but an expression, and that gives nothing. */
export function fillTextOrNull(text: string, input: object): string | null {
  const [only, ...others] = piecesOf(text)
  const isOne = typeof only === 'object' && others.length === 0
  if (isOne && textOf(only.expression, input) === '') return null
  return fillText(text, input, (value) => value)
}

function given(expression: string, input: object): string {
  const value = textOf(expression, input)
  if (value === '') throw new MappingError(`{{${expression}}} gives nothing`)
  return value
}

function textOf(expression: string, input: object): string {
  const result = evaluate(expression, input)
  if ('fault' in result) throw new MappingError(`{{${expression}}} cannot be evaluated`, result.fault)
  const { value } = result
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') throw new MappingError(`{{${expression}}} gives a list or an object`)
  return String(typeof value === 'number' ? withAllDigits(value) : value)
}

function piecesOf(text: string): TextTemplate {
  const pieces: (string | { expression: string })[] = []
  let end = 0
  for (;;) {
    const begin = text.indexOf('{{', end)
    const close = begin < 0 ? -1 : text.indexOf('}}', begin + 2)
    if (close < 0) break
    if (begin > end) pieces.push(text.slice(end, begin))
    pieces.push({ expression: text.slice(begin + 2, close).trim() })
    end = close + 2
  }
  return end < text.length ? [...pieces, text.slice(end)] : pieces
}
