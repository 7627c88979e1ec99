import { field, text } from '../../domain/field.ts'

const WORD = /^[\w.[\]-]{1,80}$/

/**
 * What may be shown of a refusal in WordPress's form (`{ code, message, data: { params } }`): its code, and the names of
 * the parameters that are wrong. Null where it is of no such form.
 */
export function errorCode(body: string): string | null {
  const said = parsed(body)
  const code = text(said, 'code')
  if (code === null || !WORD.test(code)) return null
  const params = field(field(said, 'data'), 'params')
  const wrong = Object.keys(params !== null && typeof params === 'object' ? params : {}).filter((name) =>
    WORD.test(name),
  )
  return wrong.length > 0 ? `${code} (${wrong.join(', ')})` : code
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
