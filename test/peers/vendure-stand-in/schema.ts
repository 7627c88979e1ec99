import { Kind, parse, print } from 'graphql'
import { SCHEMA } from './schema-text.ts'

export interface Field {
  /** As written: `[OrderLine!]!`. */
  type: string
  arguments: Map<string, string>
}

export interface Type {
  kind: 'type' | 'input'
  fields: Map<string, Field>
}

export const TYPES: ReadonlyMap<string, Type> = readSchema(SCHEMA)

export function named(type: string): string {
  return type.replaceAll(/[[\]!]/g, '')
}

function readSchema(text: string): Map<string, Type> {
  const types = new Map<string, Type>()
  for (const definition of parse(text, { noLocation: true }).definitions) {
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) {
      const fields = (definition.fields ?? []).map(({ name, type, arguments: given = [] }) => {
        const written = given.map((one) => [one.name.value, print(one.type)] as const)
        return [name.value, { type: print(type), arguments: new Map(written) }] as const
      })
      types.set(definition.name.value, { kind: 'type', fields: new Map(fields) })
    } else if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
      const fields = (definition.fields ?? []).map(
        ({ name, type }) => [name.value, { type: print(type), arguments: new Map() }] as const,
      )
      types.set(definition.name.value, { kind: 'input', fields: new Map(fields) })
    }
  }
  return types
}
