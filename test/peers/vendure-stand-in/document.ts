import { SyntaxFault, Tokens } from './tokens.ts'

/** An operation of one document, as it is written. */
export interface Operation {
  type: 'query' | 'mutation'
  /** The declared variables, with their types as written (`[ID!]!`). */
  variables: Map<string, string>
  fields: Selection[]
}

export interface Selection {
  name: string
  arguments: Map<string, Written>
  fields: Selection[] | null
  /** Of an inline fragment: for which type. Then `name` is empty. */
  on: string | null
}

/** A value as written: a variable, or a literal. */
export type Written = { variable: string } | { literal: unknown }

/** Reads a document of one operation; aliases, named fragments and directives are not known here. */
export function parseDocument(text: string): Operation {
  const tokens = new Tokens(text)
  const type = tokens.is('{') ? 'query' : tokens.name()
  if (type !== 'query' && type !== 'mutation') throw new SyntaxFault(`${type} is no operation`)
  if (!tokens.is('{') && !tokens.is('(')) tokens.name()
  const operation = { type, variables: readVariables(tokens), fields: readFields(tokens) } as const
  if (!tokens.done) throw new SyntaxFault('one operation at a time')
  return operation
}

/** A type as written: `[OrderLineInput!]!`. */
export function readType(tokens: Tokens): string {
  const inner = tokens.takes('[') ? `[${readType(tokens)}${closed(tokens)}` : tokens.name()
  return tokens.takes('!') ? `${inner}!` : inner
}

function closed(tokens: Tokens): string {
  tokens.expect(']')
  return ']'
}

function readVariables(tokens: Tokens): Map<string, string> {
  const variables = new Map<string, string>()
  if (!tokens.takes('(')) return variables
  while (!tokens.takes(')')) {
    tokens.expect('$')
    const name = tokens.name()
    tokens.expect(':')
    variables.set(name, readType(tokens))
  }
  return variables
}

function readFields(tokens: Tokens): Selection[] {
  tokens.expect('{')
  const fields: Selection[] = []
  while (!tokens.takes('}')) fields.push(tokens.takes('...') ? readFragment(tokens) : readField(tokens))
  return fields
}

function readFragment(tokens: Tokens): Selection {
  tokens.expect('on')
  return { name: '', arguments: new Map(), on: tokens.name(), fields: readFields(tokens) }
}

function readField(tokens: Tokens): Selection {
  const name = tokens.name()
  const given = new Map<string, Written>()
  if (tokens.takes('('))
    while (!tokens.takes(')')) {
      const argument = tokens.name()
      tokens.expect(':')
      given.set(argument, tokens.takes('$') ? { variable: tokens.name() } : { literal: readValue(tokens) })
    }
  return { name, arguments: given, on: null, fields: tokens.is('{') ? readFields(tokens) : null }
}

function readValue(tokens: Tokens): unknown {
  if (tokens.takes('[')) {
    const list: unknown[] = []
    while (!tokens.takes(']')) list.push(readValue(tokens))
    return list
  }
  if (tokens.takes('{')) {
    const object: Record<string, unknown> = {}
    while (!tokens.takes('}')) {
      const name = tokens.name()
      tokens.expect(':')
      object[name] = readValue(tokens)
    }
    return object
  }
  const { type, text } = tokens.next()
  if (type === 'string') return JSON.parse(text)
  if (type === 'number') return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text === 'null' ? null : text
}
