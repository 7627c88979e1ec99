import type { BookingPlace } from '../../../domain/books/bookings.ts'
import { withoutEnd } from '../../../lib/http/without-end.ts'
import { suggest } from '../../../lib/suggest.ts'

/** The values that a name may be made of. */
interface Values extends BookingPlace {
  kind: string
  key: string
}

const PLACEHOLDERS: Readonly<Record<string, (values: Values) => string | null>> = {
  place: ({ storeKey, stockId }) => storeKey ?? stockId,
  store: ({ storeKey }) => storeKey,
  country: ({ country }) => country,
  stock: ({ stockId }) => stockId,
  day: ({ day }) => day,
  kind: ({ kind }) => kind,
  key: ({ key }) => key,
}

/** Room for what is added, and for what stands before it in the name of a marker. */
const LONGEST = 100

/** The letters of a payload's text that are read for a name: more than it has room for, as some become none. */
const READ = 1_000

/** The fault of a template such as `sales-{store}-{day}`; null: it has none. */
export function nameFault(template: string): string | null {
  const literal = template.replace(/\{(\w+)\}/g, '')
  if (!/^[A-Za-z0-9._-]*$/.test(literal))
    return 'Must be letters without accents, digits, dots, hyphens, underscores, and placeholders such as {store}.'
  if (template.startsWith('.')) return 'Must not begin with a dot: such files are hidden.'
  if (/\.(csv|json|ndjson)$/i.test(template)) return 'Must not have an extension: that of its format is added.'
  for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
    if (Object.hasOwn(PLACEHOLDERS, name)) continue
    const near = suggest(name, Object.keys(PLACEHOLDERS))
    const all = Object.keys(PLACEHOLDERS).map((one) => `{${one}}`)
    return `Has {${name}}, which there is not: ${near === null ? `there are ${all.join(', ')}` : `did you mean {${near}}?`}`
  }
  return null
}

/** The name without what is added, and without extension. What is not known is `none`. */
export function fileName(template: string, values: Values): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => safe(PLACEHOLDERS[name]?.(values) ?? null))
  return withoutEnd(filled.slice(0, LONGEST).replace(/^\./, '_'), /\./)
}

/** A text of a payload, fit for any file system and any shell. */
function safe(value: string | null): string {
  const plain = (value ?? '').slice(0, READ).normalize('NFKD').replace(/\p{M}/gu, '')
  return withoutEnd(plain.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+/, ''), /-/) || 'none'
}
