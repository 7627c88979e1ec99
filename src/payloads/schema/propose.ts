import { type KnownField, placeOf, type Shape } from '../known/from.ts'
import { shapeOf } from '../known/kinds.ts'
import { isPath, type Mappings, NO_MAPPINGS } from '../mapping/mapping.ts'
import { type FieldMatch, likenessOf, matchSchema, namesCurrency, namesTime } from './match.ts'
import type { SchemaField } from './payload-schema.ts'

export interface Proposal {
  kind: string
  fields: ProposedField[] | null
  left: string[]
}

export interface ProposedField {
  field: string
  needed: readonly string[]
  /** `only`: one possible field. `several`: the first is read. */
  state: 'config' | 'alike' | 'only' | 'several' | 'open'
  where: string | null
  others: string[]
}

const ALIKE = 0.49

export function proposeMapping(
  kind: string,
  schema: readonly SchemaField[] | null,
  mappings: Mappings = NO_MAPPINGS,
): Proposal {
  const shape = shapeOf(kind)
  if (!shape || schema === null) return { kind, fields: null, left: [] }
  const given = Object.hasOwn(mappings, kind) ? (mappings[kind] ?? {}) : {}
  const fields: ProposedField[] = Object.entries(given).map(([field, where]) => ({
    ...{ field, where, needed: groupOf(shape, field), state: 'config', others: [] },
  }))
  const left: string[] = []
  const chosen: Record<string, string> = { ...given }
  for (const list of listsOf(shape)) proposeLevel(list)
  return { kind, fields: inOrderOf(shape, fields), left }

  function proposeLevel(list: string | null): void {
    const here = () => matchSchema(shape as Shape, schema as readonly SchemaField[], chosen)
    const names = Object.keys((shape as Shape).fields).filter((field) => placeOf(field).list === list)
    // Essentials and best matches choose first: each path is used once.
    for (;;) {
      const open = here().filter(
        ({ field, state }) => names.includes(field) && state === 'absent' && !isHandled(field) && isReachable(list),
      )
      const best = open
        .flatMap((match) => choiceOf(match) ?? [])
        .sort((one, other) => Number(other.isNeeded) - Number(one.isNeeded) || other.score - one.score)[0]
      if (best === undefined) {
        for (const match of open) leave(match)
        break
      }
      chosen[best.field] = best.where
      fields.push({
        field: best.field,
        needed: needOf(best.field),
        state: best.state,
        where: asWritten(best.where),
        others: best.others,
      })
    }
    for (const { field, state, at } of here())
      if (names.includes(field) && state === 'ambiguous') {
        const [first = '', ...others] = at.map((path) => withinRow(path, list))
        fields.push({ field, needed: needOf(field), state: 'several', where: asWritten(first), others })
      }
  }

  function isHandled(field: string): boolean {
    return fields.some((one) => one.field === field)
  }

  function isReachable(list: string | null): boolean {
    if (list === null) return true
    const match = matchSchema(shape as Shape, schema as readonly SchemaField[], chosen).find(
      ({ field }) => field === list,
    )
    return match !== undefined && match.state !== 'absent' && match.state !== 'mapped'
  }

  function choiceOf({ field, like }: FieldMatch) {
    const known = shape?.fields[field]
    if (!known) return null
    const [best, second] = like
      .map((path) => ({ path, score: likenessOf(placeOf(field).name, known, path) }))
      .sort((one, other) => other.score - one.score)
    const isNeeded = needOf(field).length > 0
    const others = like.filter((path) => path !== best?.path)
    if (best && best.score >= ALIKE && best.score > (second?.score ?? 0))
      return { field, where: best.path, state: 'alike' as const, score: best.score, others, isNeeded }
    const only = isNeeded ? onlyOne(known, like) : null
    return only === null ? null : { field, where: only, state: 'only' as const, score: 0, others: [], isNeeded }
  }

  function leave({ field, like }: FieldMatch): void {
    const needed = needOf(field)
    if (needed[0] === field) fields.push({ field, needed, state: 'open', where: null, others: like })
    else if (!needed.includes(field)) left.push(field)
  }

  function needOf(field: string): readonly string[] {
    const group = groupOf(shape as Shape, field)
    const matches = matchSchema(shape as Shape, schema as readonly SchemaField[], chosen)
    const isThere = (one: string) => matches.some((match) => match.field === one && match.state !== 'absent')
    return group.some((one) => one !== field && isThere(one)) ? [] : group
  }
}

function onlyOne({ is }: KnownField, like: readonly string[]): string | null {
  const fitting =
    is === 'time' ? like.filter(namesTime) : is === 'currency' ? like.filter(namesCurrency) : is === 'list' ? like : []
  return fitting.length === 1 ? (fitting[0] ?? null) : null
}

function groupOf({ essentials }: Shape, field: string): readonly string[] {
  return essentials.find((group) => group.includes(field)) ?? []
}

function listsOf({ fields }: Shape): (string | null)[] {
  const lists = Object.entries(fields).flatMap(([field, { is }]) => (is === 'list' ? [field] : []))
  return [null, ...lists.sort((one, other) => one.split('.').length - other.split('.').length)]
}

function inOrderOf({ fields }: Shape, proposed: readonly ProposedField[]): ProposedField[] {
  const order = Object.keys(fields)
  return proposed.toSorted((one, other) => order.indexOf(one.field) - order.indexOf(other.field))
}

function withinRow(path: string, list: string | null): string {
  return list === null ? path : path.slice(path.lastIndexOf('.') + 1)
}

function asWritten(path: string): string {
  if (isPath(path)) return path
  return path
    .split('.')
    .map((name) => (isPath(name) ? name : `\`${name}\``))
    .join('.')
}
