import type { Operation, Selection, Written } from './document.ts'
import { GraphqlFault } from './fault.ts'
import { type Field, named, TYPES } from './schema.ts'

type Variables = Readonly<Record<string, unknown>>

/** Refuses what the schema does not have, as a server does before it does anything. */
export function checkOperation({ type, variables, fields }: Operation, given: Variables): void {
  for (const [name, declared] of variables) checkValue(given[name], declared, `$${name}`, 'BAD_USER_INPUT')
  checkFields(fields, type === 'query' ? 'Query' : 'Mutation', variables)
}

/** The arguments of a field, with variables in their places. */
export function argumentsOf({ arguments: written }: Selection, given: Variables): Record<string, unknown> {
  const values = [...written].map(([name, value]) => [name, meantBy(value, given)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function meantBy(value: Written, given: Variables): unknown {
  return 'variable' in value ? given[value.variable] : value.literal
}

function checkFields(fields: readonly Selection[], typeName: string, variables: ReadonlyMap<string, string>): void {
  for (const selection of fields) {
    if (selection.on !== null) {
      if (!TYPES.has(selection.on)) throw invalid(`Unknown type "${selection.on}".`)
      checkFields(selection.fields ?? [], selection.on, variables)
      continue
    }
    const field = TYPES.get(typeName)?.fields.get(selection.name)
    if (!field) throw invalid(`Cannot query field "${selection.name}" on type "${typeName}".`)
    checkArguments(selection, field, variables)
    const inner = named(field.type)
    // A union has no type of its own here: its members are named by fragments.
    const isObject = TYPES.has(inner) || (inner.endsWith('Result') && inner !== 'DeletionResult')
    if (isObject !== (selection.fields !== null))
      throw invalid(`Field "${selection.name}" must ${isObject ? '' : 'not '}have a selection of subfields.`)
    if (selection.fields) checkFields(selection.fields, inner, variables)
  }
}

function checkArguments(selection: Selection, field: Field, variables: ReadonlyMap<string, string>): void {
  for (const [name, value] of selection.arguments) {
    const type = field.arguments.get(name)
    if (type === undefined) throw invalid(`Unknown argument "${name}" on field "${selection.name}".`)
    if ('literal' in value) {
      checkValue(value.literal, type, name, 'GRAPHQL_VALIDATION_FAILED')
      continue
    }
    const declared = variables.get(value.variable)
    if (declared === undefined) throw invalid(`Variable "$${value.variable}" is not defined.`)
    if (declared !== type && declared !== `${type}!`)
      throw invalid(`Variable "$${value.variable}" of type "${declared}" used where "${type}" is expected.`)
  }
  for (const [name, type] of field.arguments)
    if (type.endsWith('!') && !selection.arguments.has(name))
      throw invalid(`Argument "${name}" of field "${selection.name}" is required.`)
}

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  ID: (value) => typeof value === 'string' || Number.isInteger(value),
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  Int: (value) => Number.isInteger(value),
  Money: (value) => Number.isInteger(value),
  Float: (value) => typeof value === 'number',
  DateTime: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  SortOrder: (value) => value === 'ASC' || value === 'DESC',
  JSON: () => true,
}

function checkValue(value: unknown, type: string, where: string, code: string): void {
  if (value === undefined || value === null) {
    if (type.endsWith('!')) throw new GraphqlFault(`"${where}" of required type "${type}" was not provided.`, code, 400)
    return
  }
  const plain = type.replace(/!$/, '')
  if (plain.startsWith('[')) {
    if (!Array.isArray(value)) throw new GraphqlFault(`"${where}" must be a list.`, code, 400)
    for (const [index, one] of value.entries()) checkValue(one, plain.slice(1, -1), `${where}[${index}]`, code)
    return
  }
  const input = TYPES.get(plain)
  if (!input) {
    if (SCALARS[plain]?.(value)) return
    throw new GraphqlFault(`"${where}" got an invalid value for ${plain}.`, code, 400)
  }
  if (typeof value !== 'object' || Array.isArray(value))
    throw new GraphqlFault(`"${where}" must be an object.`, code, 400)
  for (const name of Object.keys(value))
    if (!input.fields.has(name)) throw new GraphqlFault(`Field "${name}" is not defined by type "${plain}".`, code, 400)
  for (const [name, field] of input.fields)
    checkValue((value as Record<string, unknown>)[name], field.type, `${where}.${name}`, code)
}

function invalid(message: string): GraphqlFault {
  return new GraphqlFault(message, 'GRAPHQL_VALIDATION_FAILED', 400)
}
