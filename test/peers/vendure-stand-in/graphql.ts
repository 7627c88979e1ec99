import {
  buildSchema,
  type DocumentNode,
  executeSync,
  GraphQLError,
  GraphQLScalarType,
  GraphQLUnionType,
  getVariableValues,
  Kind,
  parse,
  validate,
} from 'graphql'
import type { Input } from './argument.ts'
import { GraphqlFault, isRefused } from './fault.ts'
import { REFUSED, SCHEMA } from './schema-text.ts'

export const schema = buildSchema(SCHEMA)

const scalars = { Money: Number.isInteger, DateTime: (value: unknown) => !Number.isNaN(Date.parse(String(value))) }
for (const [name, isValid] of Object.entries(scalars)) {
  const type = schema.getType(name)
  if (type instanceof GraphQLScalarType)
    type.parseValue = (value) => {
      if (isValid(value)) return value
      throw new GraphQLError(`not a ${name}`)
    }
}

export type Resolver = (given: Input) => unknown

/** Carries out a document of one operation; the root has the resolvers of queries and mutations. Throws a GraphqlFault. */
export function execute(query: string, variableValues: Input, rootValue: Record<string, Resolver>): unknown {
  const document = parsed(query)
  const [invalid] = validate(schema, document)
  if (invalid) throw new GraphqlFault(invalid.message, 'GRAPHQL_VALIDATION_FAILED', 400)
  checkVariables(document, variableValues)
  const { data, errors } = executeSync({
    ...{ schema, document, rootValue, variableValues },
    typeResolver(value, _context, _info, type) {
      const types = type instanceof GraphQLUnionType ? type.getTypes().map(({ name }) => name) : []
      if (!isRefused(value)) return types[0]
      return types.includes(value.__typename) ? value.__typename : REFUSED
    },
  })
  const [error] = errors ?? []
  if (error) throw error.originalError ?? error
  return data
}

function parsed(query: string): DocumentNode {
  try {
    return parse(query, { noLocation: true })
  } catch (error) {
    throw new GraphqlFault(String(error), 'GRAPHQL_PARSE_FAILED', 400)
  }
}

function checkVariables({ definitions: [operation] }: DocumentNode, given: Input): void {
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return
  const { errors: [error] = [] } = getVariableValues(schema, operation.variableDefinitions ?? [], given)
  if (error) throw new GraphqlFault(error.message, 'BAD_USER_INPUT', 400)
}
