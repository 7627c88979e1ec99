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

/** As many as Vendure gives at most. */
const MAX = 1_000

/** What a list query asks for: those that its filter lets through, in its order, a page of them. */
export function listed<T extends object>(all: readonly T[], options: unknown): { items: T[]; totalItems: number } {
  const found = sortBy(filterBy(all, argumentOf(options, 'filter')), argumentOf(options, 'sort'))
  const skip = numberOf(options, 'skip')
  const take = numberOf(options, 'take') || MAX
  return { items: found.slice(skip, skip + take), totalItems: found.length }
}

export function filterBy<T extends object>(all: readonly T[], filter: Input): T[] {
  const wanted = Object.entries(filter)
  return all.filter((one) => wanted.every(([name, operators]) => isSo(fieldOf(one, name), Object(operators) as Input)))
}

function sortBy<T extends object>(all: T[], sort: Input): T[] {
  const keys = Object.entries(sort)
  return all.toSorted((one, other) => {
    for (const [name, direction] of keys) {
      const order = compare(fieldOf(one, name), fieldOf(other, name))
      if (order !== 0) return direction === 'DESC' ? -order : order
    }
    return 0
  })
}

function isSo(value: unknown, operators: Input): boolean {
  return Object.entries(operators).every(([operator, wanted]) => {
    if (operator === 'eq') return value === wanted
    if (operator === 'notEq') return value !== wanted
    if (operator === 'in') return Array.isArray(wanted) && wanted.includes(value)
    if (operator === 'isNull') return (value === null) === wanted
    return Date.parse(String(value)) > Date.parse(String(wanted))
  })
}

/** A custom field is filtered by as if it were one of the thing's own. */
function fieldOf(one: object, name: string): unknown {
  const own = one as Record<string, unknown>
  return name in own ? own[name] : (argumentOf(own, 'customFields')[name] ?? null)
}

function compare(one: unknown, other: unknown): number {
  const [a, b] = [Number(one), Number(other)]
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b
  return String(one) < String(other) ? -1 : String(one) > String(other) ? 1 : 0
}

/** A part of an input that was checked against the schema. */
export type Input = Record<string, unknown>

/** A part of an input that is an object; nothing is an empty one. */
export function argumentOf(value: unknown, name: string): Input {
  return Object(Object(value)[name]) as Input
}

export function textOf(value: unknown, name: string): string {
  return String(Object(value)[name] ?? '')
}

export function textOrNull(value: unknown, name: string): string | null {
  const found = Object(value)[name]
  return found === undefined || found === null ? null : String(found)
}

export function numberOf(value: unknown, name: string): number {
  return Number(Object(value)[name] ?? 0)
}

export function listOf(value: unknown, name: string): Input[] {
  const found = Object(value)[name]
  return Array.isArray(found) ? found : []
}

/** An error of the GraphQL answer, with Vendure's code. The status of most is 200. */
export class GraphqlFault extends Error {
  readonly code: string | null
  readonly status: number

  constructor(message: string, code: string | null, status = 200) {
    super(message)
    this.code = code
    this.status = status
  }

  toJSON() {
    return { message: this.message, ...(this.code && { extensions: { code: this.code } }) }
  }
}

/** A refusal that is an answer: what a union's `... on ErrorResult` shows. */
export interface Refused {
  __typename: string
  errorCode: string
  [name: string]: unknown
}

/** `QuantityTooGreatError` has the code QUANTITY_TOO_GREAT_ERROR. */
export function refused(__typename: string, more: Record<string, unknown> = {}): Refused {
  const errorCode = __typename.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
  return { __typename, errorCode, ...more }
}

export function isRefused(value: unknown): value is Refused {
  return typeof Object(value).errorCode === 'string'
}

export function notFound(what: string, id: string): GraphqlFault {
  return new GraphqlFault(`No ${what} with the id "${id}" could be found`, 'ENTITY_NOT_FOUND')
}
