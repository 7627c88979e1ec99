/** Finds tokens in texts that others wrote. */
export interface TokenFinder {
  /** The text, with `hidden` in place of each token that stands in it as it is, or encoded for a URL once or twice. */
  without(text: string, hidden: string): string
  /** Whether a token stands in the text: as it is, percent-encoded to any depth that a proxy may make, escaped, in base64 or in hex. */
  holds(text: string): boolean
}

/** How often a text is decoded: a proxy encodes what came encoded. */
const DEEP = 3

/** A token shorter than this is a part of any text (characters). */
const SHORTEST = 4

/** Texts are compared as Latin-1 of their bytes, as HTTP writes headers. */
export function createTokenFinder(tokens: readonly string[]): TokenFinder {
  const wanted = tokens.filter((token) => token.length >= SHORTEST)
  const forms = [...new Set(wanted.flatMap(encodings))].sort((a, b) => b.length - a.length)
  const bytes = wanted.map((token) => Buffer.from(token).toString('latin1'))
  const hex = wanted.map((token) => Buffer.from(token).toString('hex'))
  // Base64 of a text is a third longer, and its ends may belong to what stands beside the token.
  const shortest = Math.max(8, Math.floor(Math.min(...bytes.map((one) => one.length), 1_024) * 1.33) - 2)
  const base64 = new RegExp(`[\\w+/-]{${shortest},}`, 'g')
  // No form of a token is shorter than the token: most headers are, and need not be looked at.
  const least = Math.min(...bytes.map((one) => one.length))
  const isIn = (text: string) => wanted.some((one) => text.includes(one)) || bytes.some((one) => text.includes(one))

  function inBase64(text: string): boolean {
    if (text.length < shortest) return false
    // The text before it (a path) may belong to the alphabet too, so that it may begin at any of four places.
    for (const [run] of text.matchAll(base64))
      for (let begin = 0; begin < 4; begin++) {
        const plain = Buffer.from(run.slice(begin), 'base64').toString('latin1')
        if (isIn(plain) || isIn(decoded(plain))) return true
      }
    return false
  }

  function inHex(text: string): boolean {
    if (text.length < 2 * least) return false
    const lower = text.toLowerCase()
    return hex.some((one) => lower.includes(one))
  }

  return {
    without: (text, hidden) =>
      text.length < least ? text : forms.reduce((rest, form) => rest.replaceAll(form, hidden), text),
    holds(text) {
      if (text.length < least) return false
      let plain = text
      for (let depth = 0; depth <= DEEP; depth++) {
        if (isIn(plain) || inBase64(plain) || inHex(plain)) return true
        const next = decoded(plain)
        if (next === plain) return false
        plain = next
      }
      return false
    },
  }
}

function encodings(token: string): string[] {
  const once = encodeURIComponent(token.toWellFormed())
  const twice = encodeURIComponent(once)
  const asForm = new URLSearchParams([['', token]]).toString().slice(1)
  return [token, once, twice, asForm, lowerHex(once), lowerHex(twice)]
}

/** Some write `%2f` where others write `%2F`. */
function lowerHex(encoded: string): string {
  return encoded.replace(/%(25)?[0-9A-F]{2}/g, (one) => one.toLowerCase())
}

/** A text without one layer of percent signs and backslashes. */
function decoded(text: string): string {
  if (!/[%\\+]/.test(text)) return text
  return text
    .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\u00([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(?!u)/g, '')
}
