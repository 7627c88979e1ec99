import type { PersonalSort } from './personal-fields.ts'

/** The words that stand for a person who was forgotten: the same for one person everywhere, and random. `token`: 8 hex digits. */
export function pseudonymOf(token: string): string {
  return `erased-${token}`
}

/** The random word of a pseudonym. Pure. */
export function tokenIn(pseudonym: string): string {
  return pseudonym.slice(pseudonymOf('').length)
}

/** Whether somebody was taken out of a text. Pure. */
export function isPseudonymous(text: string): boolean {
  return /\berased-[0-9a-f]{8}\b/.test(text)
}

/** The value that stands instead of a personal one, of the form that its field needs. Pure. */
export function standIn(token: string, sort: PersonalSort, value: string | number): unknown {
  const digits = String(Number.parseInt(token, 16) % 100_000_000).padStart(8, '0')
  if (typeof value === 'number') return sort === 'trait' || sort === 'place' ? 0 : Number(`9${digits}`)
  if (value.trim() === '') return value
  switch (sort) {
    case 'email':
      return `${pseudonymOf(token)}@erased.invalid`
    case 'phone':
      // No country has 999.
      return value.startsWith('+') ? `+99900${digits}` : `99900${digits}`
    case 'customer':
      return idInstead(token, digits, value)
    case 'trait':
      return ''
    case 'place':
      return 'erased'
    default:
      return pseudonymOf(token)
  }
}

function idInstead(token: string, digits: string, value: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return `e0000000-0000-4000-8000-0000${token}`
  return /^\d+$/.test(value) ? `9${digits}` : pseudonymOf(token)
}
