import type { Response } from 'express'

/** What a field must be. `?` after it: it may be null, empty or missing. */
type Form = 'text' | 'text?' | 'number' | 'boolean' | 'decimal' | 'id' | 'any' | 'list'

const FORMS: Record<'text' | 'number' | 'boolean' | 'decimal' | 'id' | 'any' | 'list', (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string' && value !== '',
  number: (value) => typeof value === 'number' && value > 0,
  boolean: (value) => typeof value === 'boolean',
  decimal: (value) => typeof value === 'string' && /^\d+(\.\d+)?$/.test(value),
  id: (value) => typeof value === 'number' && Number.isInteger(value),
  any: () => true,
  list: (value) => Array.isArray(value) && value.length > 0,
}

/** The body, if it has each field in its form and no other; else null, and the request is refused with the field's name. */
export function strictBody(
  body: unknown,
  fields: Record<string, Form>,
  response: Response,
): Record<string, unknown> | null {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return refuse(response, 'not-an-object', '')
  const given = body as Record<string, unknown>
  const unknown = Object.keys(given).find((name) => !(name in fields))
  if (unknown !== undefined) return refuse(response, 'unknown-field', unknown)
  for (const [name, form] of Object.entries(fields)) {
    const isThere = given[name] !== undefined && given[name] !== null && !(form === 'text?' && given[name] === '')
    const kind = form.replace('?', '') as keyof typeof FORMS
    if (isThere ? !FORMS[kind](given[name]) : !form.endsWith('?') && form !== 'any')
      return refuse(response, 'bad-field', name)
  }
  return given
}

/** Refuses; the message says the value's name back, never its value. */
export function refuse(response: Response, code: string, field: string, status = 422): null {
  response.status(status).json({ error: { code, field } })
  return null
}
