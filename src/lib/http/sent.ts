import type { HttpRequest } from './http.ts'

/** A request, as it was sent. */
export interface Sent {
  /** The names of all its fields, the inner ones too. */
  names: string[]
  /** All its values and the words in them, in lower case: what an answer says of these is somebody's data. */
  values: ReadonlySet<string>
}

/** A longer body is not taken apart (bytes). */
const LARGEST = 262_144

/** Takes apart what was sent: the query, and a body that is JSON or a form. */
export function sentIn({ path, body }: Pick<HttpRequest, 'path' | 'body'>): Sent {
  const names = new Set<string>()
  const values = new Set<string>()
  const open: unknown[] = [fieldsOf(path.replace(/^[^?]*\??/s, '')), bodyOf(body)]
  // Without recursion: what is sent on may be nested as deeply as a stranger likes.
  while (open.length > 0) {
    const value = open.pop()
    if (value !== null && typeof value === 'object') {
      for (const [name, inner] of Object.entries(value)) {
        if (!Array.isArray(value)) names.add(name)
        open.push(inner)
      }
    } else if (typeof value === 'string') {
      const text = value.toLowerCase()
      values.add(text)
      for (const word of text.split(/[^\p{L}\p{N}_.-]+/u)) values.add(word)
    }
  }
  return { names: [...names], values }
}

function bodyOf(body: Uint8Array | null | undefined): unknown {
  if (!body || body.length > LARGEST) return null
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return fieldsOf(text)
  }
}

function fieldsOf(form: string): object {
  return Object.fromEntries(new URLSearchParams(form))
}
