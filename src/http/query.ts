import type { Request } from 'express'
import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import { suggest } from '../lib/suggest.ts'

/** A parameter of a query, as data for its reader and for /openapi.json. */
export interface Parameter {
  about: string
  schema: Record<string, unknown>
  value: z.ZodType
}

type Parameters = Readonly<Record<string, Parameter>>

type Values<P extends Parameters> = { [Name in keyof P]?: z.output<P[Name]['value']> }

/** Throws a UserError that names every wrong parameter: a misspelt dry run must not take anything. */
export function readQuery<P extends Parameters>(
  { query }: Pick<Request, 'query'>,
  parameters: Partial<P>,
  rules: (values: Values<P>) => string[] = () => [],
): Values<P> {
  const names = Object.keys(parameters)
  const values: Values<P> = {}
  const faults = Object.entries(query).flatMap(([name, given]) => {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (parameter === undefined) return [unknownParameter(name.slice(0, 60), names)]
    const { success, data, error } = parameter.value.safeParse(given)
    if (!success) return [`${name}: ${Array.isArray(given) ? 'expected once' : error.issues[0]?.message}.`]
    Object.assign(values, { [name]: data })
    return []
  })
  faults.push(...rules(values))
  if (faults.length > 0) throw new UserError(faults.join(' '))
  return values
}

function unknownParameter(name: string, names: readonly string[]): string {
  const meant = suggest(name, names)
  const known = names.length === 0 ? 'There are none here.' : `There are ${names.join(', ')}.`
  return `There is no parameter ${JSON.stringify(name)}. ${meant === null ? known : `Did you mean ${meant}?`}`
}

/** `also`: what means true besides. */
export function flag(about: string, also: readonly string[] = []) {
  const value = z
    .enum(['true', 'false', ...also], { error: 'expected true or false' })
    .transform((text) => text !== 'false')
  return { about, schema: { type: 'boolean', default: false }, value }
}

export function day(about: string) {
  const value = z.iso.date({ error: 'expected a day, such as 2026-11-20' })
  return { about, schema: { type: 'string', format: 'date' }, value }
}

/** Nothing that a database chokes on. */
export function name(about: string) {
  const value = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u, { error: 'expected 1 to 200 characters' })
  return { about, schema: { type: 'string' }, value }
}
