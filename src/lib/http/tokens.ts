import { hash, timingSafeEqual } from 'node:crypto'

/** Whether a text is one of the tokens, in a time that does not tell how much of it was right. */
export function createTokenCheck(tokens: readonly string[]): (given: unknown) => boolean {
  const wanted = tokens.map(digest)
  return (given) => {
    if (typeof given !== 'string' || given.length > 1_024) return false
    const found = digest(given)
    let match = false
    for (const one of wanted) match = timingSafeEqual(one, found) || match
    return match
  }
}

/** Who has a token, by name; null: nobody. It takes a time that does not tell how much of it was right. */
export function createTokenHolders(holders: Readonly<Record<string, string>>): (given: unknown) => string | null {
  const checks = Object.entries(holders).map(([name, token]) => ({ name, isTheirs: createTokenCheck([token]) }))
  return (given) => checks.filter(({ isTheirs }) => isTheirs(given)).at(0)?.name ?? null
}

/** The token of an `Authorization: Bearer …` header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
