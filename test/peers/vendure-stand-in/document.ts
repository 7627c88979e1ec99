import { GraphQLError, Kind, parse, print, type SelectionSetNode, type ValueNode, valueFromASTUntyped } from 'graphql'
import { GraphqlFault } from './fault.ts'

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

/** Reads a document of one operation; aliases, named fragments and directives are not known here. Throws a GraphqlFault. */
export function parseDocument(text: string): Operation {
  const [definition, more] = parsed(text).definitions
  if (definition?.kind !== Kind.OPERATION_DEFINITION || definition.operation === 'subscription')
    throw syntaxFault('Syntax Error: this is no operation')
  if (more) throw syntaxFault('Syntax Error: one operation at a time')
  const variables = (definition.variableDefinitions ?? []).map(
    ({ variable, type }) => [variable.name.value, print(type)] as const,
  )
  return { type: definition.operation, variables: new Map(variables), fields: fieldsOf(definition.selectionSet) }
}

function parsed(text: string) {
  try {
    return parse(text, { noLocation: true })
  } catch (error) {
    throw error instanceof GraphQLError ? syntaxFault(error.message) : error
  }
}

function syntaxFault(message: string): GraphqlFault {
  return new GraphqlFault(message, 'GRAPHQL_PARSE_FAILED', 400)
}

function fieldsOf({ selections }: SelectionSetNode): Selection[] {
  return selections.map((one) => {
    if (one.kind === Kind.INLINE_FRAGMENT && one.typeCondition)
      return { name: '', arguments: new Map(), on: one.typeCondition.name.value, fields: fieldsOf(one.selectionSet) }
    if (one.kind !== Kind.FIELD || one.alias) throw syntaxFault('Syntax Error: only fields and inline fragments')
    const given = (one.arguments ?? []).map(({ name, value }) => [name.value, written(value)] as const)
    const fields = one.selectionSet ? fieldsOf(one.selectionSet) : null
    return { name: one.name.value, arguments: new Map(given), fields, on: null }
  })
}

function written(value: ValueNode): Written {
  return value.kind === Kind.VARIABLE ? { variable: value.name.value } : { literal: valueFromASTUntyped(value) }
}
