import { type KnownField, locationOf, type Shape } from '../known/from.ts'
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

type Choice = ProposedField & { where: string; score: number }

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
  const matches = () => matchSchema(shape, schema, chosen)
  const stateOf = (name: string) => matches().find(({ field }) => field === name)?.state ?? 'absent'

  /** The essentials of which this one is needed: none of the others is there. */
  const needOf = (field: string) => {
    const group = groupOf(shape, field)
    return group.some((one) => one !== field && stateOf(one) !== 'absent') ? [] : group
  }

  const choiceOf = ({ field, like }: FieldMatch): Choice[] => {
    const known = shape.fields[field]
    if (!known) return []
    const [best, second] = like
      .map((path) => ({ path, score: likenessOf(locationOf(field).name, known, path) }))
      .sort((one, other) => other.score - one.score)
    const needed = needOf(field)
    const others = like.filter((path) => path !== best?.path)
    if (best && best.score >= ALIKE && best.score > (second?.score ?? 0))
      return [{ field, where: best.path, state: 'alike', score: best.score, others, needed }]
    const only = needed.length > 0 ? onlyOne(known, like) : null
    return only === null ? [] : [{ field, where: only, state: 'only', score: 0, others: [], needed }]
  }

  for (const list of listsOf(shape)) {
    const isHere = ({ field }: FieldMatch) => locationOf(field).list === list
    const isReachable = list === null || !['absent', 'mapped'].includes(stateOf(list))
    const isOpen = (match: FieldMatch) =>
      match.state === 'absent' && isHere(match) && fields.every(({ field }) => field !== match.field)
    // Essentials and best matches choose first: each path is used once.
    for (let open = isReachable ? matches().filter(isOpen) : []; open.length > 0; open = matches().filter(isOpen)) {
      const [best] = open
        .flatMap(choiceOf)
        .sort((one, other) => isNeeded(other) - isNeeded(one) || other.score - one.score)
      if (best === undefined) {
        for (const match of open) leave(match)
        break
      }
      const { field, needed, state, where, others } = best
      chosen[field] = where
      fields.push({ field, needed, state, where: asWritten(where), others })
    }
    for (const { field, at } of matches().filter((match) => match.state === 'ambiguous' && isHere(match))) {
      const [first = '', ...others] = at.map((path) => withinRow(path, list))
      fields.push({ field, needed: needOf(field), state: 'several', where: asWritten(first), others })
    }
  }
  return { kind, fields: inOrderOf(shape, fields), left }

  function leave({ field, like }: FieldMatch): void {
    const needed = needOf(field)
    if (needed[0] === field) fields.push({ field, needed, state: 'open', where: null, others: like })
    else if (!needed.includes(field)) left.push(field)
  }
}

function isNeeded({ needed }: Pick<ProposedField, 'needed'>): number {
  return needed.length > 0 ? 1 : 0
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
