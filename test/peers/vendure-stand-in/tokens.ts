/** One piece of a GraphQL text. */
export interface Token {
  type: 'name' | 'number' | 'string' | 'mark'
  text: string
}

const PIECE =
  /(?<skip>[\s,]+|#[^\n]*)|(?<name>[_A-Za-z]\w*)|(?<number>-?\d+(?:\.\d+)?)|(?<string>"(?:[^"\\\n]|\\.)*")|(?<mark>\.\.\.|[{}()[\]:!$=|@])/y

/** What is no GraphQL. */
export class SyntaxFault extends Error {}

/** Reads the pieces of a text one after the other. */
export class Tokens {
  readonly #all: Token[]
  #at = 0

  constructor(text: string) {
    this.#all = tokensOf(text)
  }

  get done(): boolean {
    return this.#at >= this.#all.length
  }

  /** Whether this piece comes next. */
  is(text: string): boolean {
    const token = this.#all[this.#at]
    return token !== undefined && token.type !== 'string' && token.text === text
  }

  /** Takes this piece, if it comes next. */
  takes(text: string): boolean {
    if (!this.is(text)) return false
    this.#at += 1
    return true
  }

  expect(text: string): void {
    if (!this.takes(text)) throw new SyntaxFault(`expected ${text}, found ${this.#all[this.#at]?.text ?? 'the end'}`)
  }

  next(type?: Token['type']): Token {
    const token = this.#all[this.#at]
    if (!token || (type && token.type !== type))
      throw new SyntaxFault(`expected a ${type ?? 'value'}, found ${token?.text ?? 'the end'}`)
    this.#at += 1
    return token
  }

  name(): string {
    return this.next('name').text
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  PIECE.lastIndex = 0
  while (PIECE.lastIndex < text.length) {
    const at = PIECE.lastIndex
    const groups = PIECE.exec(text)?.groups
    if (!groups) throw new SyntaxFault(`unexpected character at ${at}`)
    const [type, found] = Object.entries(groups).find(([, value]) => value !== undefined) ?? []
    if (type !== 'skip') tokens.push({ type: type as Token['type'], text: found ?? '' })
  }
  return tokens
}
