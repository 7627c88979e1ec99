import { readType } from './document.ts'
import { SCHEMA } from './schema-text.ts'
import { Tokens } from './tokens.ts'

export interface Field {
  /** As written: `[OrderLine!]!`. */
  type: string
  arguments: Map<string, string>
}

export interface Type {
  kind: 'type' | 'input'
  fields: Map<string, Field>
}

/** Every type of the stand-in, by its name. */
export const TYPES: ReadonlyMap<string, Type> = parseSchema(SCHEMA)

/** A type without its brackets and marks. */
export function named(type: string): string {
  return type.replaceAll(/[[\]!]/g, '')
}

function parseSchema(text: string): Map<string, Type> {
  const tokens = new Tokens(text)
  const types = new Map<string, Type>()
  while (!tokens.done) {
    const kind = tokens.name() === 'input' ? 'input' : 'type'
    const name = tokens.name()
    const fields = new Map<string, Field>()
    tokens.expect('{')
    while (!tokens.takes('}')) {
      const field = tokens.name()
      fields.set(field, readField(tokens))
    }
    types.set(name, { kind, fields })
  }
  return types
}

function readField(tokens: Tokens): Field {
  const given = new Map<string, string>()
  if (tokens.takes('('))
    while (!tokens.takes(')')) {
      const name = tokens.name()
      tokens.expect(':')
      given.set(name, readType(tokens))
    }
  tokens.expect(':')
  return { type: readType(tokens), arguments: given }
}
