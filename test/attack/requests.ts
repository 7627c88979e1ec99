/** A request as it goes over the wire: its head, and its body, which is not copied. */
export function request(
  method: string,
  path: string,
  headers: Record<string, string | number> = {},
  body: Buffer | null = null,
): Buffer[] {
  const all = { host: 'hub', ...(body && { 'content-length': body.byteLength }), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  return body ? [head, body] : [head]
}

/** A webhook. */
export function webhook(path: string, body: Buffer, headers: Record<string, string> = {}): Buffer[] {
  return request('POST', path, { 'content-type': 'application/json', ...headers }, body)
}

/** Of a JSON value. */
export function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** Makes something when it is asked for first. */
export function once(make: () => Buffer): () => Buffer {
  let made: Buffer | null = null
  return () => {
    made ??= make()
    return made
  }
}
