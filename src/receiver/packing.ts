/** Names of no packing: what a sender, or what stands before it, writes where a body goes as it is. */
const PLAIN = ['', 'identity', 'none']

const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' }

/** What a body is packed in by its Content-Encoding, innermost first, in lower case; none: it goes as it is. */
export function packingOf(header: string | undefined): string[] {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => !PLAIN.includes(name)).map((name) => ALIASES[name] ?? name)
}
