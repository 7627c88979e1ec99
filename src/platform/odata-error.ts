import { field, text } from '../domain/field.ts'

/** More than this is not taken apart: a trace of the platform's own code, perhaps. */
const LARGEST = 65_536

/** What a refusal says: the message in the envelope of odata version 3; anything else is as it came. */
export function refusalIn(body: Buffer): Buffer {
  const said = body.length > LARGEST ? null : messageIn(body.toString())
  return said === null ? body : Buffer.from(said)
}

function messageIn(json: string): string | null {
  try {
    const error = field(JSON.parse(json.replace(/^\uFEFF/, '')), 'odata.error')
    const message = text(field(error, 'message'), 'value') ?? text(error, 'message')
    return [text(error, 'code'), message].filter((part) => part !== null).join(': ') || null
  } catch {
    return null
  }
}
