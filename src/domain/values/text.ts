import { createHash } from 'node:crypto'

export function pluralize(
  count: number,
  noun: string,
  many = noun.replace(/([^aeiou])y$/, '$1ie').concat('s'),
): string {
  return `${count} ${count === 1 ? noun : many}`
}

/** `3 lost`, `2 new`: counts by what was counted, without zeros. */
export function countTexts(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []))
}

/** `a, b and 3 more` */
export function someOf(all: readonly (string | number)[], most: number): string {
  const more = all.length - most
  return `${all.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export function summed<Name extends string>(all: readonly Record<Name, number>[], names: readonly Name[]) {
  const sum = (name: Name) => all.reduce((total, one) => total + one[name], 0)
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as Record<Name, number>
}

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

export function stripPrefix(destination: string, why: string): string {
  return why.startsWith(`${destination}: `) ? why.slice(destination.length + 2) : why
}

export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@')
  if (at > 0) return `${[...address][0]}…${address.slice(at)}`
  return `…${address.replaceAll(/\D/g, '').slice(-3)}`
}

export function maskedId(id: string): string {
  return /[@+]/.test(id) ? maskedAddress(id) : id
}

export function maskedName(...names: readonly (string | null)[]): string | null {
  const initials = names.flatMap((name) => (name?.trim() ? `${[...name.trim()][0]}.` : []))
  return initials.length === 0 ? null : initials.join(' ')
}

const WHERE = {
  event:
    '"tillbridge events list" shows those that are here; what retention took may be in the archive ("tillbridge archive restore <id>").',
  delivery:
    '"tillbridge deliveries list" shows those that there are; retention deletes them together with their event.',
  gap: '"tillbridge gaps list" shows those that are open.',
  act: '"tillbridge audit list" shows those that are kept.',
  store: '"tillbridge jobs run stores" reads them from the platform.',
  submission: 'Retention deletes them together with their events.',
}

export function notFoundText(what: keyof typeof WHERE, id: number | string): string {
  return `There is no ${what} ${id}. ${WHERE[what]}`
}

export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
}

export function folded(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** In place. */
export function foldBytes<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte >= 0x41 && byte <= 0x5a) bytes[at] = byte | 0x20
  }
  return bytes
}

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

const LONGEST = 200

export function isWithin(part: string, text: string): boolean {
  return part.length <= LONGEST && text.includes(part)
}

const ESCAPE = /%[0-9a-f]{2}/i

export function unescaped(text: string): string {
  try {
    return ESCAPE.test(text) ? decodeURIComponent(text) : text
  } catch {
    return text
  }
}
