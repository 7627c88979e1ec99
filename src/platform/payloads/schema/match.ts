import type { Instant } from '../../../domain/values/instant.ts'
import { someOf } from '../../../domain/values/text.ts'
import { SHAPES } from '../known/kinds.ts'
import { isPath, type Mappings, NO_MAPPINGS } from '../mapping/mapping.ts'
import { type FieldProvenance, knownFrom, locationOf, type PayloadField, type Shape } from '../read-field.ts'

interface FieldMatch {
  field: string
  /** `ambiguous`: several places, undocumented which counts. */
  state: 'found' | 'ambiguous' | 'absent' | 'mapped'
  looked: string[]
  at: string[]
  like: string[]
}

const MAX_LIKE = 8

/** Similar names are never read, only shown. */
function matchSchema(shape: Shape, schema: readonly SchemaField[], given: Mappings[string] = {}): FieldMatch[] {
  const byPath = new Map(schema.map((field) => [field.path.toLowerCase(), field]))
  const matches = Object.entries(shape.fields).map(([field, known]): FieldMatch => {
    const mapping = given[field]
    if (mapping !== undefined && !isPath(mapping)) return { field, state: 'mapped', looked: [], at: [], like: [] }
    const looked = pathsOf(shape, field, given)
    const at = looked.filter((path) => fits(known.is, byPath.get(path.toLowerCase())?.is))
    const isAmbiguous = at.length > 1 && mapping === undefined && known.from === 'guess' && known.inTurn !== true
    return { field, state: at.length === 0 ? 'absent' : isAmbiguous ? 'ambiguous' : 'found', looked, at, like: [] }
  })
  const taken = new Set(matches.flatMap(({ at }) => at.map((path) => path.toLowerCase())))
  const free = schema.filter(({ path }) => !taken.has(path.toLowerCase()))
  return matches.map((match) =>
    match.state === 'absent' ? { ...match, like: likenesses(match.field, shape, given, free, byPath) } : match,
  )
}

function pathsOf(shape: Shape, field: string, given: Readonly<Record<string, string>>): string[] {
  const { list } = locationOf(field)
  const mapped = given[field]
  const own = mapped === undefined ? (shape.fields[field]?.names ?? []) : [mapped]
  const plain = own.map((path) => path.replaceAll(/\.\d+(?=\.|$)/g, ''))
  if (list === null) return plain
  return pathsOf(shape, list, given).flatMap((outer) => plain.map((path) => `${outer}.${path}`))
}

function likenesses(
  field: string,
  shape: Shape,
  given: Readonly<Record<string, string>>,
  free: readonly SchemaField[],
  byPath: ReadonlyMap<string, SchemaField>,
): string[] {
  const { list, name } = locationOf(field)
  const known = shape.fields[field]
  if (!known) return []
  const within = list === null ? [''] : pathsOf(shape, list, given).map((path) => `${path}.`)
  const near = within.flatMap((prefix) =>
    free.flatMap(({ path, is }) => {
      if (!path.toLowerCase().startsWith(prefix.toLowerCase()) || !fits(known.is, is)) return []
      const rest = path.slice(prefix.length)
      const likeness = likenessOf(name, known, rest)
      const isOther = known.is === 'number' && is === 'text' && likeness === 0
      return isOther || isInList(rest, prefix, byPath) ? [] : [{ rest, likeness }]
    }),
  )
  const sorted = near.toSorted((one, other) => other.likeness - one.likeness)
  return [...new Set(sorted.map(({ rest }) => rest))].slice(0, MAX_LIKE)
}

function isInList(path: string, prefix: string, byPath: ReadonlyMap<string, SchemaField>): boolean {
  const names = path.split('.')
  return names.some(
    (_, index) => index > 0 && byPath.get(`${prefix}${names.slice(0, index).join('.')}`.toLowerCase())?.is === 'list',
  )
}

const FITTING: Readonly<Record<PayloadField['is'], readonly SchemaField['is'][]>> = {
  ...{ text: ['text', 'number'], id: ['text', 'number'], number: ['text', 'number'] },
  ...{ time: ['text'], currency: ['text'], list: ['list'], flag: ['flag'] },
  any: ['text', 'number', 'flag', 'list', 'object'],
}

function fits(wanted: PayloadField['is'], is: SchemaField['is'] | undefined): boolean {
  return is !== undefined && (is === 'unknown' || FITTING[wanted].includes(is))
}

const SYNONYMS = `id identifier ident guid uuid key, no nr num number code, quantity qty count units piece,
  time at date timestamp datetime on when moment, store shop branch outlet, stock warehouse inventory depot,
  pos POS register, gtin ean barcode upc, amount sum value, customer client member buyer, created made issued registered,
  receipt ticket slip, email mail, phone mobile telephone tel, first given fore, last family sur,
  line row item position product good article, status state, ext external foreign, expected planned ordered confirmed,
  received arrived came, from source origin sender, to target destination receiver dest, vat tax mva moms,
  currency valuta`
const CANONICAL = new Map(
  SYNONYMS.split(',').flatMap((words) => {
    const [first = '', ...others] = words.trim().split(' ')
    return others.map((word) => [word, first])
  }),
)

const ENDINGS = ['identifier', 'quantity', 'number', 'amount', 'date', 'time', 'code', 'type', 'guid', 'id', 'no']
const SHORTEST_BEGIN = 3

function likenessOf(name: string, { names }: Pick<PayloadField, 'names'>, path: string): number {
  const ways = [path, leafOf(path)]
  const wanted = [name, ...names, ...names.map(leafOf)]
  return Math.max(...wanted.flatMap((own) => ways.map((way) => alike(own, way))))
}

function alike(one: string, other: string): number {
  if (plainOf(one) === plainOf(other)) return 1
  if (wordsOf(leafOf(one)).isDisjointFrom(wordsOf(leafOf(other)))) return 0
  const [ours, theirs] = [wordsOf(one), wordsOf(other)]
  const common = ours.intersection(theirs).size
  return common === 0 ? 0 : (0.99 * common) / ours.union(theirs).size
}

function wordsOf(name: string): Set<string> {
  const parts = name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .split(/[^\p{L}\p{N}]+/u)
  return new Set(
    parts
      .filter(Boolean)
      .flatMap((part) => splitEnding(part.toLowerCase()))
      .map(canonical),
  )
}

function splitEnding(word: string): string[] {
  const ending = ENDINGS.find((one) => word.endsWith(one) && word.length - one.length >= SHORTEST_BEGIN)
  return ending === undefined || CANONICAL.has(word) ? [word] : [word.slice(0, -ending.length), ending]
}

function canonical(word: string): string {
  const single =
    word.length > 3 && word.endsWith('s') && !word.endsWith('ss') && word !== 'status' ? word.slice(0, -1) : word
  return CANONICAL.get(word) ?? CANONICAL.get(single) ?? single
}

function leafOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

function plainOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

export interface SchemaVerdict {
  kind: string
  fields: FieldMatch[]
  named: string[]
  otherwise: { fields: readonly string[]; looked: string[]; candidates: string[] }[]
}

export function judgeSchema(kind: string, schema: readonly SchemaField[], mappings: Mappings): SchemaVerdict {
  const shape = SHAPES.get(kind)
  if (!shape) return { kind, fields: [], named: [], otherwise: [] }
  const fields = matchSchema(shape, schema, Object.hasOwn(mappings, kind) ? mappings[kind] : {})
  const byName = new Map(fields.map((match) => [match.field, match]))
  const isNamed = (field: string) => byName.get(field)?.state !== 'absent'
  const missing = shape.essentials.filter((group) => !group.some(isNamed) && isSayable(group[0] ?? ''))
  return {
    kind,
    fields,
    named: fields.filter(({ field }) => isNamed(field)).map(({ field }) => field),
    otherwise: missing.map((group) => ({
      fields: group,
      looked: group.flatMap((field) => byName.get(field)?.looked ?? []),
      candidates: byName.get(group[0] ?? '')?.like ?? [],
    })),
  }

  function isSayable(field: string): boolean {
    const { list } = locationOf(field)
    return list === null || ['found', 'ambiguous'].includes(byName.get(list)?.state ?? '')
  }
}

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
  const shape = SHAPES.get(kind)
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
      const [first = '', ...others] = list === null ? at : at.map(leafOf)
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

function onlyOne({ is }: PayloadField, like: readonly string[]): string | null {
  if (is !== 'time' && is !== 'currency' && is !== 'list') return null
  const fitting = is === 'list' ? like : like.filter((path) => wordsOf(leafOf(path)).has(is))
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

function asWritten(path: string): string {
  if (isPath(path)) return path
  return path
    .split('.')
    .map((name) => (isPath(name) ? name : `\`${name}\``))
    .join('.')
}

export interface SchemaField {
  path: string
  is: 'text' | 'number' | 'flag' | 'list' | 'object' | 'unknown'
}

const DEEPEST = 8
const MAX_FIELDS = 2_000

/** Of any draft; null: none. */
export function fieldsInSchema(root: unknown): SchemaField[] | null {
  const fields: SchemaField[] = []
  collect(root, { root, fields, prefix: '', depth: 0 })
  return fields.length === 0 ? null : fields
}

function collect(schema: unknown, walk: { root: unknown; fields: SchemaField[]; prefix: string; depth: number }): void {
  const { fields, prefix, depth } = walk
  if (depth > DEEPEST) return
  for (const part of partsOf(schema, walk.root)) {
    for (const [name, inner] of Object.entries(recordOf(part.properties))) {
      if (fields.length >= MAX_FIELDS) return
      const path = `${prefix}${name}`
      if (!fields.some((one) => one.path === path)) fields.push({ path, is: typeOf(inner, walk.root) })
      collect(inner, { ...walk, prefix: `${path}.`, depth: depth + 1 })
    }
    for (const row of [part.items].flat()) collect(row, { ...walk, depth: depth + 1 })
  }
}

type Part = Record<string, unknown>

function partsOf(schema: unknown, root: unknown, seen: readonly unknown[] = []): Part[] {
  if (schema === null || typeof schema !== 'object' || seen.includes(schema)) return []
  const part = schema as Part
  const more = [part.allOf, part.anyOf, part.oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const referred = typeof part.$ref === 'string' ? [resolved(part.$ref, root)] : []
  return [part, ...[...referred, ...more].flatMap((one) => partsOf(one, root, [...seen, schema]))]
}

function resolved(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined
  const names = reference.slice(1).split('/').filter(Boolean)
  return names.reduce<unknown>((value, name) => recordOf(value)[name.replaceAll('~1', '/').replaceAll('~0', '~')], root)
}

function typeOf(schema: unknown, root: unknown): SchemaField['is'] {
  for (const { type, properties, items, enum: words } of partsOf(schema, root)) {
    const named = [type].flat().find((one) => one !== 'null')
    if (named === 'array' || items !== undefined) return 'list'
    if (named === 'object' || properties !== undefined) return 'object'
    if (named === 'string' || Array.isArray(words)) return 'text'
    if (named === 'number' || named === 'integer') return 'number'
    if (named === 'boolean') return 'flag'
  }
  return 'unknown'
}

function recordOf(value: unknown): Part {
  return value !== null && typeof value === 'object' ? (value as Part) : {}
}

export interface SchemaVersion {
  since: Instant
  fields: string[]
}

export interface SchemaChange {
  at: Instant
  gone: string[]
  added: string[]
  retyped: string[]
}

const KEPT = 10

export function withVersion(
  versions: readonly SchemaVersion[],
  schema: readonly SchemaField[],
  now: Instant,
): readonly SchemaVersion[] {
  const fields = schema.map(({ path, is }) => `${path}:${is}`).sort()
  const last = versions.at(-1)
  if (last && JSON.stringify(last.fields) === JSON.stringify(fields)) return versions
  return [...versions, { since: now, fields }].slice(-KEPT)
}

export function fieldsOfVersion({ fields }: SchemaVersion): SchemaField[] {
  return fields.map((kept) => {
    const end = kept.lastIndexOf(':')
    return { path: kept.slice(0, end), is: kept.slice(end + 1) as SchemaField['is'] }
  })
}

export function changesOf(versions: readonly SchemaVersion[]): SchemaChange[] {
  return versions.slice(1).map((version, index) => {
    const before = typesIn(versions[index])
    const after = typesIn(version)
    return {
      at: version.since,
      gone: [...before.keys()].filter((path) => !after.has(path)),
      added: [...after.keys()].filter((path) => !before.has(path)),
      retyped: [...after].flatMap(([path, is]) => {
        const was = before.get(path)
        return was === undefined || was === is ? [] : [`${path} (${was}, now ${is})`]
      }),
    }
  })
}

export function changeText({ gone, added, retyped }: Omit<SchemaChange, 'at'>): string {
  const parts = Object.entries({ gone, new: added, 'of another type': retyped })
  return parts.flatMap(([what, paths]) => (paths.length === 0 ? [] : `${someOf(paths, NAMED)} ${what}`)).join('; ')
}

const NAMED = 8

function typesIn(version: SchemaVersion | undefined): Map<string, string> {
  return new Map(version ? fieldsOfVersion(version).map(({ path, is }) => [path, is]) : [])
}

export interface KindReport {
  kind: string
  shownBy: string
  knownFrom: FieldProvenance[]
  schema: { since: number; changes: SchemaChange[] } | null
  fields: FieldReport[]
}

export interface FieldReport {
  field: string
  is: PayloadField['is']
  needed: boolean
  names: readonly string[]
  nearest: readonly string[]
  mapping: string | null
  knownFrom: FieldProvenance
  match: Pick<FieldMatch, 'state' | 'at' | 'like'> | null
}

const BEST_FIRST: readonly FieldProvenance[] = ['spec', 'public', 'schema', 'config', 'guess']

export function kindReport(kind: string, versions: readonly SchemaVersion[], mappings: Mappings): KindReport | null {
  const shape = SHAPES.get(kind)
  if (!shape) return null
  const given = Object.hasOwn(mappings, kind) ? (mappings[kind] ?? {}) : {}
  const newest = versions.at(-1)
  const matches = newest ? matchSchema(shape, fieldsOfVersion(newest), given) : []
  const needed = new Set(shape.essentials.flat())
  const fields = Object.entries(shape.fields).map(([field, known]): FieldReport => {
    const match = matches.find((one) => one.field === field) ?? null
    return {
      field,
      is: known.is,
      needed: needed.has(field),
      names: known.names,
      nearest: known.nearest ?? [],
      mapping: given[field] ?? null,
      knownFrom: knownFrom(known, Object.hasOwn(given, field), match?.state === 'found'),
      match: match && { state: match.state, at: match.at, like: match.like },
    }
  })
  const from = new Set(fields.flatMap((one) => (one.needed ? one.knownFrom : [])))
  return {
    kind,
    shownBy: shape.shownBy,
    knownFrom: BEST_FIRST.filter((one) => from.has(one)),
    schema: newest ? { since: newest.since, changes: changesOf(versions) } : null,
    fields,
  }
}
