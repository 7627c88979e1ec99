import { isObject, type PersonalValue, swapPersonal } from '../domain/privacy/person-nodes.ts'
import { isFreeText } from '../domain/privacy/personal-fields.ts'
import { payloadOrNull } from '../domain/queue/event.ts'
import { maskedAddress, maskedId, maskedName } from '../domain/values/text.ts'

/** Shows texts of one event, or of no event in particular, as those may see them who see no personal data. */
export interface Mask {
  text(text: string): string
  /** Null: nothing of it can be shown. */
  payload: string | null
}

/** A whole word at a time: an expression that looks for the @ itself would read a long word once from each of its letters. */
const WORD = /[^\s<>"',;:()[\]{}=&?/|]+/g
/** With the prefix of a country: bare digits may be a GTIN. */
const PHONE = /(?:\+|\b00)\d[\d\s()-]{6,16}\d/g

export function maskedText(text: string): string {
  return text.replace(WORD, (word) => (word.includes('@') ? maskedAddress(word) : word)).replace(PHONE, maskedAddress)
}

/** By the one map of personal fields: of the payload, and of what notes and reasons repeat of it. */
export function maskOf(kind: string, body: string | null): Mask {
  const payload = payloadOrNull(body === null ? null : Buffer.from(body))
  const known = new Map<string, string>()
  const swapped = swapPersonal(kind, payload, (value, found) => {
    const masked = maskedValue(found)
    if (String(value).trim().length > 2) known.set(String(value).trim(), masked)
    return masked
  })
  const text = (plain: string) => {
    let masked = plain
    for (const [value, instead] of known) masked = masked.replaceAll(value, instead)
    return maskedText(masked)
  }
  return { text, payload: isObject(swapped) ? JSON.stringify(withoutTexts(swapped, text), null, 2) : null }
}

function maskedValue({ sort, value }: PersonalValue): string {
  if (sort === 'email' || sort === 'phone') return maskedAddress(value)
  if (sort === 'name') return maskedName(value) ?? HIDDEN
  return sort === 'customer' ? maskedId(value) : HIDDEN
}

const HIDDEN = '…'

/** Free texts may name anybody; a printed receipt does. */
function withoutTexts(value: unknown, text: (plain: string) => string): unknown {
  if (typeof value === 'string') return text(value)
  if (!isObject(value)) return value
  if (Array.isArray(value)) return value.map((one) => withoutTexts(one, text))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isFreeText(name) && typeof inner === 'string' ? HIDDEN : withoutTexts(inner, text),
    ]),
  )
}

/** An entity may be a customer: `customer:ola@example.com`. */
export function maskedEntity(entity: string | null): string | null {
  return entity && maskedText(decoded(entity))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function readable(body: string): string {
  const payload = payloadOrNull(Buffer.from(body))
  return isObject(payload) ? JSON.stringify(payload, null, 2) : body
}
