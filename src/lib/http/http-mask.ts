/** Shorter values hide nothing and would make holes in every text (`x-version: 2`). */
const SHORTEST = 4

/**
 * Gives a function that takes secrets out of texts of the other side, which may say our own request back: as they are,
 * URL-encoded, JSON-escaped, and the parts of a header value (`Bearer abc…`, the password of `Basic …`).
 */
export function createMask(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set<string>()
  for (const secret of secrets) for (const part of partsOf(secret)) addForms(forms, part)
  // The longest first: a secret that contains another one is taken out whole.
  const hidden = [...forms].filter((form) => form.length >= SHORTEST).sort((a, b) => b.length - a.length)
  return (text) => hidden.reduce((masked, form) => withoutTail(masked.replaceAll(form, '***'), form), text)
}

function partsOf(secret: string): string[] {
  const words = secret.split(/\s+/)
  const basic = /^basic$/i.test(words[0] ?? '') ? Buffer.from(words[1] ?? '', 'base64').toString() : ''
  const password = basic.slice(basic.indexOf(':') + 1)
  // The first word of several is the scheme (`Bearer`): no secret.
  return [secret, ...words.slice(1), basic, password]
}

function addForms(forms: Set<string>, part: string): void {
  const text = part.toWellFormed()
  forms.add(text).add(encodeURIComponent(text)).add(JSON.stringify(text).slice(1, -1))
}

/** The text may have been cut within a secret: its beginning at the very end of the text goes as well. */
function withoutTail(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST; length--) {
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}***`
  }
  return text
}
