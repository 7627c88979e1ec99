/** Whether a text is one of the tokens. They are nobody's secrets, so the time that it takes may tell what it likes. */
export function createTokenCheck(tokens: readonly string[]): (given: unknown) => boolean {
  return (given) => typeof given === 'string' && tokens.includes(given)
}

/** The token of an `Authorization: Bearer …` header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
}
