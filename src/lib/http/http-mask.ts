/** Shorter values hide nothing and would damage every text (`x-version: 2`). */
const SHORTEST = 4

/** Masks secrets in the other side's texts: plain, URL-encoded, JSON-escaped, and parts of a header (`Bearer abc…`, `Basic …`). */
export function createMask(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set<string>()
  for (const secret of secrets) for (const part of partsOf(secret)) addForms(forms, part)
  // Longest first: a secret may contain another.
  const hidden = [...forms].filter((form) => form.length >= SHORTEST).sort((a, b) => b.length - a.length)
  return (text) => hidden.reduce((masked, form) => withoutTail(masked.replaceAll(form, '***'), form), text)
}

function partsOf(secret: string): string[] {
  const words = secret.split(/\s+/)
  const basic = /^basic$/i.test(words[0] ?? '') ? Buffer.from(words[1] ?? '', 'base64').toString() : ''
  const password = basic.slice(basic.indexOf(':') + 1)
  // The scheme (`Bearer`) is no secret.
  return [secret, ...words.slice(1), basic, password]
}

function addForms(forms: Set<string>, part: string): void {
  const text = part.toWellFormed()
  forms.add(text).add(encodeURIComponent(text)).add(JSON.stringify(text).slice(1, -1))
}

/** A truncated text may end inside a secret. */
function withoutTail(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST; length--) {
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}***`
  }
  return text
}
