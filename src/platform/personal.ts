/** More of a refusal than this is not looked through. */
const LARGEST = 65_536

/**
 * What may be said of a refusal that may hold personal data: not its words, which may be anybody's, but which fields of the
 * request it names. That is mostly what is to be put right.
 */
export function withoutQuotes(refusal: Buffer, request: object | undefined): Buffer {
  const words = new Set(
    refusal
      .toString('utf8', 0, LARGEST)
      .toLowerCase()
      .match(/[a-z]\w*/g),
  )
  const named = [...fieldsOf(request)].filter((name) => words.has(name.toLowerCase()))
  const about = named.length === 0 ? '' : `; it names ${named.join(', ')}`
  return Buffer.from(`its words are not shown, since they may hold personal data${about}`)
}

/** The names of all fields, the inner ones too. */
function fieldsOf(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) found.add(name)
    fieldsOf(inner, found)
  }
  return found
}
