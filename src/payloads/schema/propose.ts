import { type KnownField, placeOf, type Shape } from '../known/from.ts'
import { shapeOf } from '../known/kinds.ts'
import { type Mappings, NO_MAPPINGS } from '../mapping/mapping.ts'
import { isPath } from '../mapping/values.ts'
import { type FieldMatch, likenessOf, matchSchema, namesCurrency, namesTime } from './match.ts'
import type { SchemaField } from './payload-schema.ts'

/** A mapping of a kind (`platform.payloads`) as the platform's schema suggests it, for a person to judge. */
export interface Proposal {
  kind: string
  /** Null: the platform shows no schema of the kind that can be read. */
  fields: ProposedField[] | null
  /** Fields that the schema does not have, and that nothing depends on. */
  left: string[]
}

export interface ProposedField {
  /** By the hub's own name. */
  field: string
  /** Of these one is enough: nothing is made of an event that has none. Empty: nothing depends on it. */
  needed: readonly string[]
  /**
   * `config`: it stands there already. `alike`: the schema has one name that is like it. `only`: the schema has one field that it can
   * be. `several`: the hub reads the first of these. `open`: a person has to say.
   */
  state: 'config' | 'alike' | 'only' | 'several' | 'open'
  /** As config takes it; null: open. */
  where: string | null
  /** Other paths that it may be, the likeliest first. */
  others: string[]
}

/** From here on a name is like another one: half of their words are the same. */
const ALIKE = 0.49

/** Proposes where the fields of a kind stand: those that the hub does not find in its schema. Pure. */
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
  // The list first: where its rows are looked for depends on what it is called.
  for (const list of listsOf(shape)) proposeLevel(list)
  return { kind, fields: inOrderOf(shape, fields), left }

  function proposeLevel(list: string | null): void {
    const here = () => matchSchema(shape as Shape, schema as readonly SchemaField[], chosen)
    const names = Object.keys((shape as Shape).fields).filter((field) => placeOf(field).list === list)
    // What is needed, and what is most alike, chooses first: a path is one field only.
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

  /** Of a list that nobody finds, nothing can be said of its rows. */
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
    // Of a group one place is left open, for the first of it.
    if (needed[0] === field) fields.push({ field, needed, state: 'open', where: null, others: like })
    else if (!needed.includes(field)) left.push(field)
  }

  /** The group that the field is needed in, as long as no other field of it is found. */
  function needOf(field: string): readonly string[] {
    const group = groupOf(shape as Shape, field)
    const matches = matchSchema(shape as Shape, schema as readonly SchemaField[], chosen)
    const isThere = (one: string) => matches.some((match) => match.field === one && match.state !== 'absent')
    return group.some((one) => one !== field && isThere(one)) ? [] : group
  }
}

/** A field that nothing else of its level can be. */
function onlyOne({ is }: KnownField, like: readonly string[]): string | null {
  const fitting =
    is === 'time' ? like.filter(namesTime) : is === 'currency' ? like.filter(namesCurrency) : is === 'list' ? like : []
  return fitting.length === 1 ? (fitting[0] ?? null) : null
}

function groupOf({ essentials }: Shape, field: string): readonly string[] {
  return essentials.find((group) => group.includes(field)) ?? []
}

/** The payload itself, and its lists, the outer ones first. */
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

/** A name that is none in JSONata is quoted there. */
function asWritten(path: string): string {
  if (isPath(path)) return path
  return path
    .split('.')
    .map((name) => (isPath(name) ? name : `\`${name}\``))
    .join('.')
}
